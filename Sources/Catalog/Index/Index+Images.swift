import GRDB
import GRDBSQLite
import Images

/// One image as stored in its row.
struct ImageRow: Sendable {
    let id: ImageID
    let scannedImage: ScannedImage
}

extension Index {
    private static let columns =
        "id, location, name, width, height, takenAt, \(ScannedImage.Original.columns), sidecars"
    private static let selectImage = "SELECT \(columns) FROM image WHERE row = ?"

    /// The rows with these numbers, in the requested order; nil for a missing row. Blocking.
    func read(_ rows: [UInt32]) throws -> [ImageRow?] { try read(rows, learning: []).rows }

    /// The same, with the metadata of images, if that can be read.
    func read(
        _ rows: [UInt32], learning ids: [ImageID?]
    ) throws -> (rows: [ImageRow?], learned: Result<[LearnedMetadata?], any Error>) {
        try read { db in
            let statement = try db.cachedStatement(sql: Index.selectImage)
            return (try rows.map { try Index.image($0, statement) }, Result { try Index.learned(of: ids, db) })
        }
    }

    /// Lets `body` read rows one by one, all from one consistent snapshot of the database. Blocking.
    func reading<Value>(_ body: (@escaping (UInt32) throws -> ImageRow?) throws -> Value) throws -> Value {
        try read { db in
            let statement = try db.cachedStatement(sql: Index.selectImage)
            return try body { try Index.image($0, statement) }
        }
    }

    /// Writes scanned images, in order, in one transaction.
    ///
    /// - Parameters:
    ///   - known: The row that the image had before; it is kept if it is still correct.
    ///   - nextRow: The number of the next new row.
    ///   - revision: The revision in which the images will be visible.
    /// - Returns: The row of each image, and whether any image is new or has changed.
    func write(
        _ seen: [(id: ImageID, known: UInt32?, scannedImage: ScannedImage)], nextRow: inout UInt32, revision: UInt64
    ) throws -> (rows: [UInt32], hasChanges: Bool) {
        var next = nextRow
        let written = try database.write { db in
            let select = try db.cachedStatement(sql: Index.selectImage)
            let insert = try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO image (row, \(Index.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            var rows: [UInt32] = []
            rows.reserveCapacity(seen.count)
            var hasChanges = false
            /// Rows of files whose content has changed, and all rows that were written.
            var changed: [UInt32] = []
            var touched: [UInt32] = []
            for (id, known, scannedImage) in seen {
                var row = next
                if let known {
                    row = known
                    let present = try Index.image(known, select)
                    if let present, present.id == id {
                        if present.scannedImage == scannedImage {
                            rows.append(known)
                            continue
                        }
                        hasChanges = hasChanges || !present.scannedImage.isSamePicture(as: scannedImage)
                    } else {
                        hasChanges = true
                    }
                    if case .file = scannedImage.original { changed.append(row) }
                } else {
                    // No gallery reaches this many rows, so the counter is damaged.
                    guard next < .max else {
                        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the next row's number is damaged")
                    }
                    next += 1
                    hasChanges = true
                }
                touched.append(row)
                try insert.write(row, id, scannedImage)
                rows.append(row)
            }
            try note(changed: changed, db)
            try Index.keep(revision, as: "revision", db)
            try Index.keep(UInt64(next), as: "nextRow", db)
            columns.touch(touched)
            try ColumnStore.forget(touched, db)
            return (rows: rows, hasChanges: hasChanges, touched: touched)
        }
        nextRow = next
        // Blocks of these rows that were read before the transaction ended are out of date.
        columns.touch(written.touched)
        return (written.rows, written.hasChanges)
    }

    /// Deletes rows that no listing contains any more, and the metadata of their images.
    ///
    /// - Parameter isUnknown: Whether no listing contains the image under another row.
    func remove(_ gone: [(id: ImageID, row: UInt32)], isUnknown: (ImageID) -> Bool = { _ in true }) throws {
        try database.write { db in
            let image = try db.cachedStatement(sql: "DELETE FROM image WHERE row = ?")
            let metadata = try db.cachedStatement(sql: "DELETE FROM facts WHERE id = ?")
            for (id, row) in gone {
                try image.execute(arguments: [Int64(row)])
                if isUnknown(id) { try metadata.execute(arguments: [Int64(bitPattern: id.rawValue)]) }
            }
        }
    }

    private static func image(_ number: UInt32, _ statement: Statement) throws -> ImageRow? {
        try statement.row(Int64(number), read: ImageRow.init)
    }
}

extension Statement {
    /// Inserts an image. The first scan of a folder inserts a million rows here, and GRDB's boxed arguments would take
    /// longer than SQLite itself.
    fileprivate func write(_ row: UInt32, _ id: ImageID, _ scannedImage: ScannedImage) throws {
        let statement = sqliteStatement
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        func bind(_ number: Int64?, at place: Int32) {
            if let number { sqlite3_bind_int64(statement, place, number) }
        }
        func bind(_ text: String?, at place: Int32) {
            guard var text else { return }
            text.withUTF8 { bytes in
                // -1 is SQLITE_TRANSIENT: SQLite makes its own copy. Passing the length preserves NULs in the text.
                let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                bytes.withMemoryRebound(to: CChar.self) { letters in
                    // A null pointer would be stored as NULL rather than as an empty text.
                    let start = letters.baseAddress.map(UnsafeRawPointer.init) ?? UnsafeRawPointer(statement)
                    _ = sqlite3_bind_text(
                        statement, place, start.assumingMemoryBound(to: CChar.self), Int32(clamping: letters.count),
                        transient)
                }
            }
        }
        bind(Int64(row), at: 1)
        bind(Int64(bitPattern: id.rawValue), at: 2)
        bind(scannedImage.location, at: 3)
        bind(scannedImage.stated.name, at: 4)
        bind(scannedImage.stated.width.map(Int64.init), at: 5)
        bind(scannedImage.stated.height.map(Int64.init), at: 6)
        bind(scannedImage.stated.takenAt, at: 7)
        let values = scannedImage.original.values + [scannedImage.sidecars.stored]
        for (place, value) in values.enumerated() { bind(value, at: Int32(8 + place)) }
        defer { sqlite3_reset(statement) }
        let code = sqlite3_step(statement)
        guard code == SQLITE_DONE else { throw DatabaseError(stepped: statement, code) }
    }
}

extension ImageRow {
    /// Nil if the row is damaged.
    fileprivate init?(_ row: StoredRow) {
        guard let id = row.integer(0), let location = row.text(1) else { return nil }
        let scannedImage = ScannedImage(
            location: location, original: ScannedImage.Original(row, from: 6),
            sidecars: SidecarVersion(stored: row.integer(11)),
            stated: ScannedImage.Stated(
                name: row.text(2), width: row.count(3), height: row.count(4), takenAt: row.text(5)))
        self.init(id: ImageID(rawValue: UInt64(bitPattern: id)), scannedImage: scannedImage)
    }
}

extension FileStamp {
    /// - Parameter first: The index of the column `size`; `seconds` and `nanoseconds` follow. The result is nil unless
    ///   all three have values.
    init?(_ row: StoredRow, from first: Int32) {
        guard let size = row.integer(first), let seconds = row.integer(first + 1),
            let nanoseconds = row.integer(first + 2)
        else { return nil }
        self.init(size: size, modifiedSeconds: seconds, modifiedNanoseconds: nanoseconds)
    }
}
