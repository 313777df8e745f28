/// When a store that keeps loads waiting is looked at no more: after some looks in a row that it did not answer in time, and
/// then for a while. The next look afterwards tells whether it is itself again.
struct LookPace: Sendable {
    private static let mostLate = 3
    private static let rest = Duration.seconds(5)
    /// What is late together was sent together, and counts once: at first all wait for one handshake.
    private static let burst = Duration.milliseconds(200)

    private var late = 0
    private var lastLate: ContinuousClock.Instant?
    private var restsUntil: ContinuousClock.Instant?

    /// Whether to look now.
    mutating func mayLook(now: ContinuousClock.Instant) -> Bool {
        guard let end = restsUntil else { return true }
        guard now >= end else { return false }
        // One look alone: the others wait for what it tells.
        restsUntil = now + Self.rest
        return true
    }

    mutating func wasAnswered() {
        late = 0
        restsUntil = nil
    }

    mutating func wasLate(now: ContinuousClock.Instant) {
        if let lastLate, lastLate.duration(to: now) < Self.burst { return }
        lastLate = now
        late += 1
        if late >= Self.mostLate { restsUntil = now + Self.rest }
    }
}
