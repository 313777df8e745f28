import GRDB
import Images

extension Index {
    /// An image that is another one's file under a new name.
    struct Moved {
        let old: ImageID
        let came: Came
        /// Whether it is known to be the same file. One that is only alike is looked into all the same.
        let isCertain: Bool
    }

    /// An image that came.
    struct Came {
        let id: ImageID
        let row: UInt32
        /// The present content's.
        let version: ContentVersion
    }

    /// A file that came and has the size of files that have gone.
    struct Alike {
        /// By the content's digest.
        let gone: [ContentDigest: ImageID]
        let path: String
        let came: Came
    }

    /// Which of the images that have gone may be there under another name.
    struct Moves {
        /// Files of the same number, size and time.
        var known: [Moved] = []
        /// Others of the same size as one that has gone and whose digest is known.
        var alike: [Alike] = []

        var isEmpty: Bool { known.isEmpty && alike.isEmpty }
    }

    /// - Parameters:
    ///   - gone: images whose rows are still there.
    ///   - firstRow: the first row of those that came.
    ///   - own: the gone ones of the source that was read, and the first row that it brought: only there a file's number
    ///     is of the same disk for certain.
    func moves(
        of gone: [(id: ImageID, row: UInt32)], from firstRow: UInt32, own: (gone: Set<UInt32>, firstRow: UInt32)
    ) throws -> Moves {
        guard try counters().nextRow > firstRow else { return Moves() }
        return try database.read { db in
            let old = try db.cachedStatement(
                sql: """
                    SELECT size, seconds, nanoseconds, inode, digest
                    FROM image LEFT JOIN facts ON facts.id = image.id WHERE row = ? AND objectVersion IS NULL
                    """)
            var files: [File: (id: ImageID, isOwn: Bool)] = [:]
            var digests: [Int64: [ContentDigest: ImageID]] = [:]
            for (id, row) in gone {
                guard
                    let (file, digest) = try old.row(
                        Int64(row),
                        read: { row in
                            FileStamp(row, from: 0).map { (File(row, $0), row.integer(4)) }
                        })
                else { continue }
                if file.inode != nil { files[file] = (id, own.gone.contains(row)) }
                if let digest {
                    digests[file.stamp.size, default: [:]][ContentDigest(rawValue: UInt64(bitPattern: digest))] = id
                }
            }
            guard !files.isEmpty || !digests.isEmpty else { return Moves() }
            let left = Set(gone.map(\.row))
            var moves = Moves()
            let came = try db.cachedStatement(
                sql: """
                    SELECT size, seconds, nanoseconds, inode, id, row, location FROM image
                    WHERE row >= ? AND objectVersion IS NULL
                    """)
            try came.rows(Int64(firstRow)) { row in
                guard let id = row.integer(4), let stamp = FileStamp(row, from: 0) else { return }
                let file = File(row, stamp)
                let came = Came(
                    id: ImageID(rawValue: UInt64(bitPattern: id)), row: UInt32(clamping: row.integer(5) ?? 0),
                    version: stamp.version)
                // It may have come and gone within the time that is looked at.
                guard !left.contains(came.row) else { return }
                if file.inode != nil, let old = files[file] {
                    let isCertain = old.isOwn && came.row >= own.firstRow
                    moves.known.append(Moved(old: old.id, came: came, isCertain: isCertain))
                } else if let gone = digests[stamp.size], let path = row.text(6) {
                    moves.alike.append(Alike(gone: gone, path: path, came: came))
                }
            }
            return moves
        }
    }

    private struct File: Hashable {
        let inode: Int64?
        let stamp: FileStamp

        init(_ row: StoredRow, _ stamp: FileStamp) {
            inode = row.integer(3)
            self.stamp = stamp
        }
    }

    /// Gives images what is known of others. What was learnt of them already, as they are now, stays.
    func copyFacts(_ moved: [Moved]) throws {
        let names = FactsColumns.names.joined(separator: ", ")
        // Looked into is only what is certain to be the same.
        let alike = FactsColumns.names.map { $0 == "examination" ? "NULL" : $0 }.joined(separator: ", ")
        func sql(_ version: String, _ values: String) -> String {
            """
            INSERT OR REPLACE INTO facts (id, version, \(names)) SELECT ?1, \(version), \(values) FROM facts
            WHERE id = ?2 AND NOT EXISTS (SELECT 1 FROM facts WHERE id = ?1 AND version = ?3)
            """
        }
        try database.write { db in
            let certain = try db.cachedStatement(sql: sql("version", names))
            let likely = try db.cachedStatement(sql: sql("?3", alike))
            columns.touch(moved.map(\.came.row))
            try ColumnKeeper.forget(moved.map(\.came.row), db)
            try note(untold: moved.lazy.map(\.came.id), db)
            for move in moved {
                let ids = [move.came.id.rawValue, move.old.rawValue, move.came.version.rawValue].map {
                    Int64(bitPattern: $0)
                }
                try (move.isCertain ? certain : likely).execute(arguments: StatementArguments(ids))
            }
        }
        columns.touch(moved.map(\.came.row))
    }
}
