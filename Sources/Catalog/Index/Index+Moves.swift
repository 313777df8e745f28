import GRDB
import Images

extension Index {
    /// An image that is the file of another image under a new name.
    struct Moved {
        let old: ImageID
        let added: AddedImage
        /// Whether it is certainly the same file. A file that only looks the same is indexed anyway.
        let isCertain: Bool
    }

    /// An image that was added.
    struct AddedImage {
        let id: ImageID
        let row: UInt32
        /// The version of its present content.
        let version: ContentVersion
    }

    /// An added file that has the size of files that were removed.
    struct PossibleMove {
        /// The removed images by the digests of their contents.
        let gone: [ContentDigest: ImageID]
        let path: String
        let added: AddedImage
    }

    /// The removed images that may exist under another name.
    struct Moves {
        /// Files with the same inode number, size and time.
        var known: [Moved] = []
        /// Other files with the same size as a removed one whose digest is known.
        var possible: [PossibleMove] = []

        var isEmpty: Bool { known.isEmpty && possible.isEmpty }
    }

    /// - Parameters:
    ///   - gone: Removed images, whose rows still exist.
    ///   - firstRow: The first row of the added images.
    ///   - own: The removed images of the scanned source, and the first row that its scan added. Inode numbers are
    ///     certain to belong to the same disk only within one source.
    func moves(
        of gone: [(id: ImageID, row: UInt32)], from firstRow: UInt32, own: (gone: Set<UInt32>, firstRow: UInt32)
    ) throws -> Moves {
        guard try counters().nextRow > firstRow else { return Moves() }
        return try read { db in
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
            let added = try db.cachedStatement(
                sql: """
                    SELECT size, seconds, nanoseconds, inode, id, row, location FROM image
                    WHERE row >= ? AND objectVersion IS NULL
                    """)
            try added.rows(Int64(firstRow)) { row in
                guard let id = row.integer(4), let stamp = FileStamp(row, from: 0) else { return }
                let file = File(row, stamp)
                let added = AddedImage(
                    id: ImageID(rawValue: UInt64(bitPattern: id)), row: UInt32(clamping: row.integer(5) ?? 0),
                    version: stamp.version)
                // It may have been added and removed again within the period.
                guard !left.contains(added.row) else { return }
                if file.inode != nil, let old = files[file] {
                    let isCertain = old.isOwn && added.row >= own.firstRow
                    moves.known.append(Moved(old: old.id, added: added, isCertain: isCertain))
                } else if let gone = digests[stamp.size], let path = row.text(6) {
                    moves.possible.append(PossibleMove(gone: gone, path: path, added: added))
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

    /// Copies the metadata of moved images to their new ids. Metadata already read from an image's present content
    /// stays.
    func copyMetadata(_ moved: [Moved]) throws {
        let names = MetadataColumns.names.joined(separator: ", ")
        // An image that only looks the same does not count as indexed.
        let possible = MetadataColumns.names.map { $0 == "examination" ? "NULL" : $0 }.joined(separator: ", ")
        func sql(_ version: String, _ values: String) -> String {
            """
            INSERT OR REPLACE INTO facts (id, version, \(names)) SELECT ?1, \(version), \(values) FROM facts
            WHERE id = ?2 AND NOT EXISTS (SELECT 1 FROM facts WHERE id = ?1 AND version = ?3)
            """
        }
        try database.write { db in
            let certain = try db.cachedStatement(sql: sql("version", names))
            let likely = try db.cachedStatement(sql: sql("?3", possible))
            columns.touch(moved.map(\.added.row))
            try ColumnStore.forget(moved.map(\.added.row), db)
            try note(unpublished: moved.lazy.map(\.added.id), db)
            for move in moved {
                let ids = [move.added.id.rawValue, move.old.rawValue, move.added.version.rawValue].map {
                    Int64(bitPattern: $0)
                }
                try (move.isCertain ? certain : likely).execute(arguments: StatementArguments(ids))
            }
        }
        columns.touch(moved.map(\.added.row))
    }
}
