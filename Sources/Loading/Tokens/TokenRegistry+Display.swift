import Clients
import Images
import Locking

/// Tokens without requests, for a sender such as the viewport stream that sends renditions unasked.
extension TokenRegistry {
    /// Begins a session of a client. Call ``keepOpen(_:)`` to keep it open while no tokens are issued in it.
    public func open(for client: Client) -> SessionID {
        let id = SessionID(of: node)
        let now = time.uptime()
        let cleanup = state.withLock { Self.take($0.table.open(id, of: client, now: now), from: &$0) }
        clear(cleanup)
        return id
    }

    /// Gives each slot a new current token without a request: the caller loads and sends the rendition. The slot's
    /// previous token is cancelled.
    ///
    /// - Parameters:
    ///   - client: The client that a session belongs to if it must be begun again.
    ///   - cancelled: Called when a token ends for a reason outside the caller, at most once and from any thread. It
    ///     must not block.
    /// - Returns: The tokens, and the generation of their session.
    public func issue(
        displaying images: [(slot: Int, image: ImageID)], session: SessionID, client: Client,
        cancelled: @escaping @Sendable (Token) -> Void
    ) -> (tokens: [Issued], generation: UInt64?) {
        let now = time.uptime()
        let issued = images.map { Issued(slot: $0.slot, image: $0.image, token: Token(of: node)) }
        let (cleanup, generation) = state.withLock { state in
            for issued in issued { state.answers[issued.token] = { _ in cancelled(issued.token) } }
            let cleanup = Self.issue(issued, images.map { _ in nil }, in: session, of: client, now: now, &state)
            return (cleanup, state.table.generation(of: session))
        }
        clear(cleanup)
        return (issued, generation)
    }

    /// Whether the next message for a token may be sent. Ask right before each one. After the first call the token is
    /// `sending`.
    public func maySend(_ token: Token) -> Bool {
        state.withLock { $0.table.phase(of: token) == .sending || $0.table.send(token) }
    }

    /// Ends tokens that the caller is done with. The caller's closures are not called for them.
    public func end(_ tokens: [Token], _ end: TokenEnd) {
        guard !tokens.isEmpty else { return }
        let cleanup = state.withLock { state -> Cleanup in
            for token in tokens { state.answers[token] = nil }
            return Self.take(tokens.filter { state.table.end($0, end) }, from: &state)
        }
        clear(cleanup)
    }
}
