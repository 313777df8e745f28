import GRDB
import Images

/// What was learnt of an image, and from which content.
struct Learnt: Hashable, Sendable {
    var facts: ImageFacts
    /// Nil when who learnt it did not know.
    var version: ContentVersion?

    /// This with what is newer laid over it: facts of the same content add up, those of another one take their place.
    func updated(with newer: Learnt) -> Learnt {
        guard newer.version == nil || newer.version == version else { return newer }
        return Learnt(facts: newer.facts.filled(from: facts), version: version)
    }
}

extension Index {
    /// Adds what was learnt, in one transaction.
    ///
    /// - Parameter rows: where the index has files' rows: a file's facts whose version is unknown are taken for those of
    ///   its present content.
    func write(_ learnt: [ImageID: Learnt]) throws {
        let names = FactsColumns.names
        let updates = names.map { name in
            "\(name) = CASE WHEN excluded.version IS NULL OR excluded.version IS version"
                + " THEN COALESCE(excluded.\(name), \(name)) ELSE excluded.\(name) END"
        }
        let sql = """
            INSERT INTO facts (id, version, \(names.joined(separator: ", ")))
            VALUES (\(repeatElement("?", count: names.count + 2).joined(separator: ", ")))
            ON CONFLICT (id) DO UPDATE SET \(updates.joined(separator: ", ")),
            version = COALESCE(excluded.version, version)
            """
        try database.write { db in
            let statement = try db.cachedStatement(sql: sql)
            for (id, learnt) in learnt {
                let version = learnt.version.map { Int64(bitPattern: $0.rawValue) }
                let key: [DatabaseValue] = [
                    Int64(bitPattern: id.rawValue).databaseValue, version?.databaseValue ?? .null,
                ]
                statement.setUncheckedArguments(StatementArguments(key + FactsColumns.values(of: learnt.facts)))
                try statement.execute()
            }
        }
    }

    /// What was learnt of these images.
    func learnt(of ids: [ImageID]) async throws -> [ImageID: Learnt] {
        try await database.read { db in
            let sql = "SELECT version, \(FactsColumns.names.joined(separator: ", ")) FROM facts WHERE id = ?"
            let statement = try db.cachedStatement(sql: sql)
            var learnt: [ImageID: Learnt] = [:]
            for id in ids {
                let rows = try Row.fetchCursor(statement, arguments: [Int64(bitPattern: id.rawValue)])
                // A row is a window on its statement, which the cursor resets when it goes.
                learnt[id] = try withExtendedLifetime(rows) { try rows.next().map(Learnt.init) }
            }
            return learnt
        }
    }
}

extension Learnt {
    fileprivate init(_ row: Row) {
        let version = Int64.fromDatabaseValue(row[0] as DatabaseValue)
        self.init(
            facts: FactsColumns.facts(row, from: 1),
            version: version.map { ContentVersion(rawValue: UInt64(bitPattern: $0)) })
    }
}
