import GRDB
import Images
import Locking

extension Index {
    /// A file's present state, and the content version and indexing version of the metadata stored for its image.
    struct IndexedRow: Sendable {
        let id: ImageID
        let path: String
        let version: ContentVersion
        let sidecars: SidecarVersion
        let metadata: (version: ContentVersion, readerVersion: Int, sidecars: SidecarVersion)?

        /// Whether the present content of the file and its sidecars is indexed.
        var isIndexed: Bool {
            guard let metadata else { return false }
            return metadata.version == version && metadata.sidecars == sidecars
                && metadata.readerVersion >= ImageMetadata.currentReader
        }
    }

    /// The rows with these numbers that exist and represent files. Blocking.
    func indexed(_ rows: [UInt32]) throws -> [UInt32: IndexedRow] {
        try read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT image.id, image.location, size, seconds, nanoseconds, version, examination,
                    image.sidecars, facts.sidecars
                    FROM image LEFT JOIN facts ON facts.id = image.id WHERE row = ? AND objectVersion IS NULL
                    """)
            var found: [UInt32: IndexedRow] = [:]
            for row in rows {
                found[row] = try statement.row(Int64(row), read: IndexedRow.init)
            }
            return found
        }
    }

    /// Reads which files have to be indexed again, and up to which row each source is indexed. After an update of the
    /// program that reads more from files, no source counts as indexed, and each file is checked. Blocking.
    ///
    /// - Parameter keys: The keys of the sources in the index, by their ordinals.
    func openIndexing(_ keys: [Int: String]) throws {
        // In a write transaction, so that no file changes between the read and the assignment below.
        try database.write { db in
            try Index.reopenAfterUpdate(db)
            var indexing = IndexedRows(again: try Set(UInt32.fetchCursor(db, sql: "SELECT row FROM unexamined")))
            for (ordinal, key) in keys {
                let row = try Int64.fetchOne(db, sql: "SELECT examinedRow FROM source WHERE key = ?", arguments: [key])
                indexing.indexedRows[ordinal] = UInt32(clamping: row ?? 0)
            }
            self.indexing.withLock { $0 = $0 ?? indexing }
        }
    }

    /// A program that was replaced by an older one and then by a newer one again must find its files anew, so the
    /// version is recorded even if it falls.
    private static func reopenAfterUpdate(_ db: Database) throws {
        let version = UInt64(ImageMetadata.currentReader)
        let former = try counter("readerVersion", db)
        guard former != version else { return }
        if former < version { try db.execute(sql: "UPDATE source SET examinedRow = NULL") }
        try keep(version, as: "readerVersion", db)
    }

    /// Records that files have changed. Call it in the transaction that writes their rows.
    func note(changed rows: [UInt32], _ db: Database) throws {
        guard !rows.isEmpty else { return }
        let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO unexamined (row) VALUES (?)")
        for row in rows { try statement.execute(arguments: [Int64(row)]) }
        indexing.withLock { for row in rows { $0?.open(row) } }
        // A search that reads a row before the commit finds it indexed, and passes it.
        db.afterNextTransaction { [indexing] _ in
            indexing.withLock { for row in rows { $0?.openIfPassed(row) } }
        }
    }

    /// Records that all rows of these sources before `next` are indexed, except those that are open or left. Blocking.
    func settleIndexing(_ keys: [Int: String], before next: UInt32, left: Set<UInt32>) throws {
        let done = try database.write { db -> Set<UInt32> in
            let (again, done) = indexing.withLock { ($0?.again ?? [], ($0?.done ?? []).subtracting(left)) }
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
        indexing.withLock { indexing in
            for ordinal in keys.keys { indexing?.indexedRows[ordinal] = next }
            indexing?.forget(done)
        }
    }

    /// Clears the result of files that were found to be undisplayable, so that they are indexed again. Blocking.
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

extension Index.IndexedRow {
    /// Nil if the row is not a file's, or is damaged.
    fileprivate init?(_ row: StoredRow) {
        guard let id = row.integer(0), let path = row.text(1), let stamp = FileStamp(row, from: 2) else { return nil }
        self.id = ImageID(rawValue: UInt64(bitPattern: id))
        self.path = path
        version = stamp.version
        sidecars = SidecarVersion(stored: row.integer(7))
        if let known = row.integer(5), let readerVersion = row.count(6) {
            let version = ContentVersion(rawValue: UInt64(bitPattern: known))
            metadata = (version, readerVersion, SidecarVersion(stored: row.integer(8)))
        } else {
            metadata = nil
        }
    }
}
