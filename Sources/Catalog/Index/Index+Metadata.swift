import GRDB
import Images
import Synchronization

/// Metadata of an image, and the content version that it was read from.
struct LearnedMetadata: Hashable, Sendable {
    var metadata: ImageMetadata
    /// Nil if the version was not known.
    var version: ContentVersion?

    /// Merges newer metadata into this: metadata of the same content is combined, metadata of another content replaces
    /// it.
    func updated(with newer: LearnedMetadata) -> LearnedMetadata {
        guard newer.version == nil || newer.version == version else { return newer }
        return LearnedMetadata(metadata: metadata.updated(with: newer.metadata), version: version)
    }
}

extension Index {
    /// Sets whether dates in names are used. Saved columns of a run with the other setting are discarded. Call it
    /// before the columns are read.
    func useNameDates(_ isOn: Bool) throws {
        columns.usesNameDates.store(isOn, ordering: .relaxed)
        let value: UInt64 = isOn ? 1 : 2
        try database.write { db in
            guard try Index.counter("nameDates", db) != value else { return }
            try db.execute(sql: "DELETE FROM columns")
            try Index.keep(value, as: "nameDates", db)
        }
    }

    /// Stores metadata, in one transaction.
    ///
    /// - Parameters:
    ///   - rows: The rows of those images that have one.
    ///   - onlyNew: Whether to leave images alone that already have metadata.
    ///   - origin: Set if the metadata came from other nodes. Then it never replaces metadata of a current content
    ///     version, and is not sent on.
    func write(
        _ learned: [ImageID: LearnedMetadata], of rows: [UInt32] = [], onlyNew: Bool = false, origin: Provenance? = nil
    ) throws {
        let names = MetadataColumns.names
        // Metadata of a file that has not been indexed may belong to another file for which this one was mistaken.
        let isMore =
            "(excluded.version IS NULL OR excluded.version IS version)"
            + " AND (examination IS NOT NULL OR excluded.examination IS NULL)"
        // The rules of `ImageMetadata.updated(with:)`.
        let keepsSidecars = "COALESCE(sidecars, 0) <> 0 AND excluded.sidecars IS NULL"
        let knowsAll =
            "excluded.examination IS NOT NULL AND excluded.isBroken IS NOT 1"
            + " AND (excluded.sidecars IS NOT NULL OR excluded.examination > examination)"
        let updates = names.map { name in
            let older = "WHEN \(keepsSidecars) THEN COALESCE(\(name), excluded.\(name))"
            let special =
                MetadataColumns.description.contains(name)
                ? older + " WHEN \(knowsAll) THEN excluded.\(name)" : name == "examination" ? older : ""
            return "\(name) = CASE WHEN NOT (\(isMore)) THEN excluded.\(name) \(special)"
                + " ELSE COALESCE(excluded.\(name), \(name)) END"
        }
        let version = "version = COALESCE(excluded.version, version)"
        let sql = """
            INSERT INTO facts (id, version, \(names.joined(separator: ", ")))
            VALUES (\(repeatElement("?", count: names.count + 2).joined(separator: ", ")))
            ON CONFLICT (id) DO \(onlyNew ? "NOTHING" : "UPDATE SET \(updates.joined(separator: ", ")), \(version)")
            """
        try database.write { db in
            columns.touch(rows)
            try ColumnStore.forget(rows, db)
            if let origin { try keep(origin, db) } else { try note(unpublished: learned.keys, db) }
            let present = origin == nil ? [:] : try presentVersions(of: learned.keys, rows, db)
            let statement = try db.cachedStatement(sql: sql)
            for (id, learned) in learned {
                if let present = present[id], let other = learned.version, other != present { continue }
                let version = learned.version.map { Int64(bitPattern: $0.rawValue) }
                let key: [DatabaseValue] = [
                    Int64(bitPattern: id.rawValue).databaseValue, version?.databaseValue ?? .null,
                ]
                statement.setUncheckedArguments(StatementArguments(key + MetadataColumns.values(of: learned.metadata)))
                try statement.execute()
            }
        }
    }

    /// Copies to another index all metadata that it lacks and this one, though damaged, can still read. Blocking.
    ///
    /// - Returns: The number of images copied.
    func copyMetadata(to other: Index, isStopped: () -> Bool) -> Int {
        // From both ends towards the damage.
        let upwards = copyMetadata(to: other, ascending: true, isStopped: isStopped)
        return upwards.isWhole
            ? upwards.count : upwards.count + copyMetadata(to: other, ascending: false, isStopped: isStopped).count
    }

    private func copyMetadata(
        to other: Index, ascending: Bool, isStopped: () -> Bool
    ) -> (count: Int, isWhole: Bool) {
        let batch = 1000
        // A damaged tree may return ids in any order, and repeatedly.
        var most = maximumMetadata()
        // An index with an older schema lacks some columns.
        let there = try? read { Set(try $0.columns(in: "facts").map(\.name)) }
        let columns = MetadataColumns.names.map { there?.contains($0) == false ? "NULL" : $0 }
        let sql = """
            SELECT version, \(columns.joined(separator: ", ")), id FROM facts
            WHERE id \(ascending ? ">" : "<") ? ORDER BY id \(ascending ? "ASC" : "DESC") LIMIT \(batch)
            """
        var count = 0
        var edge: Int64? = ascending ? .min : .max
        while let from = edge, !isStopped() {
            edge = nil
            do {
                let rows = try read { db in
                    var rows: [(id: Int64?, learned: LearnedMetadata)] = []
                    try db.makeStatement(sql: sql).rows(from) { row in
                        rows.append((row.integer(Int32(MetadataColumns.names.count + 1)), LearnedMetadata(row)))
                    }
                    return rows
                }
                let learned = rows.compactMap { row in row.id.map { ($0, row.learned) } }
                try other.write(
                    Dictionary(
                        learned.map { (ImageID(rawValue: UInt64(bitPattern: $0)), $1) }, uniquingKeysWith: { $1 }),
                    onlyNew: true)
                count += learned.count
                most -= rows.count
                guard rows.count == batch else { continue }
                guard let last = learned.last?.0, ascending ? last > from : last < from, most > 0 else {
                    return (count, false)
                }
                edge = last
            } catch {
                return (count, false)
            }
        }
        return (count, true)
    }

    /// An upper bound on the number of rows in the file: each takes a cell of at least four bytes, and two bytes in its
    /// page's cell pointer array.
    private func maximumMetadata() -> Int {
        let bytes = try? read { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            return pages * (try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
        }
        return (bytes ?? 0) / 6
    }

    /// The metadata of these images, in the same order; nil for images without any. Blocking.
    func learned(of ids: [ImageID?]) -> Result<[LearnedMetadata?], any Error> {
        Result { try read { try Index.learned(of: ids, $0) } }
    }

    /// The same, inside an existing transaction.
    static func learned(of ids: [ImageID?], _ db: Database) throws -> [LearnedMetadata?] {
        guard !ids.isEmpty else { return [] }
        let statement = try db.cachedStatement(sql: Index.selectLearned)
        return try ids.map { id in
            try id.flatMap { try statement.row(Int64(bitPattern: $0.rawValue), read: LearnedMetadata.init) }
        }
    }

    private static let selectLearned =
        "SELECT version, \(MetadataColumns.names.joined(separator: ", ")) FROM facts WHERE id = ?"
}

extension LearnedMetadata {
    fileprivate init(_ row: StoredRow) {
        self.init(
            metadata: MetadataColumns.metadata(row, from: 1),
            version: row.integer(0).map { ContentVersion(rawValue: UInt64(bitPattern: $0)) })
    }
}
