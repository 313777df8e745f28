import Clients
import Dispatch
import Images
import Locking
import Renditions
import Scheduling
import Synchronization

/// The tokens of all sessions, and the loads that stand behind them.
///
/// Issuing a token begins its load at once, so that the request which bears it later only joins. Whatever ends a token
/// (a cancel before, during or after that request, its slot's next token, the end of its session) leaves the load; the
/// last to leave stops the work. All calls are safe from any thread and none blocks.
public final class TokenBook: Sendable {
    private typealias Answer = @Sendable (Outcome) -> Void

    private struct State: Sendable {
        var table: TokenTable
        /// Of each token its loads, one for each rendition: all end with it.
        var loads: [Token: [Rendition: any LoadHandle]] = [:]
        /// What arrived before its request.
        var held: [Token: LoadedContent] = [:]
        var heldBytes = 0
        var heldOriginals = 0
        /// Requests that wait for what has not arrived, and whoever sends for a token without a request.
        var answers: [Token: Answer] = [:]
    }

    /// What an ended token leaves to be done outside the lock.
    private struct Remains: Sendable {
        var loads: [any LoadHandle] = []
        var contents: [LoadedContent] = []
        var answers: [Answer] = []

        mutating func add(_ other: Remains) {
            loads += other.loads
            contents += other.contents
            answers += other.answers
        }

        func clear(with outcome: Outcome) {
            for load in loads { load.cancel() }
            for content in contents { content.close() }
            for answer in answers { answer(outcome) }
        }
    }

    /// Tokens written down without letting others have the lock.
    private static let issuedAtOnce = 64

    public let configuration: Configuration
    private let loader: any RenditionLoading
    private let time: any TimeKeeping
    private let state: Guarded<State>
    private let viewports = Atomic<UInt64>(0)
    // Safe: set up in `init` and cancelled in `deinit`, and Dispatch's own calls are safe from any thread.
    private nonisolated(unsafe) let sweep: any DispatchSourceTimer

