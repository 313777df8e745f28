import Clients
import Locking
import Scheduling

/// One request for a token of another node: asked for, then loaded and sent for as long as the loan is good.
final class BorrowedToken: TokenSending {
    typealias Answer = @Sendable (any TokenSending, TokenBook.Outcome) -> Void

    private struct State: Sendable {
        enum Phase: Hashable, Sendable {
            case asking
            case loading
            case sending
            case ended
        }

        var phase = Phase.asking
        /// Nothing is sent after this.
        var until = Duration.zero
        var load: (any LoadHandle)?
        var answer: Answer?
    }

    let token: Token
    private let loader: any RenditionLoading
    private let relay: any SessionRelaying
    private let time: any TimeKeeping
    private let ended: @Sendable (BorrowedToken) -> Void
    private let state: Guarded<State>

    /// - Parameter ended: Called once.
    init(
        _ token: Token, loader: any RenditionLoading, relay: any SessionRelaying, time: any TimeKeeping,
        answer: @escaping Answer,
        ended: @escaping @Sendable (BorrowedToken) -> Void
    ) {
        self.token = token
        self.loader = loader
        self.relay = relay
        self.time = time
        self.ended = ended
        state = Guarded(State(answer: answer))
    }

    // MARK: - What its home says

    /// Its home does not lend it.
    func refuse(_ outcome: TokenBook.Outcome) { end(with: outcome) }

    func lent(_ request: LoadRequest, until: Duration, for client: Client) {
        let isWanted = state.withLock { state in
            guard state.phase == .asking else { return false }
            state.phase = .loading
            state.until = until
            return true
        }
        // The client has left meanwhile.
        guard isWanted else { return relay.tell(token, ended: .cancelled) }
        let priority = Priority(lane: .visible, viewport: .max, distance: 0, flow: Flow(of: client))
        let load = loader.load(request, priority: priority) { [self] in loaded($0) }
        let isLate = state.withLock { state in
            guard state.phase != .ended else { return true }
            state.load = load
            return false
        }
        if isLate { load.cancel() }
    }

    /// Its home has cancelled it, and knows.
    func recalled() { end(with: .cancelled) }

    func extend(until: Duration) {
        state.withLock { $0.until = max($0.until, until) }
    }

    /// Whether it is on loan now; one whose loan has lapsed ends.
    func isHeld(at now: Duration) -> Bool {
        let (phase, hasLapsed) = state.withLock { ($0.phase, $0.until < now) }
        guard phase == .loading || phase == .sending else { return false }
        if hasLapsed { end(with: .refused(.unknown)) }
        return !hasLapsed
    }

    // MARK: - Its picture

    private func loaded(_ result: Result<LoadedContent, LoadFailure>) {
        switch result {
        case .failure(let failure): end(with: .failed(failure), telling: .failed)
        case .success(let content):
            let now = time.uptime()
            let answer = state.withLock { state -> Answer? in
                guard state.phase == .loading, now < state.until else { return nil }
                state.phase = .sending
                return state.answer.take()
            }
            guard let answer else {
                content.close()
                return end(with: .refused(.unknown), telling: .failed)
            }
            answer(self, .content(content))
        }
    }

    func mayStillSend(_ token: Token) -> Bool {
        let now = time.uptime()
        return state.withLock { $0.phase == .sending && now < $0.until }
    }

    func finish(_ token: Token, _ end: TokenEnd) { self.end(with: .cancelled, telling: end) }

    /// - Parameters:
    ///   - outcome: For the request, if it has not been answered yet.
    ///   - told: What its home is told, if that has lent it.
    private func end(with outcome: TokenBook.Outcome, telling told: TokenEnd? = nil) {
        let before = state.withLock { state -> State? in
            guard state.phase != .ended else { return nil }
            let before = state
            state = State(phase: .ended)
            return before
        }
        guard let before else { return }
        ended(self)
        before.load?.cancel()
        before.answer?(self, outcome)
        if let told, before.phase != .asking { relay.tell(token, ended: told) }
    }
}
