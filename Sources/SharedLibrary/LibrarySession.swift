import Accounts
import Encodings
import Postgres

/// Reads and writes the library over one connection.
struct LibrarySession {
    let connection: PostgresConnection
    private let name: String
    private let time: Duration
    /// The gallery's number in this database.
    private var gallery: Int64 = 0
    /// Distinguishes the library from any other, also from one that was restored from a backup.
    private(set) var library = ""

    /// - Parameter time: How long to wait for a response to a statement.
    init(_ connection: PostgresConnection, gallery: String, waiting time: Duration) {
        self.connection = connection
        name = gallery
        self.time = time
    }

    /// Migrates the tables if necessary, and subscribes to notifications of changes.
    ///
    /// - Returns: The session, ready for use.
    /// - Throws: `PostgresError`, `PostgresSchema.Unusable`.
    func begun(isolation: isolated (any Actor)? = #isolation) async throws -> LibrarySession {
        let identity = try await connection.begin(LibrarySchema.tables, waiting: time)
        // If another node creates the row at this moment, only the next attempt sees it.
        var number: Int64?
        for _ in 0..<3 where number == nil {
            number = try await ask(LibraryStatements.gallery, [name]).first?.integer(0)
        }
        guard let number else {
            throw PostgresSchema.Unusable(description: "the gallery cannot be entered into its tables")
        }
        var session = self
        session.gallery = number
        session.library = "\(identity)/\(number)"
        _ = try await ask("LISTEN \(session.channel)")
        return session
    }

    private var channel: String { "tessera_library_\(gallery)" }

    /// Records, and the last change. All of them have been written by then.
    struct Received {
        let records: [LibraryRecord]
        let change: Int64
        /// The mark of that change.
        let mark: String
        /// The mark of the change after which the records were asked for; nil if there is no such change, or no longer.
        let earlierMark: String?

        /// - Parameters:
        ///   - rows: Each with the last change, and a record, null if there is none.
        /// - Throws: `PostgresSchema.Unusable` if these rows cannot be an answer.
        init(_ rows: [PostgresRow]) throws {
            guard let change = rows.first?.integer(0), change >= 0, let mark = rows.first?.text(4) else {
                throw PostgresSchema.Unusable(description: "the gallery is gone from its tables")
            }
            self.change = change
            self.mark = mark
            earlierMark = rows.first?.text(5)
            records = rows.compactMap { row in
                guard let kind = row.text(1).flatMap(LibraryRecord.Kind.init), let id = row.text(2) else { return nil }
                return LibraryRecord(kind, id, row.bytes(3))
            }
        }
    }

    /// The records written after this change.
    func records(after change: Int64, isolation: isolated (any Actor)? = #isolation) async throws -> Received {
        try Received(await ask(LibraryStatements.follow, ["\(gallery)", "\(change)"]))
    }

    // MARK: - Changes

    /// Begins a transaction, before whose end no other node changes the library.
    func lock(isolation: isolated (any Actor)? = #isolation) async throws {
        _ = try await ask("BEGIN")
        _ = try await ask(LibraryStatements.lock, ["\(gallery)"])
    }

    /// Writes a change, and ends the transaction.
    ///
    /// - Returns: The number of the change, and its mark.
    func write(
        _ change: LibraryChange, isolation: isolated (any Actor)? = #isolation
    ) async throws -> (change: Int64, mark: String) {
        let entries = change.entries
        let rows = try await ask(
            LibraryStatements.write,
            ["\(gallery)", Self.json(change.records), Self.json(entries), "\(entries.count)", channel])
        guard let number = rows.first?.integer(0), let mark = rows.first?.text(1) else {
            throw PostgresSchema.Unusable(description: "the gallery is gone from its tables")
        }
        _ = try await ask("COMMIT")
        return (number, mark)
    }

    func rollBack(isolation: isolated (any Actor)? = #isolation) async throws { _ = try await ask("ROLLBACK") }

    /// A statement writes each record once, so of several versions the last.
    private static func json(_ records: [LibraryRecord]) -> String {
        let last = Dictionary(records.map { ($0.key, $0) }) { $1 }
        var json = JSONWriter()
        json.list(last.values) { json, record in
            json.object { json in
                json.member("kind", record.kind.rawValue)
                json.member("id", record.id)
                json.member("body", record.body.map { String(decoding: $0, as: UTF8.self) })
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func json(_ entries: [AuditEntry]) -> String {
        var json = JSONWriter()
        json.list(entries.enumerated()) { json, numbered in
            let (place, entry) = numbered
            json.object { json in
                json.member("place", place + 1)
                json.member("time", Int(entry.time))
                json.member("actor", entry.actor.map(storable))
                json.member("address", entry.address)
                json.member("action", entry.action.rawValue)
                json.member("subject", entry.subject.map(storable))
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// PostgreSQL stores no NUL, which a name given at a failed sign-in may contain.
    private static func storable(_ text: String) -> String { text.filter { $0 != "\0" } }

    // MARK: - The audit log

    func audit(
        before number: Int64?, limit: Int, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [AuditEntry] {
        let rows = try await ask(LibraryStatements.audit, ["\(gallery)", "\(number ?? .max)", "\(limit)"])
        return rows.compactMap { row in
            guard let number = row.integer(0), let time = row.integer(1),
                let action = row.text(4).flatMap(AuditEntry.Action.init)
            else { return nil }
            return AuditEntry(
                number: number, time: time, actor: row.text(2), address: row.text(3), action: action,
                subject: row.text(5))
        }
    }

    private func ask(
        _ statement: String, _ parameters: [String?] = [], isolation: isolated (any Actor)? = #isolation
    ) async throws -> [PostgresRow] {
        try await connection.query(statement, parameters, within: time)
    }
}