    public init(
        configuration: Configuration = Configuration(), loader: any RenditionLoading,
        time: any TimeKeeping = SystemTime()
    ) {
        self.configuration = configuration
        self.loader = loader
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

    /// Gives each slot a new current token and begins its load; the slot's token before is cancelled.
    ///
    /// - Parameters:
    ///   - session: Nil begins a session.
    ///   - client: Who asks: the loads take places of its share, and a session that begins counts for it.
    public func issue(
        _ wishes: [Wish], session: SessionID? = nil, client: Client
    ) -> (session: SessionID, tokens: [Issued]) {
        let id = session ?? SessionID()
        let now = time.uptime()
        let issued = wishes.map { Issued(slot: $0.slot, image: $0.request.image.id, token: Token()) }
        let tokens = issued.map(\.token)
        let viewport = newViewport()
        var remains = Remains()
        // A few at a time: nobody who sends waits for hundreds to be written down.
        for start in stride(from: 0, to: issued.count, by: Self.issuedAtOnce) {
            let part = start..<min(issued.count, start + Self.issuedAtOnce)
            remains.add(
                state.withLock { state in
                    Self.issue(issued[part], wishes[part].map(\.request), in: id, of: client, now: now, &state)
                })
        }
        let flow = Flow(of: client, member: id)
        for (position, (wish, token)) in zip(wishes, tokens).enumerated() {
            let distance = wish.distance ?? UInt32(clamping: abs(2 * position - (wishes.count - 1)) / 2)
            let priority = Priority(
                lane: wish.lane, viewport: viewport, isBrief: wish.request.rendition == .preview, distance: distance,
                flow: flow)
            begin(token, wish.request, priority)
        }
        // Only now: a picture that the slot's new token wants as well keeps its load.
        remains.clear(with: .cancelled)
        return (id, issued)
    }

    /// Cancels tokens of a session. Once this returns, `mayStillSend` is false for each of them. Those that are unknown
    /// or have ended are passed over.
    ///
    /// - Returns: How many this call has cancelled.
    @discardableResult
    public func cancel(_ tokens: [Token], in session: SessionID) -> Int {
        let now = time.uptime()
        let (count, remains) = state.withLock { state -> (Int, Remains) in
            let cancelled = tokens.filter { state.table.cancel($0, in: session, now: now) }
            return (cancelled.count, Self.take(cancelled, from: &state))
        }
        remains.clear(with: .cancelled)
        return count
    }

    /// Whether the session is open: neither closed, nor idle for too long, nor of another run of the server.
    public func isOpen(_ session: SessionID) -> Bool { state.withLock { $0.table.contains(session) } }

    /// Which beginning of the session this is: another number when it was ended, to make room for others, and begun anew.
    /// Nil when it is not open.
    public func generation(of session: SessionID) -> UInt64? { state.withLock { $0.table.generation(of: session) } }

    /// Counts as a use of the session, so that one which only listens is not taken for idle.
    public func keepOpen(_ session: SessionID) {
        let now = time.uptime()
        state.withLock { $0.table.touch(session, now: now) }
    }

    /// Ends a session: all its tokens are cancelled.
    ///
    /// - Returns: How many were alive.
    @discardableResult
    public func close(_ session: SessionID) -> Int {
        let (count, remains) = state.withLock { state -> (Int, Remains) in
            let cancelled = state.table.close(session)
            return (cancelled.count, Self.take(cancelled, from: &state))
        }
        remains.clear(with: .cancelled)
        return count
    }

    // MARK: - For the request that bears a token

    /// A request bears `token` for this picture; `answer` is called exactly once, from any thread, perhaps before this
    /// returns. It must not block.
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
            // Content that came earlier and could not be held is loaded again, from a cache most likely.
            guard let record = state.table.record(of: token), record.life.phase == .loading,
                let request = record.request, let client = state.table.client(of: record.session)
            else { return .wait }
            return .load(request, Flow(of: client, member: record.session))
        }
        switch next {
        case .answer(let outcome): answer(outcome)
        case .wait: break
        case .load(let request, let flow):
            begin(token, request, Priority(lane: .visible, viewport: .max, distance: 0, flow: flow))
        }
    }

    /// Whether bytes of this token may go out: asked before each frame.
    public func mayStillSend(_ token: Token) -> Bool {
        state.withLock { $0.table.phase(of: token) == .sending }
    }

    /// Ends a token whose body has been dealt with: `.delivered` when every byte was handed over, `.cancelled` when the
    /// client went away, `.failed` when the content broke. Does nothing when the token has ended already.
    public func finish(_ token: Token, _ end: TokenEnd) {
        let remains = state.withLock { state -> Remains in
            state.table.end(token, end) ? Self.take([token], from: &state) : Remains()
        }
        remains.clear(with: .cancelled)
    }

    // MARK: - For whoever sends without being asked

    /// Begins a session of a client. It is to be kept open while nothing is issued in it.
    public func open(for client: Client) -> SessionID {
        let id = SessionID()
        let now = time.uptime()
        let remains = state.withLock { Self.take($0.table.open(id, of: client, now: now), from: &$0) }
        remains.clear(with: .cancelled)
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
        let issued = images.map { Issued(slot: $0.slot, image: $0.image, token: Token()) }
        let (remains, generation) = state.withLock { state in
            for issued in issued { state.answers[issued.token] = { _ in cancelled(issued.token) } }
            let remains = Self.issue(issued, images.map { _ in nil }, in: session, of: client, now: now, &state)
            return (remains, state.table.generation(of: session))
        }
        remains.clear(with: .cancelled)
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
        remains.clear(with: .cancelled)
    }

    /// The number of a viewport that is newer than all before; see `Priority`.
    public func newViewport() -> UInt64 { viewports.wrappingAdd(1, ordering: .relaxed).newValue }

    // MARK: - The rest

    /// Ends the sessions that were idle for too long. Called every few seconds by a timer of the book's own.
    func closeIdleSessions() {
        let moment = time.uptime() - configuration.idleTime
        // One at a time: nobody who sends waits for many to be closed.
        while let remains = state.withLock({ state in
            state.table.closeIdle(before: moment).map { Self.take($0, from: &state) }
        }) {
            remains.clear(with: .cancelled)
        }
    }

    public var statistics: TokenStatistics {
        state.withLock {
            var statistics = $0.table.statistics
            statistics.sessions = $0.table.sessionCount
            return statistics
        }
    }

    /// Live and remembered tokens, for the tests.
    var tokenCount: Int { state.withLock { $0.table.recordCount } }

    /// Whether nothing is left in any table but remembered ends, for the tests.
    var holdsNothing: Bool {
        state.withLock { $0.loads.isEmpty && $0.held.isEmpty && $0.answers.isEmpty && $0.heldBytes == 0 }
    }

    // MARK: - Within

    private static func issue(
        _ issued: some Sequence<Issued>, _ requests: [LoadRequest?], in session: SessionID, of client: Client,
        now: Duration,
        _ state: inout State
    ) -> Remains {
        var cancelled = state.table.open(session, of: client, now: now)
        for (issued, request) in zip(issued, requests) {
            cancelled += state.table.issue(
                issued.token, in: session, slot: issued.slot, image: issued.image, request: request)
        }
        return take(cancelled, from: &state)
    }

    private func begin(_ token: Token, _ request: LoadRequest, _ priority: Priority) {
        load(request, for: token, priority: priority) { [weak self] result in self?.loaded(token, result) }
    }

    private func loaded(_ token: Token, _ result: Result<LoadedContent, LoadFailure>) {
        let (answer, outcome, unwanted) = state.withLock { state -> (Answer?, Outcome, LoadedContent?) in
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

    /// Keeps content for its request; gives it back when there is no room.
    private static func hold(
        _ content: LoadedContent, for token: Token, in state: inout State, _ limits: Configuration
    ) -> LoadedContent? {
        // A growing original stays, since its reader keeps the fetch alive; but it is a descriptor, and too dear for many
        // to wait with.
        switch content {
        case .file: return content
        case .bytes(let rendition) where state.heldBytes + rendition.bytes.count > limits.heldBytes: return content
        case .growing where state.heldOriginals >= limits.heldOriginals: return content
        case .growing: state.heldOriginals += 1
        case .bytes: break
        }
        state.held[token] = content
        state.heldBytes += content.heldBytes
        return nil
    }

    private static func takeHeld(_ token: Token, from state: inout State) -> LoadedContent? {
        guard let content = state.held.removeValue(forKey: token) else { return nil }
        state.heldBytes -= content.heldBytes
        if case .growing = content { state.heldOriginals -= 1 }
        return content
    }

    private static func take(_ tokens: [Token], from state: inout State) -> Remains {
        var remains = Remains()
        for token in tokens {
            if let loads = state.loads.removeValue(forKey: token) { remains.loads += loads.values }
            if let content = takeHeld(token, from: &state) { remains.contents.append(content) }
            if let answer = state.answers.removeValue(forKey: token) { remains.answers.append(answer) }
        }
        return remains
    }
}

extension LoadedContent {
    fileprivate var heldBytes: Int {
        if case .bytes(let rendition) = self { return rendition.bytes.count }
        return 0
    }

    /// Lets go of an original that is still arriving.
    func close() {
        if case .growing(let original) = self { original.close() }
    }
}
