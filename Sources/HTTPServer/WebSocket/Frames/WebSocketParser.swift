import Glibc

/// Parses a client's bytes into messages and control frames (RFC 6455 §5). A pure state machine: bytes go in, events
/// come out.
///
/// Every violation is detected at the first byte that shows it: a header that violates the protocol, a length over
/// the limit before the payload arrives, a byte that is not UTF-8 in whichever fragment. After an error, every call
/// throws that error.
struct WebSocketParser: Sendable {
    enum Event: Hashable, Sendable {
        case message(WebSocketMessage)
        case ping([UInt8])
        case pong([UInt8])
        case close(WebSocketCloseCode, reason: String)
    }

    /// A frame whose payload is arriving.
    private struct Frame: Sendable {
        var opcode: WebSocketFrame.Opcode
        var isFinal: Bool
        var missing: Int
        var mask: WebSocketMask
    }

    private let maximumMessage: Int
    private var failure: WebSocketError?

    private var buffer: [UInt8] = []
    /// The index in `buffer` of the first byte not yet consumed.
    private var start = 0

    private var frame: Frame?
    /// The type of the message whose fragments are arriving (RFC 6455 §5.4), and its unmasked bytes so far.
    private var messageType: WebSocketFrame.Opcode?
    private var message: [UInt8] = []
    private var text = UTF8Check()
    /// The unmasked bytes of a control frame so far.
    private var control: [UInt8] = []

    /// - Parameter maximumMessage: The length of a message in bytes, all fragments together.
    init(maximumMessage: Int) {
        self.maximumMessage = maximumMessage
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
        } else if start > 0 {
            buffer.removeSubrange(..<start)
        }
        start = 0
        buffer.append(contentsOf: bytes)
    }

    /// Frees the buffers while they are empty.
    mutating func releaseBuffer() {
        if start == buffer.count {
            buffer = []
            start = 0
        }
        if message.isEmpty { message = [] }
    }

    /// The next event; nil if more bytes are needed.
    mutating func next() throws(WebSocketError) -> Event? {
        if let failure { throw failure }
        do {
            while true {
                if frame == nil {
                    guard let begun = try takeHead() else { return nil }
                    frame = begun
                }
                guard let ended = try takePayload() else { return nil }
                frame = nil
                if let event = try finish(ended) { return event }
            }
        } catch {
            failure = error
            buffer = []
            start = 0
            message = []
            throw error
        }
    }

    // MARK: Frame header (RFC 6455 §5.2)

    /// Nil if the header is incomplete. Validates the part that has arrived.
    private mutating func takeHead() throws(WebSocketError) -> Frame? {
        let available = buffer.count - start
        guard available > 0 else { return nil }
        let first = buffer[start]
        guard first & 0x70 == 0 else { throw .malformed("A reserved bit is set.") }
        guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0F) else {
            throw .malformed("A frame has an unknown opcode.")
        }
        let isFinal = first & 0x80 != 0
        switch opcode {
        case .continuation where messageType == nil: throw .malformed("A fragment continues no message.")
        case .text where messageType != nil, .binary where messageType != nil:
            throw .malformed("A message begins within another.")
        case .close where !isFinal, .ping where !isFinal, .pong where !isFinal:
            throw .malformed("A control frame is fragmented.")
        default: break
        }
        guard available > 1 else { return nil }
        let second = buffer[start + 1]
        guard second & 0x80 != 0 else { throw .malformed("A frame is not masked.") }
        guard let (length, size) = try takeLength(second & 0x7F, isControl: opcode.isControl) else { return nil }
        guard opcode.isControl || length <= maximumMessage - message.count else {
            throw .tooBig(limit: maximumMessage)
        }
        guard available >= size + 4 else { return nil }
        let key = number(at: 2 + size - 2, bytes: 4)
        start += size + 4
        if !opcode.isControl, opcode != .continuation { messageType = opcode }
        return Frame(
            opcode: opcode, isFinal: isFinal, missing: length,
            mask: WebSocketMask(key: UInt32(truncatingIfNeeded: key)))
    }

    /// The length of the payload, and of the header before the mask, given the 7-bit length; nil if the header is
    /// incomplete.
    private func takeLength(_ short: UInt8, isControl: Bool) throws(WebSocketError) -> (length: Int, size: Int)? {
        guard short > 125 else { return (Int(short), 2) }
        guard !isControl else { throw .malformed("A control frame is longer than 125 bytes.") }
        let width = short == 126 ? 2 : 8
        guard buffer.count - start >= 2 + width else { return nil }
        let length = number(at: 2, bytes: width)
        guard length > (width == 2 ? 125 : 0xFFFF) else {
            throw .malformed("A length is not in its shortest form.")
        }
        guard length <= UInt64(Int.max) else { throw .malformed("A length has its first bit set.") }
        return (Int(length), 2 + width)
    }

    /// A number in network byte order.
    private func number(at offset: Int, bytes: Int) -> UInt64 {
        buffer[(start + offset)..<(start + offset + bytes)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    // MARK: Payload

    /// Takes and validates what has arrived of the payload. Nil if the frame is incomplete.
    private mutating func takePayload() throws(WebSocketError) -> Frame? {
        guard var frame else { return nil }
        let count = min(frame.missing, buffer.count - start)
        if count > 0 {
            buffer.withUnsafeMutableBytes { bytes in
                frame.mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes[start..<(start + count)]))
            }
            let payload = start..<(start + count)
            start += count
            frame.missing -= count
            self.frame = frame
            if frame.opcode.isControl {
                control.append(contentsOf: buffer[payload])
            } else {
                guard messageType != .text || isText(payload) else { throw .invalidText }
                message.append(contentsOf: buffer[payload])
            }
        }
        return frame.missing == 0 ? frame : nil
    }

    private mutating func isText(_ payload: Range<Int>) -> Bool {
        buffer.withUnsafeBytes { text.accept(UnsafeRawBufferPointer(rebasing: $0[payload])) }
    }

    /// The event of a complete frame; nil for a fragment.
    private mutating func finish(_ frame: Frame) throws(WebSocketError) -> Event? {
        switch frame.opcode {
        case .continuation, .text, .binary: return frame.isFinal ? .message(try finishMessage()) : nil
        case .ping: return .ping(takeControl())
        case .pong: return .pong(takeControl())
        case .close: return try Self.close(takeControl())
        }
    }

    private mutating func finishMessage() throws(WebSocketError) -> WebSocketMessage {
        defer {
            messageType = nil
            message = []
        }
        guard messageType == .text else { return .binary(message) }
        guard text.isComplete else { throw .invalidText }
        return .text(String(decoding: message, as: UTF8.self))
    }

    private mutating func takeControl() -> [UInt8] {
        defer { control = [] }
        return control
    }

    /// RFC 6455 §5.5.1 and §7.4.
    private static func close(_ payload: [UInt8]) throws(WebSocketError) -> Event {
        guard !payload.isEmpty else { return .close(.noStatus, reason: "") }
        guard payload.count > 1, let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        else { throw .malformed("A Close frame has no valid code.") }
        var text = UTF8Check()
        let isText = payload.withUnsafeBytes { text.accept(UnsafeRawBufferPointer(rebasing: $0[2...])) }
        guard isText, text.isComplete else { throw .invalidText }
        return .close(code, reason: String(decoding: payload[2...], as: UTF8.self))
    }
}
