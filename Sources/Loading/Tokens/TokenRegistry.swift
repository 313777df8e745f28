import Clients
import Dispatch
import Images
import Locking
import Renditions
import Scheduling
import Synchronization

/// The tokens of all sessions, and their loads.
///
/// Issuing a token starts its load at once, and the request with the token joins that load later. When a token ends (by
/// a cancel before, during or after that request, by its slot's next token, or with its session), it leaves the load;
/// the last waiter to leave stops the load. All calls are safe from any thread and none blocks.
///
/// With several nodes, this registry owns the sessions with its node's tag. When a request with one of its tokens
/// arrives at another node, that node answers it: see ``grantForwarding(_:image:rendition:to:)``.
public final class TokenRegistry: TokenSending {
    typealias Answer = @Sendable (Outcome) -> Void

    struct State: Sendable {
        var table: TokenTable
        /// The load of each live token, until the token ends.
        var loads: [Token: any LoadHandle] = [:]
        /// Content that arrived before its request.
        var held: [Token: LoadedContent] = [:]
        var heldBytes = 0
        var heldOriginals = 0
        /// The callbacks of requests waiting for content, and of senders without requests.
        var answers: [Token: Answer] = [:]
        /// Live tokens for which other nodes answer the requests.
        var grants = ForwardingGrantTable()
        /// For each session, how many ended tokens another node may still be sending.
        var revocations: [SessionID: Revocations] = [:]
    }

    /// What remains to be done for ended tokens outside the lock.
    struct Cleanup: Sendable {
        var loads: [any LoadHandle] = []
        var contents: [LoadedContent] = []
        var answers: [Answer] = []
        var revocations: [(token: Token, grant: ForwardingGrantTable.Grant)] = []

        mutating func add(_ other: Cleanup) {
            loads += other.loads
            contents += other.contents
            answers += other.answers
            revocations += other.revocations
        }
    }

    /// How many tokens to add before releasing the lock to other threads.
    private static let issuedAtOnce = 64

    public let configuration: Configuration
    /// The tag in its sessions and tokens.
    public let node: NodeTag
    let loader: any RenditionLoading
    let forwarding: any SessionForwarding
    let time: any TimeKeeping
    let state: Guarded<State>
    private let viewports = Atomic<UInt64>(0)
    // Safe: set up in `init` and cancelled in `deinit`, and Dispatch's own calls are safe from any thread.
    private nonisolated(unsafe) let sweep: any DispatchSourceTimer

