import Clients
import Images
import Locking
import Scheduling

/// For whoever sends without being asked, as a stream does: no request bears these tokens.
extension TokenBook {
    /// Begins a session of a client. It is to be kept open while nothing is issued in it.
    public func open(for client: Client) -> SessionID {
        let id = SessionID(of: node)
        let now = time.uptime()
        let remains = state.withLock { Self.take($0.table.open(id, of: client, now: now), from: &$0) }
        clear(remains)
        return id
    }

    /// Gives each slot a new current token that no request bears: the caller loads and sends for it. The slot's token
    /// before is cancelled.
    ///
    /// - Parameters:
    ///   - client: For whom the session counts if it has to be begun anew.
    ///   - cancelled: Called for a token that ends without the caller's doing, at most once and from any thread.
    ///     It must not block.
    /// - Returns: The tokens, and the generation of the session that they are of.
    public func issue(
        showing images: [(slot: Int, image: ImageID)], session: SessionID, client: Client,
        cancelled: @escaping @Sendable (Token) -> Void
    ) -> (tokens: [Issued], generation: UInt64?) {
        let now = time.uptime()
        let issued = images.map { Issued(slot: $0.slot, image: $0.image, token: Token(of: node)) }
        let (remains, generation) = state.withLock { state in
            for issued in issued { state.answers[issued.token] = { _ in cancelled(issued.token) } }
            let remains = Self.issue(issued, images.map { _ in nil }, in: session, of: client, now: now, &state)
            return (remains, state.table.generation(of: session))
        }
        clear(remains)
        return (issued, generation)
    }

    /// Begins one more load for a token, cancelled with it. The load of the same rendition before is left.
    ///
    /// - Parameter deliver: as of ``RenditionLoading/load(_:priority:deliver:)``.
    /// - Returns: The load, to steer it; nil when the token has ended.
    @discardableResult
    public func load(
        _ request: LoadRequest, for token: Token, priority: Priority,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
    ) -> (any LoadHandle)? {
        let load = loader.load(request, priority: priority, deliver: deliver)
        let (isWanted, before) = state.withLock { state -> (Bool, (any LoadHandle)?) in
            guard state.table.record(of: token)?.life.isLive == true else { return (false, nil) }
            _ = state.table.queue(token)
            return (true, state.loads[token, default: [:]].updateValue(load, forKey: request.rendition))
        }
        before?.cancel()
        guard isWanted else {
            load.cancel()
            return nil
        }
        return load
    }

    /// Whether the next message for a token may go out, asked right before it. From the first on the token is `sending`.
    public func maySend(_ token: Token) -> Bool {
        state.withLock { $0.table.phase(of: token) == .sending || $0.table.send(token) }
    }

    /// Ends tokens whose owner has dealt with them, which it knows without being told.
    public func end(_ tokens: [Token], _ end: TokenEnd) {
        guard !tokens.isEmpty else { return }
        let remains = state.withLock { state -> Remains in
            for token in tokens { state.answers[token] = nil }
            return Self.take(tokens.filter { state.table.end($0, end) }, from: &state)
        }
        clear(remains)
    }
}
