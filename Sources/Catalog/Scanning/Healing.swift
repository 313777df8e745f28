/// When a damaged index is replaced: at once the first time, and ever later while new ones are damaged, too.
struct Healing: Sendable {
    /// An index that has been well for this long owes nothing to what was before.
    private static let forgetting = Duration.seconds(600)

    /// Whether a replacement is under way or will come.
    var isDue = false
    /// Whether the index was asked in vain, without being damaged, and nobody has read it since.
    var isUnreadable = false
    /// Indexes that were set aside and whose facts are still to be saved.
    var wrecks: [Index] = []
    private var replacements = 0
    private var last: ContinuousClock.Instant?

    /// Counts another replacement.
    ///
    /// - Returns: how long to wait for it.
    mutating func next(_ pace: RetryPace, now: ContinuousClock.Instant = .now) -> Duration {
        if let last, now - last > Self.forgetting { replacements = 0 }
        last = now
        replacements += 1
        return replacements == 1 ? .zero : pace.delay(after: replacements - 1)
    }
}
