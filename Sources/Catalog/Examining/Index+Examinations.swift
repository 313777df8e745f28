import GRDB
import Images
import Locking

extension Index {
    /// A file as it is now, and from which content and in which form the facts are that are known of its image.
    struct ExaminedRow: Sendable {
        let id: ImageID
        let path: String
        let version: ContentVersion
        let facts: (version: ContentVersion, examination: Int)?

        /// Whether the file has been looked into as it is.
        var isExamined: Bool {
            guard let facts else { return false }
            return facts.version == version && facts.examination >= ImageFacts.presentExamination
        }
    }

    /// The rows with these numbers that are there and stand for files. Blocking.
    func examined(_ rows: [UInt32]) throws -> [UInt32: ExaminedRow] {
        try database.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT image.id, image.location, size, seconds, nanoseconds, version, examination
                    FROM image LEFT JOIN facts ON facts.id = image.id WHERE row = ? AND objectVersion IS NULL
                    """)
            var found: [UInt32: ExaminedRow] = [:]
            for row in rows {
                found[row] = try statement.row(Int64(row), read: ExaminedRow.init)
            }
            return found
        }
    }

    /// Reads which files need another look, and up to where each source has been looked into. Blocking.
    ///
    /// - Parameter keys: the names of the sources in the index, by their ordinals.
    func openExaminations(_ keys: [Int: String]) throws {
        // As a writer, so that no file changes between the reading and the keeping.
        try database.write { db in
            var examinations = Examinations(again: try Set(UInt32.fetchCursor(db, sql: "SELECT row FROM unexamined")))
            for (ordinal, key) in keys {
                let row = try Int64.fetchOne(db, sql: "SELECT examinedRow FROM source WHERE key = ?", arguments: [key])
                examinations.examinedRows[ordinal] = UInt32(clamping: row ?? 0)
            }
            self.examinations.withLock { $0 = $0 ?? examinations }
        }
    }

    /// Notes that files are others than they were. In the transaction that writes their rows.
    func note(changed rows: [UInt32], _ db: Database) throws {
        guard !rows.isEmpty else { return }
        let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO unexamined (row) VALUES (?)")
        for row in rows { try statement.execute(arguments: [Int64(row)]) }
        examinations.withLock { for row in rows { $0?.open(row) } }
    }

    /// Keeps that all rows of these sources before `next` have been looked into, but those that are open or left. Blocking.
    func settleExaminations(_ keys: [Int: String], before next: UInt32, left: Set<UInt32>) throws {
        let done = try database.write { db -> Set<UInt32> in
            let (again, done) = examinations.withLock { ($0?.again ?? [], ($0?.done ?? []).subtracting(left)) }
            let insert = try db.cachedStatement(sql: "INSERT OR IGNORE INTO unexamined (row) VALUES (?)")
            for row in again.union(left) { try insert.execute(arguments: [Int64(row)]) }
            let delete = try db.cachedStatement(sql: "DELETE FROM unexamined WHERE row = ?")
            for row in done { try delete.execute(arguments: [Int64(row)]) }
            for key in keys.values {
                try db.execute(
                    sql: "UPDATE source SET examinedRow = ? WHERE key = ?", arguments: [Int64(next), key])
            }
            return done
        }
        examinations.withLock { examinations in
            for ordinal in keys.keys { examinations?.examinedRows[ordinal] = next }
            examinations?.forget(done)
        }
    }

    /// Forgets that files were found to be nothing that can be shown, so that they are looked into once more. Blocking.
    func reopenBroken() throws {
        try database.write { db in
            let broken = try UInt32.fetchAll(
                db,
                sql: """
                    SELECT row FROM image JOIN facts ON facts.id = image.id
                    WHERE isBroken AND size IS NOT NULL AND objectVersion IS NULL
                    """)
            try db.execute(sql: "UPDATE facts SET examination = NULL WHERE isBroken")
            try note(changed: broken, db)
        }
    }
}

extension Index.ExaminedRow {
    /// Nil for what is no file, and when the row is damaged.
    fileprivate init?(_ row: StoredRow) {
        guard let id = row.integer(0), let path = row.text(1), let stamp = FileStamp(row, from: 2) else { return nil }
        self.id = ImageID(rawValue: UInt64(bitPattern: id))
        self.path = path
        version = stamp.version
        if let known = row.integer(5), let examination = row.count(6) {
            facts = (ContentVersion(rawValue: UInt64(bitPattern: known)), examination)
        } else {
            facts = nil
        }
    }
}
