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
    /// - Parameters:
    ///   - rows: of these images, as far as they have some.
    ///   - onlyNew: images of which something is known are left as they are.
    ///   - hearing: where others have told it: then it takes the place of nothing that is known of a present content, and
    ///     is told to nobody.
    func write(
        _ learnt: [ImageID: Learnt], of rows: [UInt32] = [], onlyNew: Bool = false, hearing: Hearing? = nil
    ) throws {
        let names = FactsColumns.names
        // What nobody has looked into may have been another file's that was taken for this one.
        let isMore =
            "(excluded.version IS NULL OR excluded.version IS version)"
            + " AND (examination IS NOT NULL OR excluded.examination IS NULL)"
        let updates = names.map { name in
            "\(name) = CASE WHEN \(isMore) THEN COALESCE(excluded.\(name), \(name)) ELSE excluded.\(name) END"
        }
        let version = "version = COALESCE(excluded.version, version)"
        let sql = """
            INSERT INTO facts (id, version, \(names.joined(separator: ", ")))
            VALUES (\(repeatElement("?", count: names.count + 2).joined(separator: ", ")))
            ON CONFLICT (id) DO \(onlyNew ? "NOTHING" : "UPDATE SET \(updates.joined(separator: ", ")), \(version)")
            """
        try database.write { db in
            columns.touch(rows)
            try ColumnKeeper.forget(rows, db)
            if let hearing { try keep(hearing, db) } else { try note(untold: learnt.keys, db) }
            let present = hearing == nil ? [:] : try presentVersions(of: learnt.keys, rows, db)
            let statement = try db.cachedStatement(sql: sql)
            for (id, learnt) in learnt {
                if let present = present[id], let other = learnt.version, other != present { continue }
                let version = learnt.version.map { Int64(bitPattern: $0.rawValue) }
                let key: [DatabaseValue] = [
                    Int64(bitPattern: id.rawValue).databaseValue, version?.databaseValue ?? .null,
                ]
                statement.setUncheckedArguments(StatementArguments(key + FactsColumns.values(of: learnt.facts)))
                try statement.execute()
            }
        }
    }

    /// Copies to another index what it does not have and this one, though damaged, still tells. Blocking.
    ///
    /// - Returns: of how many images.
    func copyFacts(to other: Index, isStopped: () -> Bool) -> Int {
        // From both ends to where the damage is.
        let upwards = copyFacts(to: other, ascending: true, isStopped: isStopped)
        return upwards.isWhole
            ? upwards.count : upwards.count + copyFacts(to: other, ascending: false, isStopped: isStopped).count
    }

    private func copyFacts(
        to other: Index, ascending: Bool, isStopped: () -> Bool
    ) -> (count: Int, isWhole: Bool) {
        let batch = 1000
        // Ids of a damaged tree may come in any order, and again and again.
        var most = Index.mostFacts(database)
        // One of an older form does not have all of them.
        let there = try? database.read { Set(try $0.columns(in: "facts").map(\.name)) }
        let columns = FactsColumns.names.map { there?.contains($0) == false ? "NULL" : $0 }
        let sql = """
            SELECT version, \(columns.joined(separator: ", ")), id FROM facts
            WHERE id \(ascending ? ">" : "<") ? ORDER BY id \(ascending ? "ASC" : "DESC") LIMIT \(batch)
            """
        var count = 0
        var edge: Int64? = ascending ? .min : .max
        while let from = edge, !isStopped() {
            edge = nil
            do {
                let rows = try database.read { db in
                    var rows: [(id: Int64?, learnt: Learnt)] = []
                    try db.makeStatement(sql: sql).rows(from) { row in
                        rows.append((row.integer(Int32(FactsColumns.names.count + 1)), Learnt(row)))
                    }
                    return rows
                }
                let learnt = rows.compactMap { row in row.id.map { ($0, row.learnt) } }
                try other.write(
                    Dictionary(
                        learnt.map { (ImageID(rawValue: UInt64(bitPattern: $0)), $1) }, uniquingKeysWith: { $1 }),
                    onlyNew: true)
                count += learnt.count
                most -= rows.count
                guard rows.count == batch else { continue }
                guard let last = learnt.last?.0, ascending ? last > from : last < from, most > 0 else {
                    return (count, false)
                }
                edge = last
            } catch {
                return (count, false)
            }
        }
        return (count, true)
    }

    /// More facts than the file has room for: each takes a cell of four bytes, and its place in the page's list of two.
    private static func mostFacts(_ database: any DatabaseWriter) -> Int {
        let bytes = try? database.read { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            return pages * (try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
        }
        return (bytes ?? 0) / 6
    }

    /// What was learnt of these images, in their order; nil where nothing was. Blocking.
    func learnt(of ids: [ImageID?]) -> Result<[Learnt?], any Error> {
        Result { try database.read { try Index.learnt(of: ids, $0) } }
    }

    /// The same, in a transaction that there is.
    static func learnt(of ids: [ImageID?], _ db: Database) throws -> [Learnt?] {
        guard !ids.isEmpty else { return [] }
        let statement = try db.cachedStatement(sql: Index.selectLearnt)
        return try ids.map { id in
            try id.flatMap { try statement.row(Int64(bitPattern: $0.rawValue), read: Learnt.init) }
        }
    }

    private static let selectLearnt =
        "SELECT version, \(FactsColumns.names.joined(separator: ", ")) FROM facts WHERE id = ?"
}

extension Learnt {
    fileprivate init(_ row: StoredRow) {
        self.init(
            facts: FactsColumns.facts(row, from: 1),
            version: row.integer(0).map { ContentVersion(rawValue: UInt64(bitPattern: $0)) })
    }
}
