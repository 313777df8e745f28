import EventLoops
import Locking

/// One open WebSocket (RFC 6455), for its ``WebSocketHandler``. From any thread.
public final class WebSocket: Sendable {
    private struct State {
        /// Until the end, so that nobody keeps a connection that is over.
        var connection: Connection?
        var isAwake = false
    }

    /// The loop of the connection. A task that prefers it runs beside the connection, with no change of thread.
    public let loop: EventLoop
    /// The other end of the connection.
    public let peer: SocketAddress
    /// What was chosen of the subprotocols that the client offered; nil if none was asked for.
    public let subprotocol: String?
    private let state = Guarded(State())

    init(loop: EventLoop, peer: SocketAddress, subprotocol: String?) {
        self.loop = loop
        self.peer = peer
        self.subprotocol = subprotocol
    }

    /// There may be something to send: ``WebSocketHandler/nextMessage()`` is asked once the socket can take it. Many
    /// calls are one until then. Does nothing after the end.
    public func wake() {
        let connection = state.withLock { state -> Connection? in
            guard !state.isAwake else { return nil }
            state.isAwake = true
            return state.connection
        }
        guard let connection else { return }
        loop.execute { [self] in
            // Before the handler is asked, so that what comes up meanwhile wakes it again.
            state.withLock { $0.isAwake = false }
            connection.channel?.wake()
        }
    }

    /// Closes: a message under way is finished, then the client is sent a Close frame, and the connection ends when it
    /// has answered or after ``WebSocketConfiguration/closeTimeout``. From the moment this takes effect, which on the
    /// loop is at once, nothing is received or asked for any more. Only the first call counts.
    ///
    /// - Parameter reason: For people who debug; cut to the 123 bytes that fit in the frame.
    public func close(_ code: WebSocketCloseCode, reason: String = "") {
        guard let connection = state.withLock({ $0.connection }) else { return }
        if loop.isCurrent {
            connection.channel?.close(code, reason: reason)
        } else {
            loop.execute { connection.channel?.close(code, reason: reason) }
        }
    }

    // MARK: For the connection

    func open(_ connection: Connection) { state.withLock { $0.connection = connection } }

    func end() { state.withLock { $0.connection = nil } }
}
