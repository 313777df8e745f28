/// Tracks which rows of one index represent files whose present content is indexed.
///
/// Rows are numbered in the order in which their images were first seen. So for each source it is sufficient to store
/// the row before which all files are indexed, and the few earlier rows that have changed since: after a restart, a
/// million files cost nothing.
struct IndexedRows: Sendable {
    /// By source: all rows before this one are indexed, except those in `again`.
    var indexedRows: [Int: UInt32] = [:]
    /// Rows whose files have changed, or could not be indexed.
    private(set) var again: Set<UInt32> = []
    /// Rows that were given out, or found to be indexed, since the program started.
    private var passed = RowSet()
    /// Passed rows that the index still lists as changed, until it is updated.
    private(set) var done: Set<UInt32> = []

    /// How often a row was reopened. A search that began earlier must start again.
    private(set) var openings = 0

    init(again: Set<UInt32> = []) {
        self.again = again
    }

    func isOpen(_ row: UInt32, of source: Int) -> Bool {
        if row >= indexedRows[source] ?? 0 { return !passed.contains(row) }
        return !again.isEmpty && again.contains(row)
    }

    /// The row's file is being indexed, or was found to be indexed.
    mutating func pass(_ row: UInt32) {
        passed.insert(row)
        if again.remove(row) != nil { done.insert(row) }
    }

    /// The row's file has changed, or could not be indexed.
    mutating func open(_ row: UInt32) {
        passed.remove(row)
        again.insert(row)
        done.remove(row)
        openings += 1
    }

    /// Opens a row again that was passed since ``open(_:)``.
    mutating func openIfPassed(_ row: UInt32) {
        if !again.contains(row) { open(row) }
    }

    /// The index has recorded these rows as done.
    mutating func forget(_ rows: Set<UInt32>) {
        done.subtract(rows)
    }
}
