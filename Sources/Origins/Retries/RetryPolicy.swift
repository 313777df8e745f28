/// Decides when a failed attempt is retried: exponential backoff with jitter, so that fetches that failed together are
/// not retried together.
struct RetryPolicy: Sendable {
    let maximumRetries: Int
    let delay: Duration
    let maximumDelay: Duration

    init(_ configuration: Configuration) {
        maximumRetries = configuration.maximumRetries
        delay = configuration.retryDelay
        maximumDelay = configuration.maximumRetryDelay
    }

    /// The delay before the next attempt; nil if there must be none.
    ///
    /// - Parameters:
    ///   - retries: The number of retries so far.
    ///   - chance: Jitter from 0 to 1: the position in the second half of the nominal delay.
    func wait(after error: OriginError, retries: Int, chance: Double) -> Duration? {
        // A timeout is not retried, because the retry could hang, too.
        guard error.isTransient, retries < maximumRetries,
            ![.stopped, .suspended, .timedOut, .credentials].contains(error.reason)
        else { return nil }
        let nominal = min(delay * (1 << min(retries, 16)), maximumDelay)
        let jittered = nominal / 2 + nominal / 2 * min(max(chance, 0), 1)
        guard let asked = error.retryAfter else { return jittered }
        return asked <= maximumDelay ? max(asked, jittered) : nil
    }
}
