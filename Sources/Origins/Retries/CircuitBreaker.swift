/// A circuit breaker for an origin. After a run of failures without any response the origin is suspended for a while;
/// then one fetch probes it, and its result decides for the others.
struct CircuitBreaker: Sendable {
    typealias Instant = ContinuousClock.Instant

    private enum State {
        case closed(failures: Int)
        case open(until: Instant, times: Int)
        case probing(times: Int)
    }

    private let threshold: Int
    private let suspension: Duration
    private let doublings: Int
    private var state = State.closed(failures: 0)

    /// - Parameters:
    ///   - suspension: The duration of the first suspension.
    ///   - doublings: How often that doubles, once with each failed probe.
    init(threshold: Int, suspension: Duration, doublings: Int = 3) {
        self.threshold = max(1, threshold)
        self.suspension = suspension
        self.doublings = doublings
    }

    enum Decision: Equatable {
        case proceed
        /// No attempt may start for this long.
        case suspended(Duration)
        /// A probe is running.
        case probing
    }

    /// Whether an attempt may start now. `.ask` after a suspension makes that attempt the probe.
    mutating func decide(now: Instant) -> Decision {
        switch state {
        case .closed: return .proceed
        case .open(let until, _) where now < until: return .suspended(now.duration(to: until))
        case .open(_, let times):
            state = .probing(times: times)
            return .proceed
        case .probing: return .probing
        }
    }

    /// The rest of the suspension; nil if the origin is not suspended.
    func suspension(now: Instant) -> Duration? {
        guard case .open(let until, _) = state, now < until else { return nil }
        return now.duration(to: until)
    }

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Whether it is in its initial state.
    var isPristine: Bool {
        if case .closed(failures: 0) = state { true } else { false }
    }

    /// Whether this many more failures would suspend the origin.
    func opens(afterFailures more: Int) -> Bool {
        if case .closed(let failures) = state { failures + more >= threshold } else { false }
    }

    /// The origin responded, with any status.
    mutating func answered() {
        state = .closed(failures: 0)
    }

    /// An attempt ended without a response.
    ///
    /// - Returns: Whether the origin is suspended from now on.
    mutating func failed(now: Instant) -> Bool {
        switch state {
        case .closed(let failures) where failures + 1 < threshold:
            state = .closed(failures: failures + 1)
            return false
        case .closed:
            state = .open(until: now + suspension, times: 1)
        case .probing(let times):
            state = .open(until: now + suspension * (1 << min(times, doublings)), times: times + 1)
        case .open:
            // An attempt from before the suspension, which says nothing new.
            return false
        }
        return true
    }

    /// The probe was cancelled without a result, so the next fetch may probe.
    mutating func abandonedProbe(now: Instant) {
        if case .probing(let times) = state { state = .open(until: now, times: times) }
    }
}
