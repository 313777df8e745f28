/// Whether an origin is fit to be asked. After a run of failures in which it never so much as answered, it is left
/// alone for a while; then one fetch probes it, and its fate decides for the others.
struct Circuit: Sendable {
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
    ///   - suspension: For how long the origin is left alone the first time.
    ///   - doublings: How often that doubles, once with each failed probe.
    init(threshold: Int, suspension: Duration, doublings: Int = 3) {
        self.threshold = max(1, threshold)
        self.suspension = suspension
        self.doublings = doublings
    }

    enum Answer: Equatable {
        case ask
        /// Nobody may ask before this long.
        case suspended(Duration)
        /// Somebody is finding out.
        case probing
    }

    /// Whether an attempt may start now. `.ask` from a suspended origin makes that attempt the probe.
    mutating func mayAsk(now: Instant) -> Answer {
        switch state {
        case .closed: return .ask
        case .open(let until, _) where now < until: return .suspended(now.duration(to: until))
        case .open(_, let times):
            state = .probing(times: times)
            return .ask
        case .probing: return .probing
        }
    }

    /// How long the origin is still left alone; nil if it is not.
    func suspension(now: Instant) -> Duration? {
        guard case .open(let until, _) = state, now < until else { return nil }
        return now.duration(to: until)
    }

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Whether it is as new.
    var isPristine: Bool {
        if case .closed(failures: 0) = state { true } else { false }
    }

    /// Whether it is left alone when so many more attempts fail.
    func opens(afterFailures more: Int) -> Bool {
        if case .closed(let failures) = state { failures + more >= threshold } else { false }
    }

    /// The origin answered, whatever it said.
    mutating func answered() {
        state = .closed(failures: 0)
    }

    /// An attempt ended without an answer. True if the origin is to be left alone from now on.
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
            // An attempt from before: it says nothing new.
            return false
        }
        return true
    }

    /// The probe ended by a cancel: nothing was learnt, and the next one to come may try.
    mutating func abandonedProbe(now: Instant) {
        if case .probing(let times) = state { state = .open(until: now, times: times) }
    }
}
