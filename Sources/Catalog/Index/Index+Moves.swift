import GRDB
import Images

extension Index {
    /// Which of the images that have gone are there under another name: files of the same number, size and time.
    ///
    /// - Parameters:
    ///   - gone: images whose rows are still there.
    ///   - firstRow: the first row of those that came.
    func movedImages(
        _ gone: [(id: ImageID, row: UInt32)], from firstRow: UInt32
    ) throws -> [Moved] {
        struct File: Hashable {
            let inode: UInt64
            let stamp: FileStamp
        }
        guard try counters().nextRow > firstRow else { return [] }
        return try database.read { db in
            let old = try db.cachedStatement(
                sql: "SELECT size, seconds, nanoseconds, inode FROM image WHERE row = ? AND inode IS NOT NULL")
            func file(_ row: StoredRow) -> File? {
                guard let stamp = FileStamp(row, from: 0), let inode = row.integer(3) else { return nil }
                return File(inode: UInt64(bitPattern: inode), stamp: stamp)
            }
            var files: [File: ImageID] = [:]
            for (id, row) in gone {
                if let file = try old.row(Int64(row), read: file) { files[file] = id }
            }
            guard !files.isEmpty else { return [] }
            var moved: [Moved] = []
            let came = try db.cachedStatement(
                sql: "SELECT size, seconds, nanoseconds, inode, id, row FROM image WHERE row >= ?")
            try came.rows(Int64(firstRow)) { row in
                guard let id = row.integer(4), let file = file(row), let old = files[file] else { return }
                moved.append((old, ImageID(rawValue: UInt64(bitPattern: id)), UInt32(clamping: row.integer(5) ?? 0)))
            }
            return moved
        }
    }

    /// An image that is another one's file under a new name, in this row.
    typealias Moved = (old: ImageID, new: ImageID, row: UInt32)

    /// Gives images what is known of others.
    func copyFacts(_ moved: [Moved]) throws {
        let names = FactsColumns.names.joined(separator: ", ")
        try database.write { db in
            let copy = try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO facts (id, version, \(names))
                    SELECT ?, version, \(names) FROM facts WHERE id = ?
                    """)
            columns.touch(moved.map(\.row))
            try ColumnKeeper.forget(moved.map(\.row), db)
            for (old, new, _) in moved {
                try copy.execute(arguments: [Int64(bitPattern: new.rawValue), Int64(bitPattern: old.rawValue)])
            }
        }
        columns.touch(moved.map(\.row))
    }
}
