/// A circuit breaker for a slow store: after several consecutive timeouts, lookups pause for a while. The next lookup
/// after that shows whether the store has recovered.
struct TierBackoff: Sendable {
    private static let maximumLate = 3
    private static let rest = Duration.seconds(5)
    /// Timeouts this close together count once: their lookups were sent together, and at first all wait for one
    /// handshake.
    private static let burst = Duration.milliseconds(200)

    private var late = 0
    private var lastLate: ContinuousClock.Instant?
    private var restsUntil: ContinuousClock.Instant?

    /// Whether a lookup may be sent now.
    mutating func mayTry(now: ContinuousClock.Instant) -> Bool {
        guard let end = restsUntil else { return true }
        guard now >= end else { return false }
        // A single probe; the others wait for its outcome.
        restsUntil = now + Self.rest
        return true
    }

    mutating func succeeded() {
        late = 0
        restsUntil = nil
    }

    mutating func timedOut(now: ContinuousClock.Instant) {
        if let lastLate, lastLate.duration(to: now) < Self.burst { return }
        lastLate = now
        late += 1
        if late >= Self.maximumLate { restsUntil = now + Self.rest }
    }
}
