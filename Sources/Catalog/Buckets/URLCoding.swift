/// Percent-encoding as a store signs it: all but the unreserved letters of RFC 3986 section 2.3, with capital digits.
enum URLCoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    private static let unreserved: Set<UInt8> = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~".utf8)

    /// - Parameter keepsSlashes: for a path, whose slashes stand between its parts.
    static func encoded(_ bytes: some Collection<UInt8>, keepsSlashes: Bool = false) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            if unreserved.contains(byte) || keepsSlashes && byte == UInt8(ascii: "/") {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// What was encoded for a form: a plus is a space. Nil where a percent sign begins no byte.
    static func decoded(_ text: [UInt8]) -> [UInt8]? {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var position = 0
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard position + 2 < text.count, let high = digit(text[position + 1]),
                    let low = digit(text[position + 2])
                else { return nil }
                bytes.append(high << 4 | low)
                position += 2
            case let byte: bytes.append(byte)
            }
            position += 1
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
