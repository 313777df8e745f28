/// When a failed attempt is made again: exponential back-off with jitter, so that the fetches which one hiccup has
/// failed together do not come back together.
struct RetryPolicy: Sendable {
    let maximumRetries: Int
    let delay: Duration
    let maximumDelay: Duration

    init(_ configuration: Configuration) {
        maximumRetries = configuration.maximumRetries
        delay = configuration.retryDelay
        maximumDelay = configuration.maximumRetryDelay
    }

    /// The wait before the next attempt, or nil if there is to be none.
    ///
    /// - Parameters:
    ///   - retries: How many there have been.
    ///   - chance: From 0 to 1: where in the second half of the nominal wait to go.
    func wait(after error: OriginError, retries: Int, chance: Double) -> Duration? {
        // Whoever has waited for one hang is not to wait for another.
        guard error.isTransient, retries < maximumRetries,
            ![.stopped, .suspended, .timedOut, .credentials].contains(error.reason)
        else { return nil }
        let nominal = min(delay * (1 << min(retries, 16)), maximumDelay)
        let jittered = nominal / 2 + nominal / 2 * min(max(chance, 0), 1)
        guard let asked = error.retryAfter else { return jittered }
        return asked <= maximumDelay ? max(asked, jittered) : nil
    }
}