    /// - Parameter forwarding: Reaches the other nodes.
    public init(
        configuration: Configuration = Configuration(), node: NodeTag = NodeTag(), loader: any RenditionLoading,
        forwarding: any SessionForwarding = SingleNode(), time: any TimeKeeping = SystemTime()
    ) {
        self.configuration = configuration
        self.node = node
        self.loader = loader
        self.forwarding = forwarding
        self.time = time
        let limits = TokenTable.Limits(
            sessions: configuration.maximumSessions, sessionsPerClient: configuration.maximumSessionsPerClient,
            tokensPerClient: configuration.maximumTokensPerClient, liveTokensPerSession: configuration.maximumTokens,
            endedTokensPerSession: configuration.rememberedTokens, tokensInAll: configuration.maximumTokensInAll)
        state = Guarded(State(table: TokenTable(limits: limits)))
        sweep = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "tessera.tokens"))
        sweep.setEventHandler { [weak self] in self?.closeIdleSessions() }
        sweep.schedule(deadline: .now() + 5, repeating: 5, leeway: .seconds(1))
        sweep.resume()
    }

    deinit { sweep.cancel() }

    // MARK: - For the client

    /// Gives each slot a new current token and starts its load. The slot's previous token is cancelled.
    ///
    /// - Parameters:
    ///   - session: Nil begins a session.
    ///   - client: The client that makes the requests. The loads count towards its fair share, and a new session
    ///     belongs to it.
    public func issue(
        _ tokenRequests: [TokenRequest], session: SessionID? = nil, client: Client
    ) -> (session: SessionID, tokens: [Issued]) {
        let id = session ?? SessionID(of: node)
        let now = time.uptime()
        let issued = tokenRequests.map { Issued(slot: $0.slot, image: $0.request.image.id, token: Token(of: node)) }
        let tokens = issued.map(\.token)
        let viewport = newViewport()
        var cleanup = Cleanup()
        // In small batches, so that senders need not wait for hundreds of additions.
        for start in stride(from: 0, to: issued.count, by: Self.issuedAtOnce) {
            let part = start..<min(issued.count, start + Self.issuedAtOnce)
            cleanup.add(
                state.withLock { state in
                    Self.issue(issued[part], tokenRequests[part].map(\.request), in: id, of: client, now: now, &state)
                })
        }
        let flow = Flow(of: client, member: id)
        for (position, (tokenRequest, token)) in zip(tokenRequests, tokens).enumerated() {
            let distance = tokenRequest.distance ?? UInt32(clamping: abs(2 * position - (tokenRequests.count - 1)) / 2)
            let priority = Priority(
                level: tokenRequest.level, viewport: viewport, isBrief: tokenRequest.request.rendition == .preview,
                distance: distance,
                flow: flow)
            begin(token, tokenRequest.request, priority)
        }
        // Clear only now: if the slot's new token is for the same image, the load continues.
        clear(cleanup)
        return (id, issued)
    }

    /// Cancels tokens of a session. Once this returns, `mayContinue` is false for each of them. Ignores unknown and
    /// ended tokens.
    ///
    /// - Returns: The number of tokens this call has cancelled.
    @discardableResult
    public func cancel(_ tokens: [Token], in session: SessionID) -> Int {
        let now = time.uptime()
        let (count, cleanup) = state.withLock { state -> (Int, Cleanup) in
            let cancelled = tokens.filter { state.table.cancel($0, in: session, now: now) }
            return (cancelled.count, Self.take(cancelled, from: &state))
        }
        clear(cleanup)
        return count
    }

    /// Whether the session is open: not closed, not idle for too long, and begun by this run of the server.
    public func isOpen(_ session: SessionID) -> Bool { state.withLock { $0.table.contains(session) } }

    /// The generation of the session. It changes when the session is ended to make room and then begun again. Nil when
    /// the session is not open.
    public func generation(of session: SessionID) -> UInt64? { state.withLock { $0.table.generation(of: session) } }

    /// Counts as a use of the session, so that a client that only listens does not become idle.
    public func keepOpen(_ session: SessionID) {
        let now = time.uptime()
        state.withLock { $0.table.touch(session, now: now) }
    }

    /// Ends a session and cancels all its tokens.
    ///
    /// - Returns: The number of live tokens it had.
    @discardableResult
    public func close(_ session: SessionID) -> Int {
        let (count, cleanup) = state.withLock { state -> (Int, Cleanup) in
            let cancelled = state.table.close(session)
            return (cancelled.count, Self.take(cancelled, from: &state))
        }
        clear(cleanup)
        return count
    }

    // MARK: - For the request with a token

    /// Claims a token for a request for this image. `answer` is called exactly once, from any thread, perhaps before
    /// this returns. It must not block.
    public func claim(
        _ token: Token, image: ImageID, rendition: Rendition, answer: @escaping @Sendable (Outcome) -> Void
    ) {
        enum Next {
            case answer(Outcome)
            case wait
            case load(LoadRequest, Flow)
        }
        let now = time.uptime()
        let next = state.withLock { state -> Next in
            switch state.table.claim(token, image: image, rendition: rendition, now: now) {
            case .cancelled: return .answer(.cancelled)
            case .failed(let failure): return .answer(.failed(failure))
            case .refused(let refusal): return .answer(.refused(refusal))
            case .accepted: break
            }
            if let content = Self.takeHeld(token, from: &state) {
                return .answer(state.table.send(token) ? .content(content) : .cancelled)
            }
            state.answers[token] = answer
            // Content that arrived earlier but could not be held is loaded again, most likely from a cache.
            guard let record = state.table.record(of: token), record.life.phase == .loading,
                let request = record.request, let client = state.table.client(of: record.session)
            else { return .wait }
            return .load(request, Flow(of: client, member: record.session))
        }
        switch next {
        case .answer(let outcome): answer(outcome)
        case .wait: break
        case .load(let request, let flow):
            begin(token, request, Priority(level: .visible, viewport: .max, distance: 0, flow: flow))
        }
    }

    /// Whether bytes of this token may be sent. Ask before each frame.
    public func mayContinue(_ token: Token) -> Bool {
        state.withLock { $0.table.phase(of: token) == .sending }
    }

    /// Ends a token whose response is over: `.delivered` when every byte was handed to the connection, `.cancelled`
    /// when the client disconnected, `.failed` when the content broke. Does nothing when the token has already ended.
    public func finish(_ token: Token, _ end: TokenEnd) {
        let cleanup = state.withLock { state -> Cleanup in
            state.table.end(token, end) ? Self.take([token], from: &state) : Cleanup()
        }
        clear(cleanup)
    }

    // MARK: - Viewports, idle sessions, statistics

    /// A viewport number higher than all earlier ones; see `Priority`.
    public func newViewport() -> UInt64 { viewports.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Ends the sessions that were idle for too long, and expired grants. The registry's own timer calls this every few
    /// seconds.
    func closeIdleSessions() {
        endLapsedGrants()
        let moment = time.uptime() - configuration.idleTime
        // One at a time, so that senders need not wait until many sessions are closed.
        while let cleanup = state.withLock({ state in
            state.table.closeIdle(before: moment).map { Self.take($0, from: &state) }
        }) {
            clear(cleanup)
        }
    }

    public var statistics: TokenStatistics {
        state.withLock {
            var statistics = $0.table.statistics
            statistics.sessions = $0.table.sessionCount
            return statistics
        }
    }

    // MARK: - Internals

    static func issue(
        _ issued: some Sequence<Issued>, _ requests: [LoadRequest?], in session: SessionID, of client: Client,
        now: Duration,
        _ state: inout State
    ) -> Cleanup {
        var cancelled = state.table.open(session, of: client, now: now)
        for (issued, request) in zip(issued, requests) {
            cancelled += state.table.issue(
                issued.token, in: session, slot: issued.slot, image: issued.image, request: request)
        }
        return take(cancelled, from: &state)
    }

    private func begin(_ token: Token, _ request: LoadRequest, _ priority: Priority) {
        let start = loader.load(request, priority: priority) { [weak self] result in self?.loaded(token, result) }
        switch start {
        case .cached(let bytes): loaded(token, .success(.bytes(bytes)))
        case .loading(let load):
            let unwanted = state.withLock { state -> (any LoadHandle)? in
                guard state.table.record(of: token)?.life.isLive == true else { return load }
                _ = state.table.queue(token)
                return state.loads.updateValue(load, forKey: token)
            }
            unwanted?.cancel()
        }
    }

    private func loaded(_ token: Token, _ result: Result<LoadedContent, LoadFailure>) {
        let (answer, outcome, unwanted) = state.withLock { state -> (Answer?, Outcome, LoadedContent?) in
            // The node that answers this token loads the rendition itself, and reports how the token ended.
            if state.grants[token] != nil { return (nil, .cancelled, try? result.get()) }
            switch result {
            case .failure(let failure):
                guard state.table.end(token, .failed, failure: failure) else { return (nil, .cancelled, nil) }
                state.loads[token] = nil
                return (state.answers.removeValue(forKey: token), .failed(failure), nil)
            case .success(let content):
                if let answer = state.answers.removeValue(forKey: token) {
                    return state.table.send(token) ? (answer, .content(content), nil) : (answer, .cancelled, content)
                }
                guard state.table.load(token) else { return (nil, .cancelled, content) }
                return (nil, .cancelled, Self.hold(content, for: token, in: &state, configuration))
            }
        }
        unwanted?.close()
        answer?(outcome)
    }

    /// Holds content for its request. Returns the content if there is no room.
    private static func hold(
        _ content: LoadedContent, for token: Token, in state: inout State, _ limits: Configuration
    ) -> LoadedContent? {
        // A partial original is held, because its reader keeps the fetch alive. The number is limited, because each
        // uses a descriptor.
        switch content {
        case .file: return content
        case .bytes(let rendition) where state.heldBytes + rendition.bytes.count > limits.heldBytes: return content
        case .partial where state.heldOriginals >= limits.heldOriginals: return content
        case .partial: state.heldOriginals += 1
        case .bytes: break
        }
        state.held[token] = content
        state.heldBytes += content.heldBytes
        return nil
    }

    static func takeHeld(_ token: Token, from state: inout State) -> LoadedContent? {
        guard let content = state.held.removeValue(forKey: token) else { return nil }
        state.heldBytes -= content.heldBytes
        if case .partial = content { state.heldOriginals -= 1 }
        return content
    }

    static func take(_ tokens: [Token], from state: inout State) -> Cleanup {
        var cleanup = Cleanup()
        for token in tokens {
            if let grant = state.grants.remove(token) {
                state.revocations[grant.session, default: Revocations()].count += 1
                cleanup.revocations.append((token, grant))
            }
            if let load = state.loads.removeValue(forKey: token) { cleanup.loads.append(load) }
            if let content = takeHeld(token, from: &state) { cleanup.contents.append(content) }
            if let answer = state.answers.removeValue(forKey: token) { cleanup.answers.append(answer) }
        }
        return cleanup
    }

    /// Finishes the work that ended tokens have left.
    func clear(_ cleanup: Cleanup) {
        for load in cleanup.loads { load.cancel() }
        for content in cleanup.contents { content.close() }
        for answer in cleanup.answers { answer(.cancelled) }
        for (token, grant) in cleanup.revocations { revoke(token, grant) }
    }
}

extension LoadedContent {
    fileprivate var heldBytes: Int {
        if case .bytes(let rendition) = self { return rendition.bytes.count }
        return 0
    }

    /// Closes an original that is still arriving.
    func close() {
        if case .partial(let original) = self { original.close() }
    }
}
