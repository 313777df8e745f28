/// The protocol of one open WebSocket on the server's side (RFC 6455 §5 to §7). A pure state machine: the client's
/// bytes and the owner's calls go in, messages and control frames come out.
///
/// Its memory is bounded: whatever the client sends, it holds no more than the message that is arriving, the bytes
/// appended last, one pong, one ping and one Close frame.
struct WebSocketState: Sendable {
    enum Event: Hashable, Sendable {
        case message(WebSocketMessage)
        /// A frame that was handled here.
        case control
    }

    private var parser: WebSocketParser
    /// How it ends, once that is decided. From then on only control frames are sent, and no message is delivered.
    private(set) var end: WebSocketEnd?
    /// Whether what the client still sends is processed.
    private(set) var isReceiving = true

    /// The payload of the last ping: of several, only the last need be answered (RFC 6455 §5.5.3).
    private var pong: [UInt8]?
    private var pingIsDue = false
    private var closeIsDue: (code: WebSocketCloseCode, reason: String)?
    private var hasSentClose = false

    init(maximumMessage: Int) {
        parser = WebSocketParser(maximumMessage: maximumMessage)
    }

    /// Whether the last frame has been sent, and the client has sent its Close frame or violated the protocol. The
    /// server then closes the connection (RFC 6455 §7.1.1).
    var isOver: Bool { hasSentClose && !isReceiving }

    // MARK: Input

    mutating func append(_ bytes: UnsafeRawBufferPointer) { parser.append(bytes) }

    /// The next event; nil if more bytes are needed, or if no more are processed.
    mutating func next() -> Event? {
        guard isReceiving else { return nil }
        do throws(WebSocketError) {
            switch try parser.next() {
            case nil: return nil
            case .message(let message): return end == nil ? .message(message) : .control
            case .ping(let payload): pong = payload
            case .pong: break
            case .close(let code, let reason):
                isReceiving = false
                if end == nil {
                    end = .closedByClient(code, reason: reason)
                    closeIsDue = (code, "")
                }
            }
            return .control
        } catch {
            isReceiving = false
            if end == nil { end = .failed(error) }
            if !hasSentClose { closeIsDue = (error.code, error.message) }
            return nil
        }
    }

    /// Frees memory while nothing waits in it.
    mutating func releaseBuffer() { parser.releaseBuffer() }

    // MARK: Output

    /// Closes from this side. Only the first end counts.
    mutating func close(_ code: WebSocketCloseCode, reason: String) {
        guard end == nil else { return }
        end = .closed(code)
        closeIsDue = (code, reason)
    }

    /// Pings the client.
    mutating func ping() { pingIsDue = true }

    /// Appends the control frames that are due, the Close frame last. Returns whether there were any.
    mutating func appendControl(to bytes: inout [UInt8]) -> Bool {
        guard !hasSentClose else { return false }
        let before = bytes.count
        if let pong {
            WebSocketFrame.appendHead(.pong, length: pong.count, to: &bytes)
            bytes.append(contentsOf: pong)
            self.pong = nil
        }
        if pingIsDue {
            WebSocketFrame.appendHead(.ping, length: 0, to: &bytes)
            pingIsDue = false
        }
        if let closeIsDue {
            WebSocketFrame.appendClose(closeIsDue.code, reason: closeIsDue.reason, to: &bytes)
            self.closeIsDue = nil
            hasSentClose = true
        }
        return bytes.count > before
    }
}
