import EventLoops
import Locking

/// An open WebSocket (RFC 6455), as its ``WebSocketHandler`` sees it. Usable from any thread.
public final class WebSocket: Sendable {
    private struct State {
        /// Nil after the end, so that nobody retains a closed connection.
        var connection: Connection?
        var isAwake = false
    }

    /// The loop of the connection. A task that prefers it as executor runs on the connection's thread.
    public let loop: EventLoop
    /// The other end of the connection.
    public let peer: SocketAddress
    /// The subprotocol chosen from the client's offer; nil if none is.
    public let subprotocol: String?
    private let state = Guarded(State())

    init(loop: EventLoop, peer: SocketAddress, subprotocol: String?) {
        self.loop = loop
        self.peer = peer
        self.subprotocol = subprotocol
    }

    /// Announces that there may be something to send: ``WebSocketHandler/nextMessage()`` is called once the socket is
    /// writable. Calls before then are coalesced. A no-op after the end.
    public func wake() {
        let connection = state.withLock { state -> Connection? in
            guard !state.isAwake else { return nil }
            state.isAwake = true
            return state.connection
        }
        guard let connection else { return }
        loop.execute { [self] in
            // Reset before the handler is called, so that anything that becomes available meanwhile wakes it again.
            state.withLock { $0.isAwake = false }
            connection.channel?.wake()
        }
    }

    /// Closes the WebSocket: finishes the current message, sends the client a Close frame, and ends the connection
    /// when the client has answered or after ``WebSocketConfiguration/closeTimeout``. Once this takes effect, which
    /// on the loop is at once, no messages are received or pulled. Only the first call counts.
    ///
    /// - Parameter reason: For debugging; truncated to the 123 bytes that fit into the frame.
    public func close(_ code: WebSocketCloseCode, reason: String = "") {
        guard let connection = state.withLock({ $0.connection }) else { return }
        if loop.isCurrent {
            connection.channel?.close(code, reason: reason)
        } else {
            loop.execute { connection.channel?.close(code, reason: reason) }
        }
    }

    // MARK: Connection side

    func open(_ connection: Connection) { state.withLock { $0.connection = connection } }

    func end() { state.withLock { $0.connection = nil } }
}
