/// Keeps the library. All calls block, and come one at a time.
protocol LibraryStore: Sendable {
    /// All records.
    func records() throws -> [LibraryRecord]

    /// Writes all changes or none. They are on the disk when this returns.
    func write(_ changes: [LibraryRecord], _ entries: [AuditEntry]) throws

    /// Entries of the audit log, newest first.
    ///
    /// - Parameter number: Only entries with a smaller number; nil for the newest.
    func audit(before number: Int64?, limit: Int) throws -> [AuditEntry]

    func close()
}
