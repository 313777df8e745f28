/// How long to wait before what failed is tried once more by itself: longer after each failure, so that a broken disk
/// is not asked for ever in haste.
struct RetryPace: Sendable {
    var first: Duration = .seconds(5)
    var longest: Duration = .seconds(300)

    /// - Parameter failures: how many there were in a row, at least 1.
    func delay(after failures: Int) -> Duration {
        min(longest, first * (1 << min(20, max(0, failures - 1))))
    }
}
