/// What a fetcher remembers about an origin while it matters.
struct OriginState {
    var circuitBreaker: CircuitBreaker
    /// The number of concurrent requests.
    var window: ConcurrencyWindow
    /// When it last responded.
    var answered: ContinuousClock.Instant?
    /// Whether a request got no response within its timeout, and none has arrived since.
    var isSilent = false
    /// Fetches in the queue for permits.
    var waiting: Set<ObjectIdentifier> = []
    /// Transfers in flight.
    var holding = 0
    /// Transfers in flight whose response has begun.
    var answering = 0
    /// No transfer may start before this, because of the rate limit.
    var restsUntil: ContinuousClock.Instant?

    /// Whether it has no fetches and is not suspended.
    func isIdle(now: ContinuousClock.Instant) -> Bool {
        waiting.isEmpty && holding == 0 && circuitBreaker.suspension(now: now) == nil && (restsUntil ?? now) <= now
    }

    /// Whether nothing is lost by forgetting it.
    func isForgettable(now: ContinuousClock.Instant) -> Bool {
        waiting.isEmpty && holding == 0 && circuitBreaker.isPristine && window.isPristine && (restsUntil ?? now) <= now
    }

    /// The maximum number of permits, given how many are free; nil for no limit of its own.
    func limit(free: Int, now: ContinuousClock.Instant) -> Int? {
        if let restsUntil, now < restsUntil { return 0 }
        // One transfer probes an origin after its suspension; the others wait for the result.
        if !circuitBreaker.isClosed { return 1 }
        // The transfers that wait for a response are sufficient to probe a silent origin: a new one would wait in vain
        // just as long.
        let unanswered = holding - answering
        if isSilent, unanswered > 0, circuitBreaker.opens(afterFailures: unanswered) { return 1 }
        guard holding > 0 else { return nil }
        return holding < free ? holding + 1 : holding
    }
}
