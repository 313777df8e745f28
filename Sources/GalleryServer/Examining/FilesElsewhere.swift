import Catalog

/// Files that other nodes look into, or have looked into: what they learn of them will be heard.
struct FilesElsewhere: Sendable {
    /// Whoever has not come to an end with a file by then is not waited for. Longer than one keeps what it was granted.
    private static let patience = Duration.seconds(150)
    /// Files at once: more wait until some have been heard of.
    private static let most = 4_096
    /// Files that are asked for again at once.
    private static let askedAtOnce = 256

    private var since: [UnexaminedFile: ContinuousClock.Instant] = [:]
    /// All of them, in the order in which they are asked for again.
    private var turns: [UnexaminedFile] = []
    private var isLooking = false

    var count: Int { since.count }
    var isEmpty: Bool { since.isEmpty }
    var isFull: Bool { count >= Self.most }

    /// - Parameter now: since when they are waited for, unless they are already.
    mutating func add(_ files: [UnexaminedFile], at now: ContinuousClock.Instant) {
        for file in files where since[file] == nil {
            since[file] = now
            turns.append(file)
        }
    }

    /// Whether it is to be looked for them, which nobody does yet.
    mutating func startLooking() -> Bool {
        guard !isLooking, !isEmpty else { return false }
        isLooking = true
        return true
    }

    /// Forgets those of which something was heard.
    ///
    /// - Parameter unexamined: tells which have not been looked into.
    /// - Returns: some of the others, to be asked for again, which stay; and those that were waited for long enough, which
    ///   do not.
    mutating func take(
        now: ContinuousClock.Instant, unexamined: ([UnexaminedFile]) -> [UnexaminedFile]
    ) -> (open: [UnexaminedFile], overdue: [UnexaminedFile]) {
        isLooking = false
        let left = Set(unexamined(Array(since.keys)))
        since = since.filter { left.contains($0.key) }
        let overdue = since.filter { now - $0.value >= Self.patience }.map(\.key)
        for file in overdue { since[file] = nil }
        turns.removeAll { since[$0] == nil }
        let open = turns.prefix(Self.askedAtOnce)
        turns = Array(turns.dropFirst(open.count) + open)
        return (Array(open), overdue)
    }

    /// This node has them.
    mutating func remove(_ files: [UnexaminedFile]) {
        guard !files.isEmpty else { return }
        for file in files { since[file] = nil }
        turns.removeAll { since[$0] == nil }
    }
}
