import GRDB
import Images
import Synchronization

extension Index {
    /// How it came to be heard what others have learnt.
    enum Hearing {
        /// By a log that was followed up to a position, from a former one.
        case log(String, former: Int64, position: Int64)
        case apart
    }

    /// Has what is learnt from now on be kept for others, or not. What was not kept for them is told from the beginning
    /// later.
    func share(_ isShared: Bool) throws {
        self.isShared.store(isShared, ordering: .relaxed)
        guard !isShared else { return }
        try database.write { db in
            if try Int.fetchOne(db, sql: "SELECT EXISTS (SELECT * FROM heard)") == 1 {
                try db.execute(sql: "DELETE FROM heard; DELETE FROM untold")
            }
        }
    }

    func position(in log: String, isAnew: Bool) throws -> Int64 {
        try database.write { db in
            let known = try Int64.fetchOne(db, sql: "SELECT position FROM heard WHERE log = ?", arguments: [log])
            if let known, !isAnew { return known }
            try db.execute(sql: "DELETE FROM heard; DELETE FROM untold")
            try db.execute(
                sql: """
                    INSERT INTO heard (log, position, backlog)
                    VALUES (?, 0, CASE WHEN EXISTS (SELECT * FROM facts) THEN ? END)
                    """, arguments: [log, Int64.min])
            return 0
        }
    }

    /// Keeps how far was heard, in the transaction that writes what was.
    func keep(_ hearing: Hearing, _ db: Database) throws {
        guard case .log(let log, let former, let position) = hearing else { return }
        try db.execute(
            sql: "UPDATE heard SET position = ? WHERE log = ? AND position = ?", arguments: [position, log, former])
        guard db.changesCount == 1 else { throw LedgerError() }
    }

    /// Of these images: the content that what is known is of, where that takes the place of what others tell. That of an
    /// image whose source says which content it has is the present one; of any other the last that was told is, unless this
    /// node has learnt something that it has yet to tell.
    ///
    /// - Parameter rows: theirs, as far as they have some.
    func presentVersions(
        of ids: some Sequence<ImageID>, _ rows: [UInt32], _ db: Database
    ) throws -> [ImageID: ContentVersion] {
        let originals = try db.cachedStatement(
            sql: "SELECT id, \(Sighting.Original.columns) FROM image WHERE row = ?")
        var said: [ImageID: ContentVersion] = [:]
        for row in rows {
            try originals.rows(Int64(row)) { stored in
                guard let id = stored.integer(0), let present = Sighting.Original(stored, from: 1).version else {
                    return
                }
                said[ImageID(rawValue: UInt64(bitPattern: id))] = present
            }
        }
        let versions = try db.cachedStatement(
            sql: "SELECT version, EXISTS (SELECT * FROM untold WHERE untold.id = facts.id) FROM facts WHERE id = ?")
        var present: [ImageID: ContentVersion] = [:]
        for id in ids {
            try versions.rows(Int64(bitPattern: id.rawValue)) { stored in
                guard let version = stored.integer(0).map({ ContentVersion(rawValue: UInt64(bitPattern: $0)) }) else {
                    return
                }
                if said[id].map({ $0 == version }) ?? (stored.flag(1) == true) { present[id] = version }
            }
        }
        return present
    }

    /// Notes that something was learnt of these images that others are to be told. In the transaction that writes it.
    func note(untold ids: some Sequence<ImageID>, _ db: Database) throws {
        guard isShared.load(ordering: .relaxed) else { return }
        // A number that none before had.
        let statement = try db.cachedStatement(sql: "INSERT OR REPLACE INTO untold (id) VALUES (?)")
        for id in ids { try statement.execute(arguments: [Int64(bitPattern: id.rawValue)]) }
    }

    func untold(limit: Int) throws -> UntoldFacts {
        try database.read { db in
            var untold = UntoldFacts()
            let columns = "facts.id, version, \(FactsColumns.names.joined(separator: ", "))"
            let learnt = try db.cachedStatement(
                sql: """
                    SELECT mark, \(columns) FROM untold LEFT JOIN facts ON facts.id = untold.id
                    ORDER BY mark DESC LIMIT ?
                    """)
            try learnt.rows(Int64(limit)) { row in
                guard let mark = row.integer(0) else { return }
                untold.marks.append(mark)
                // Of an image that has gone meanwhile there is nothing to be told.
                if let facts = SharedFacts(row, from: 1) { untold.facts.append(facts) }
            }
            let room = limit - untold.marks.count
            guard room > 0, let from = try Index.backlog(db) else { return untold }
            let before = try db.cachedStatement(
                sql: "SELECT \(columns) FROM facts WHERE id > ? ORDER BY id LIMIT ?")
            var last = from
            var count = 0
            try before.rows(from, Int64(room)) { row in
                guard let facts = SharedFacts(row, from: 0) else { return }
                untold.facts.append(facts)
                last = Int64(bitPattern: facts.image.rawValue)
                count += 1
            }
            untold.backlog = count < room ? .max : last
            return untold
        }
    }

    func told(_ facts: UntoldFacts) throws {
        try database.write { db in
            let statement = try db.cachedStatement(sql: "DELETE FROM untold WHERE mark = ?")
            for mark in facts.marks { try statement.execute(arguments: [mark]) }
            guard let last = facts.backlog else { return }
            try db.execute(sql: "UPDATE heard SET backlog = ?", arguments: [last == .max ? nil : last])
        }
    }

    func countUntold() throws -> Int {
        try database.read { db in
            let learnt = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM untold") ?? 0
            guard let from = try Index.backlog(db) else { return learnt }
            let before = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM facts WHERE id > ?", arguments: [from]) ?? 0
            return learnt + before
        }
    }

    /// Behind which image that is begun which was known before the log was followed; nil where all of it has been told.
    private static func backlog(_ db: Database) throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT backlog FROM heard WHERE backlog IS NOT NULL")
    }
}

extension SharedFacts {
    /// - Parameter first: where the image's id stands in the row, before its version and its facts.
    fileprivate init?(_ row: StoredRow, from first: Int32) {
        guard let image = row.integer(first) else { return nil }
        self.init(
            image: ImageID(rawValue: UInt64(bitPattern: image)),
            version: row.integer(first + 1).map { ContentVersion(rawValue: UInt64(bitPattern: $0)) },
            facts: FactsColumns.facts(row, from: first + 2))
    }
}
