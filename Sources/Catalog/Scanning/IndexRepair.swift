/// Decides when a damaged index is replaced: the first time immediately, then with a growing delay while new indexes
/// are damaged, too.
struct IndexRepair: Sendable {
    /// After this time without damage, the backoff starts again.
    private static let backoffReset = Duration.seconds(600)

    /// Whether a replacement is running or scheduled.
    var isDue = false
    /// Whether the last read failed although the index is not damaged.
    var isUnreadable = false
    /// Indexes that were set aside, and whose metadata has not been copied yet.
    var damagedIndexes: [Index] = []
    private var replacements = 0
    private var last: ContinuousClock.Instant?

    /// Counts another replacement.
    ///
    /// - Returns: How long to wait before it.
    mutating func next(_ pace: RetryPace, now: ContinuousClock.Instant = .now) -> Duration {
        if let last, now - last > Self.backoffReset { replacements = 0 }
        last = now
        replacements += 1
        return replacements == 1 ? .zero : pace.delay(after: replacements - 1)
    }
}
