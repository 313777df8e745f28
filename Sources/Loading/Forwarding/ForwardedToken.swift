import Clients
import Locking
import Scheduling

/// One request with a token of another node: it asks for permission, then loads and sends for as long as the grant is
/// valid.
final class ForwardedToken: TokenSending {
    typealias Answer = @Sendable (any TokenSending, TokenRegistry.Outcome) -> Void

    private struct State: Sendable {
        enum Phase: Hashable, Sendable {
            case asking
            case loading
            case sending
            case ended
        }

        var phase = Phase.asking
        /// The end of the grant. Nothing is sent after it.
        var until = Duration.zero
        var load: (any LoadHandle)?
        var answer: Answer?
    }

    let token: Token
    private let loader: any RenditionLoading
    private let forwarding: any SessionForwarding
    private let time: any TimeKeeping
    private let ended: @Sendable (ForwardedToken) -> Void
    private let state: Guarded<State>

    /// - Parameter ended: Called once.
    init(
        _ token: Token, loader: any RenditionLoading, forwarding: any SessionForwarding, time: any TimeKeeping,
        answer: @escaping Answer,
        ended: @escaping @Sendable (ForwardedToken) -> Void
    ) {
        self.token = token
        self.loader = loader
        self.forwarding = forwarding
        self.time = time
        self.ended = ended
        state = Guarded(State(answer: answer))
    }

    // MARK: - From the owner node

    /// The owner node refuses permission.
    func refuse(_ outcome: TokenRegistry.Outcome) { end(with: outcome) }

    func permitted(_ request: LoadRequest, until: Duration, for client: Client) {
        let isWanted = state.withLock { state in
            guard state.phase == .asking else { return false }
            state.phase = .loading
            state.until = until
            return true
        }
        // The client has left meanwhile.
        guard isWanted else { return forwarding.announce(token, ended: .cancelled) }
        let priority = Priority(level: .visible, viewport: .max, distance: 0, flow: Flow(of: client))
        let load: any LoadHandle
        switch loader.load(request, priority: priority, deliver: { [self] in loaded($0) }) {
        case .cached(let bytes): return loaded(.success(.bytes(bytes)))
        case .loading(let handle): load = handle
        }
        let isLate = state.withLock { state in
            guard state.phase != .ended else { return true }
            state.load = load
            return false
        }
        if isLate { load.cancel() }
    }

    /// The owner node has cancelled the token, so it need not be told.
    func revoked() { end(with: .cancelled) }

    func extend(until: Duration) {
        state.withLock { $0.until = max($0.until, until) }
    }

    /// Whether the grant is valid now. A token whose grant has expired ends here.
    func isHeld(at now: Duration) -> Bool {
        let (phase, hasLapsed) = state.withLock { ($0.phase, $0.until < now) }
        guard phase == .loading || phase == .sending else { return false }
        if hasLapsed { end(with: .refused(.unknown)) }
        return !hasLapsed
    }

    // MARK: - Its rendition

    private func loaded(_ result: Result<LoadedContent, LoadFailure>) {
        switch result {
        case .failure(let failure): end(with: .failed(failure), announcing: .failed)
        case .success(let content):
            let now = time.uptime()
            let answer = state.withLock { state -> Answer? in
                guard state.phase == .loading, now < state.until else { return nil }
                state.phase = .sending
                return state.answer.take()
            }
            guard let answer else {
                content.close()
                return end(with: .refused(.unknown), announcing: .failed)
            }
            answer(self, .content(content))
        }
    }

    func mayContinue(_ token: Token) -> Bool {
        let now = time.uptime()
        return state.withLock { $0.phase == .sending && now < $0.until }
    }

    func finish(_ token: Token, _ end: TokenEnd) { self.end(with: .cancelled, announcing: end) }

    /// - Parameters:
    ///   - outcome: The outcome for the request, if it has not been answered yet.
    ///   - tokenEnd: The end to report to the owner node, if that has granted the token.
    private func end(with outcome: TokenRegistry.Outcome, announcing tokenEnd: TokenEnd? = nil) {
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
        if let tokenEnd, before.phase != .asking { forwarding.announce(token, ended: tokenEnd) }
    }
}
