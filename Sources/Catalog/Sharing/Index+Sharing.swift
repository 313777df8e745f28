import GRDB
import Images
import Synchronization

extension Index {
    /// How other nodes' metadata arrived.
    enum Provenance {
        /// From a log that was read from position `former` up to `position`.
        case log(String, former: Int64, position: Int64)
        case direct
    }

    /// Sets whether new metadata is recorded for other nodes. Turning it off forgets all read positions, so that later
    /// everything is published from the beginning.
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

    /// Stores the read position, in the transaction that writes the metadata.
    func keep(_ origin: Provenance, _ db: Database) throws {
        guard case .log(let log, let former, let position) = origin else { return }
        try db.execute(
            sql: "UPDATE heard SET position = ? WHERE log = ? AND position = ?", arguments: [position, log, former])
        guard db.changesCount == 1 else { throw OutboxError() }
    }

    /// For each of these images, the version of its known metadata, if that must not be replaced by metadata of another
    /// version from other nodes. For an image whose source states the content version, that is the stated version. For
    /// any other image the version published last wins, unless this node has unpublished metadata of it.
    ///
    /// - Parameter rows: The rows of those images that have one.
    func presentVersions(
        of ids: some Sequence<ImageID>, _ rows: [UInt32], _ db: Database
    ) throws -> [ImageID: ContentVersion] {
        let originals = try db.cachedStatement(
            sql: "SELECT id, \(ScannedImage.Original.columns) FROM image WHERE row = ?")
        var said: [ImageID: ContentVersion] = [:]
        for row in rows {
            try originals.rows(Int64(row)) { stored in
                guard let id = stored.integer(0), let present = ScannedImage.Original(stored, from: 1).version else {
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

    /// Adds images with new metadata to the outbox. Call it in the transaction that writes the metadata.
    func note(unpublished ids: some Sequence<ImageID>, _ db: Database) throws {
        guard isShared.load(ordering: .relaxed) else { return }
        // Each insertion gets a new, larger mark.
        let statement = try db.cachedStatement(sql: "INSERT OR REPLACE INTO untold (id) VALUES (?)")
        for id in ids { try statement.execute(arguments: [Int64(bitPattern: id.rawValue)]) }
    }

    func unpublished(limit: Int) throws -> UnpublishedMetadata {
        try read { db in
            var unpublished = UnpublishedMetadata()
            let columns = "facts.id, version, \(MetadataColumns.names.joined(separator: ", "))"
            let learned = try db.cachedStatement(
                sql: """
                    SELECT mark, \(columns) FROM untold LEFT JOIN facts ON facts.id = untold.id
                    ORDER BY mark DESC LIMIT ?
                    """)
            try learned.rows(Int64(limit)) { row in
                guard let mark = row.integer(0) else { return }
                unpublished.marks.append(mark)
                // Images that are gone have no metadata to publish.
                if let metadata = SharedMetadata(row, from: 1) { unpublished.metadata.append(metadata) }
            }
            let room = limit - unpublished.marks.count
            guard room > 0, let from = try Index.backlog(db) else { return unpublished }
            let before = try db.cachedStatement(
                sql: "SELECT \(columns) FROM facts WHERE id > ? ORDER BY id LIMIT ?")
            var last = from
            var count = 0
            try before.rows(from, Int64(room)) { row in
                guard let metadata = SharedMetadata(row, from: 0) else { return }
                unpublished.metadata.append(metadata)
                last = Int64(bitPattern: metadata.image.rawValue)
                count += 1
            }
            unpublished.backlog = count < room ? .max : last
            return unpublished
        }
    }

    func published(_ metadata: UnpublishedMetadata) throws {
        try database.write { db in
            let statement = try db.cachedStatement(sql: "DELETE FROM untold WHERE mark = ?")
            for mark in metadata.marks { try statement.execute(arguments: [mark]) }
            guard let last = metadata.backlog else { return }
            try db.execute(sql: "UPDATE heard SET backlog = ?", arguments: [last == .max ? nil : last])
        }
    }

    func countUnpublished() throws -> Int {
        try read { db in
            let learned = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM untold") ?? 0
            guard let from = try Index.backlog(db) else { return learned }
            let before = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM facts WHERE id > ?", arguments: [from]) ?? 0
            return learned + before
        }
    }

    /// The image id after which metadata from before this node followed the log is still unpublished; nil if all of it
    /// is published.
    private static func backlog(_ db: Database) throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT backlog FROM heard WHERE backlog IS NOT NULL")
    }
}

extension SharedMetadata {
    /// - Parameter first: The index of the image's id in the row; its version and metadata follow.
    fileprivate init?(_ row: StoredRow, from first: Int32) {
        guard let image = row.integer(first) else { return nil }
        self.init(
            image: ImageID(rawValue: UInt64(bitPattern: image)),
            version: row.integer(first + 1).map { ContentVersion(rawValue: UInt64(bitPattern: $0)) },
            metadata: MetadataColumns.metadata(row, from: first + 2))
    }
}
