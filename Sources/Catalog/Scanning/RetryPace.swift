/// Exponential backoff, so that a broken disk is not retried in rapid succession for ever.
struct RetryPace: Sendable {
    var first: Duration = .seconds(5)
    var maximumDelay: Duration = .seconds(300)

    /// - Parameter failures: The number of consecutive failures, at least 1.
    func delay(after failures: Int) -> Duration {
        min(maximumDelay, first * (1 << min(20, max(0, failures - 1))))
    }
}
