/// Keeps the library. All calls block, and come one at a time, on a thread that may be blocked.
public protocol LibraryStore: Sendable {
    /// What the file or the server is called in messages.
    var place: String { get }

    /// Whether other processes change the library, too. Then ``follow(_:)`` tells of their changes.
    var isShared: Bool { get }

    /// Hands over all changes since the last news; at first, the whole library.
    ///
    /// - Parameter body: Called at most once. If it throws, the same news are handed over again.
    /// - Throws: What `body` throws; ``LibraryUnavailable``.
    func read(_ body: (LibraryNews) throws -> Void) throws

    /// Makes one change after all others, whoever made them: hands over the news, and writes what `body` computes from
    /// them, all or nothing. It is on the disk when this returns.
    ///
    /// - Parameter body: Called at most once. If it throws, nothing is written, and the same news are handed over again.
    /// - Throws: What `body` throws; ``LibraryUnavailable``, after which the change may have been written all the same.
    func change(_ body: (LibraryNews) throws -> LibraryChange) throws

    /// Entries of the audit log, newest first.
    ///
    /// - Parameter number: Only entries with a smaller number; nil for the newest.
    func audit(before number: Int64?, limit: Int) throws -> [AuditEntry]

    /// Calls `body` from now on when there may be news, and at least every second or two; also when they cannot be
    /// read. It must not block.
    func follow(_ body: @escaping @Sendable () -> Void)

    func close()
}

/// Records that a store hands over.
public struct LibraryNews: Sendable {
    /// In the sequence in which they were written.
    public var records: [LibraryRecord]
    /// Whether these are all records, so that others no longer exist.
    public var isWhole: Bool
    /// How long the library may be used without other news; nil for ever, because nobody else changes it.
    public var validity: Duration?

    public init(records: [LibraryRecord], isWhole: Bool, validity: Duration? = nil) {
        self.records = records
        self.isWhole = isWhole
        self.validity = validity
    }
}

/// What a change writes.
public struct LibraryChange: Sendable {
    public var records: [LibraryRecord] = []
    public var entries: [AuditEntry] = []

    public var isEmpty: Bool { records.isEmpty && entries.isEmpty }

    public init(records: [LibraryRecord] = [], entries: [AuditEntry] = []) {
        self.records = records
        self.entries = entries
    }
}

/// The library can be neither read nor written now; the store logs why.
public struct LibraryUnavailable: Error, CustomStringConvertible {
    /// For the log.
    public let description: String

    public init(_ description: String) { self.description = description }
}
