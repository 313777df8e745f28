/// The frames that a server sends (RFC 6455 §5.2): complete messages, unmasked, with the shortest form of their length.
enum WebSocketFrame {
    enum Opcode: UInt8 {
        case continuation = 0x0
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xA

        /// RFC 6455 §5.5.
        var isControl: Bool { rawValue & 0x8 != 0 }
    }

    /// The most bytes in a control frame (RFC 6455 §5.5).
    static let controlLimit = 125

    /// Appends the header of a frame with `length` bytes of payload.
    static func appendHead(_ opcode: Opcode, length: Int, to bytes: inout [UInt8]) {
        bytes.append(0x80 | opcode.rawValue)
        switch length {
        case 0...125: bytes.append(UInt8(length))
        case 126...0xFFFF:
            bytes.append(126)
            append(UInt16(length), to: &bytes)
        default:
            bytes.append(127)
            append(UInt64(length), to: &bytes)
        }
    }

    /// Appends a Close frame. The reason is truncated to what fits.
    static func appendClose(_ code: WebSocketCloseCode, reason: String, to bytes: inout [UInt8]) {
        guard code != .noStatus else {
            appendHead(.close, length: 0, to: &bytes)
            return
        }
        var text: [UInt8] = []
        for scalar in reason.unicodeScalars {
            let next = UTF8.encode(scalar).map { Array($0) } ?? []
            guard text.count + next.count <= controlLimit - 2 else { break }
            text += next
        }
        appendHead(.close, length: 2 + text.count, to: &bytes)
        append(code.rawValue, to: &bytes)
        bytes += text
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
