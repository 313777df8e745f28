/// Which rows of one index stand for files that have been looked into as they are now.
///
/// Rows are numbered in the order in which their images were met first, so of each source it is enough to remember a row
/// before which all have been, and the few before it that changed since: a million files cost nothing when the program
/// starts again.
struct Examinations: Sendable {
    /// By source: all rows before this one have been looked into, but those in `again`.
    var examinedRows: [Int: UInt32] = [:]
    /// Rows whose files changed, or could not be looked into.
    private(set) var again: Set<UInt32> = []
    /// Rows that were given out, or found to have been looked into, since the program began.
    private var passed = RowSet()
    /// Those of them that are in the index among the changed ones, until it is told.
    private(set) var done: Set<UInt32> = []

    /// How often a row was opened: a search that has begun before must begin anew.
    private(set) var openings = 0

    init(again: Set<UInt32> = []) {
        self.again = again
    }

    func isOpen(_ row: UInt32, of source: Int) -> Bool {
        if row >= examinedRows[source] ?? 0 { return !passed.contains(row) }
        return !again.isEmpty && again.contains(row)
    }

    /// The row's file is being looked into, or was found to have been.
    mutating func pass(_ row: UInt32) {
        passed.insert(row)
        if again.remove(row) != nil { done.insert(row) }
    }

    /// The row's file is another than it was, or could not be looked into.
    mutating func open(_ row: UInt32) {
        passed.remove(row)
        again.insert(row)
        done.remove(row)
        openings += 1
    }

    /// The index has been told that these are done.
    mutating func forget(_ rows: Set<UInt32>) {
        done.subtract(rows)
    }
}
