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
///
/// Where there are several nodes, this is the home of the sessions that bear its tag. A token whose request comes to another
/// node is lent to it: see ``lend(_:image:rendition:to:)``.
public final class TokenBook: TokenSending {
    typealias Answer = @Sendable (Outcome) -> Void

    struct State: Sendable {
        var table: TokenTable
        /// Of each token its loads, one for each rendition: all end with it.
        var loads: [Token: [Rendition: any LoadHandle]] = [:]
        /// What arrived before its request.
        var held: [Token: LoadedContent] = [:]
        var heldBytes = 0
        var heldOriginals = 0
        /// Requests that wait for what has not arrived, and whoever sends for a token without a request.
        var answers: [Token: Answer] = [:]
        /// Live tokens that other nodes bear requests for.
        var loans: [Token: Loan] = [:]
        /// Of each session the tokens that have ended while another node had them, and may still be sent there.
        var recalls: [SessionID: Recalls] = [:]
    }

    /// What an ended token leaves to be done outside the lock.
    struct Remains: Sendable {
        var loads: [any LoadHandle] = []
        var contents: [LoadedContent] = []
        var answers: [Answer] = []
        var recalls: [(token: Token, loan: Loan)] = []

        mutating func add(_ other: Remains) {
            loads += other.loads
            contents += other.contents
            answers += other.answers
            recalls += other.recalls
        }
    }

    /// Tokens written down without letting others have the lock.
    private static let issuedAtOnce = 64

    public let configuration: Configuration
    /// What its sessions and tokens say that they are of.
    public let node: NodeTag
    let loader: any RenditionLoading
    let relay: any SessionRelaying
    let time: any TimeKeeping
    let state: Guarded<State>
    private let viewports = Atomic<UInt64>(0)
    // Safe: set up in `init` and cancelled in `deinit`, and Dispatch's own calls are safe from any thread.
    private nonisolated(unsafe) let sweep: any DispatchSourceTimer

    /// - Parameter relay: Reaches the other nodes.
    public init(
        configuration: Configuration = Configuration(), node: NodeTag = NodeTag(), loader: any RenditionLoading,
        relay: any SessionRelaying = Alone(), time: any TimeKeeping = SystemTime()
    ) {
        self.configuration = configuration
        self.node = node
        self.loader = loader
        self.relay = relay
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
        let id = session ?? SessionID(of: node)
        let now = time.uptime()
        let issued = wishes.map { Issued(slot: $0.slot, image: $0.request.image.id, token: Token(of: node)) }
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
        clear(remains)
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
        clear(remains)
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
        clear(remains)
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
        clear(remains)
    }

    // MARK: - The rest

    /// The number of a viewport that is newer than all before; see `Priority`.
    public func newViewport() -> UInt64 { viewports.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Ends the sessions that were idle for too long, and loans that nobody renews. Called every few seconds by a timer of the book's own.
    func closeIdleSessions() {
        endLapsedLoans()
        let moment = time.uptime() - configuration.idleTime
        // One at a time: nobody who sends waits for many to be closed.
        while let remains = state.withLock({ state in
            state.table.closeIdle(before: moment).map { Self.take($0, from: &state) }
        }) {
            clear(remains)
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
        state.withLock {
            $0.loads.isEmpty && $0.held.isEmpty && $0.answers.isEmpty && $0.heldBytes == 0 && $0.loans.isEmpty
                && $0.recalls.isEmpty
        }
    }

    // MARK: - Within

    static func issue(
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
            // The node that has it on loan loads for itself, and says how it ended.
            if state.loans[token] != nil { return (nil, .cancelled, try? result.get()) }
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

    static func takeHeld(_ token: Token, from state: inout State) -> LoadedContent? {
        guard let content = state.held.removeValue(forKey: token) else { return nil }
        state.heldBytes -= content.heldBytes
        if case .growing = content { state.heldOriginals -= 1 }
        return content
    }

    static func take(_ tokens: [Token], from state: inout State) -> Remains {
        var remains = Remains()
        for token in tokens {
            if let loan = state.loans.removeValue(forKey: token) {
                state.recalls[loan.session, default: Recalls()].count += 1
                remains.recalls.append((token, loan))
            }
            if let loads = state.loads.removeValue(forKey: token) { remains.loads += loads.values }
            if let content = takeHeld(token, from: &state) { remains.contents.append(content) }
            if let answer = state.answers.removeValue(forKey: token) { remains.answers.append(answer) }
        }
        return remains
    }

    /// Does what ended tokens have left to be done.
    func clear(_ remains: Remains) {
        for load in remains.loads { load.cancel() }
        for content in remains.contents { content.close() }
        for answer in remains.answers { answer(.cancelled) }
        for (token, loan) in remains.recalls { recall(token, loan) }
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
