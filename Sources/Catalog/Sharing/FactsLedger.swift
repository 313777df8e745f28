import Images

/// What one node has learnt and not told, and how much it has heard of what others told: kept in its index, so that neither
/// a restart nor an outage of any length loses a fact. All calls block, and are made by one thread at a time.
///
/// What others tell is a log, with a name and a growing position. What is heard and the position that it was heard up to are
/// kept in one transaction.
public protocol FactsLedger: Sendable {
    /// From where on this log is to be followed. One that was not followed before begins at 0, and is told everything.
    ///
    /// - Parameter isAnew: The log is not what it was (its server was set back): it is followed from its beginning.
    func position(in log: String, isAnew: Bool) throws -> Int64

    /// Some of what was learnt and not told: the newest first, and then what was learnt before this log was followed.
    func untold(limit: Int) throws -> UntoldFacts

    /// These have been told. What was learnt of the same images meanwhile still is to be.
    func told(_ facts: UntoldFacts) throws

    /// How many images there are of which something is to be told.
    func countUntold() throws -> Int

    /// Learns what others have told, as if it were learnt here, save that it is told to nobody.
    ///
    /// - Parameters:
    ///   - former: the position from which the log was followed.
    ///   - position: the one from which it is to be followed next.
    /// - Throws: ``LedgerError`` where the ledger is at another position; then ``position(in:isAnew:)`` tells it.
    func heard(_ facts: [SharedFacts], of log: String, after former: Int64, upTo position: Int64) throws

    /// The same of what was asked for apart from the log.
    func heard(_ facts: [SharedFacts]) throws
}

/// Facts that are to be told.
public struct UntoldFacts: Sendable {
    public internal(set) var facts: [SharedFacts] = []
    /// What tells them from what is learnt of the same images later; also of those that have gone meanwhile.
    var marks: [Int64] = []
    /// How far they reach of what was known before this log was followed: the last of its images, or `.max` at its end.
    var backlog: Int64?

    public var isEmpty: Bool { marks.isEmpty && backlog == nil }
}

/// The ledger was begun anew, or is of another log.
public struct LedgerError: Error, Hashable, Sendable {
    public init() {}
}
