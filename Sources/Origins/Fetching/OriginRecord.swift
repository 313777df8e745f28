/// What a fetcher remembers of one origin while it matters.
struct OriginRecord {
    var circuit: Circuit
    /// How many requests it bears at a time.
    var window: ConcurrencyWindow
    /// When it answered last.
    var answered: ContinuousClock.Instant?
    /// Whether it has answered nothing for as long as an answer may take.
    var isSilent = false
    /// Fetches in the line for a place.
    var waiting: Set<ObjectIdentifier> = []
    /// Transfers under way.
    var holding = 0
    /// Those of them whose answer has begun.
    var answering = 0
    /// No transfer starts before this, by the rate limit.
    var restsUntil: ContinuousClock.Instant?

    /// Whether nobody uses it and nobody is kept away by it.
    func isIdle(now: ContinuousClock.Instant) -> Bool {
        waiting.isEmpty && holding == 0 && circuit.suspension(now: now) == nil && (restsUntil ?? now) <= now
    }

    /// Whether nothing would be lost by forgetting it.
    func isForgettable(now: ContinuousClock.Instant) -> Bool {
        waiting.isEmpty && holding == 0 && circuit.isPristine && window.isPristine && (restsUntil ?? now) <= now
    }

    /// How many places it may hold, given how many are free; nil for no limit of its own.
    func limit(free: Int, now: ContinuousClock.Instant) -> Int? {
        if let restsUntil, now < restsUntil { return 0 }
        // One finds out how an origin does that was left alone; the others wait for it.
        if !circuit.isClosed { return 1 }
        // Those that wait for an answer find out of a silent one: who begins now would wait in vain for as long as they did.
        let unanswered = holding - answering
        if isSilent, unanswered > 0, circuit.opens(afterFailures: unanswered) { return 1 }
        guard holding > 0 else { return nil }
        return holding < free ? holding + 1 : holding
    }
}
