import GRDB
import GRDBSQLite
import Images

/// One image as its row has it.
struct ImageRow: Sendable {
    let id: ImageID
    let sighting: Sighting
}

extension Index {
    private static let columns = "id, location, name, width, height, takenAt, \(Sighting.Original.columns)"
    private static let selectImage = "SELECT \(columns) FROM image WHERE row = ?"

    /// The rows with these numbers, in the order asked for; nil for one that is not there. Blocking.
    func read(_ rows: [UInt32]) throws -> [ImageRow?] { try read(rows, learning: []).rows }

    /// The same, and what was learnt of images, as far as that can be read.
    func read(
        _ rows: [UInt32], learning ids: [ImageID?]
    ) throws -> (rows: [ImageRow?], learnt: Result<[Learnt?], any Error>) {
        try database.read { db in
            let statement = try db.cachedStatement(sql: Index.selectImage)
            return (try rows.map { try Index.image($0, statement) }, Result { try Index.learnt(of: ids, db) })
        }
    }

    /// Has rows be read one after the other, as of one moment. Blocking.
    func reading<Value>(_ body: (@escaping (UInt32) throws -> ImageRow?) throws -> Value) throws -> Value {
        try database.read { db in
            let statement = try db.cachedStatement(sql: Index.selectImage)
            return try body { try Index.image($0, statement) }
        }
    }

    /// Writes what was seen, in order, in one transaction, and tells the row of each.
    ///
    /// - Parameters:
    ///   - known: the row that an image had before, to be kept when it is still right.
    ///   - nextRow: the number of the next new row.
    ///   - revision: the revision in which the images will be seen.
    /// - Returns: the rows, and whether any image came or changed.
    func write(
        _ seen: [(id: ImageID, known: UInt32?, sighting: Sighting)], nextRow: inout UInt32, revision: UInt64
    ) throws -> (rows: [UInt32], isNews: Bool) {
        var next = nextRow
        let written = try database.write { db in
            let select = try db.cachedStatement(sql: Index.selectImage)
            let insert = try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO image (row, \(Index.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            var rows: [UInt32] = []
            rows.reserveCapacity(seen.count)
            var isNews = false
            /// Rows that stand for other content than before, and all that were written.
            var changed: [UInt32] = []
            var touched: [UInt32] = []
            for (id, known, sighting) in seen {
                var row = next
                if let known {
                    row = known
                    let present = try Index.image(known, select)
                    if let present, present.id == id {
                        if present.sighting == sighting {
                            rows.append(known)
                            continue
                        }
                        isNews = isNews || !present.sighting.isSamePicture(as: sighting)
                    } else {
                        isNews = true
                    }
                    if case .file = sighting.original { changed.append(row) }
                } else {
                    // No gallery comes so far: the counter is damaged.
                    guard next < .max else {
                        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the next row's number is damaged")
                    }
                    next += 1
                    isNews = true
                }
                touched.append(row)
                try insert.write(row, id, sighting)
                rows.append(row)
            }
            try note(changed: changed, db)
            try Index.keep(revision, as: "revision", db)
            try Index.keep(UInt64(next), as: "nextRow", db)
            columns.touch(touched)
            try ColumnKeeper.forget(touched, db)
            return (rows: rows, isNews: isNews, touched: touched)
        }
        nextRow = next
        // What was read of them before the transaction ended is old.
        columns.touch(written.touched)
        return (written.rows, written.isNews)
    }

    /// Forgets rows that are in no listing any more, and what was learnt of their images.
    ///
    /// - Parameter isUnknown: whether the image is in no listing under another row.
    func remove(_ gone: [(id: ImageID, row: UInt32)], isUnknown: (ImageID) -> Bool = { _ in true }) throws {
        try database.write { db in
            let image = try db.cachedStatement(sql: "DELETE FROM image WHERE row = ?")
            let facts = try db.cachedStatement(sql: "DELETE FROM facts WHERE id = ?")
            for (id, row) in gone {
                try image.execute(arguments: [Int64(row)])
                if isUnknown(id) { try facts.execute(arguments: [Int64(bitPattern: id.rawValue)]) }
            }
        }
    }

    private static func image(_ number: UInt32, _ statement: Statement) throws -> ImageRow? {
        try statement.row(Int64(number), read: ImageRow.init)
    }
}

extension Statement {
    /// Executes an insertion of an image. A million files come this way when a folder is read first, and arguments in
    /// boxes take longer than all that SQLite does with them.
    fileprivate func write(_ row: UInt32, _ id: ImageID, _ sighting: Sighting) throws {
        let statement = sqliteStatement
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        func bind(_ number: Int64?, at place: Int32) {
            if let number { sqlite3_bind_int64(statement, place, number) }
        }
        func bind(_ text: String?, at place: Int32) {
            guard var text else { return }
            text.withUTF8 { bytes in
                // As SQLITE_TRANSIENT: SQLite makes a copy of its own. Its letters as they are, a NUL among them too.
                let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                bytes.withMemoryRebound(to: CChar.self) { letters in
                    // Without an address it would be no text, and not an empty one.
                    let start = letters.baseAddress.map(UnsafeRawPointer.init) ?? UnsafeRawPointer(statement)
                    _ = sqlite3_bind_text(
                        statement, place, start.assumingMemoryBound(to: CChar.self), Int32(clamping: letters.count),
                        transient)
                }
            }
        }
        bind(Int64(row), at: 1)
        bind(Int64(bitPattern: id.rawValue), at: 2)
        bind(sighting.location, at: 3)
        bind(sighting.stated.name, at: 4)
        bind(sighting.stated.width.map(Int64.init), at: 5)
        bind(sighting.stated.height.map(Int64.init), at: 6)
        bind(sighting.stated.takenAt, at: 7)
        for (place, value) in sighting.original.values.enumerated() { bind(value, at: Int32(8 + place)) }
        defer { sqlite3_reset(statement) }
        let code = sqlite3_step(statement)
        guard code == SQLITE_DONE else { throw DatabaseError(stepped: statement, code) }
    }
}

extension ImageRow {
    /// Nil when the row is damaged.
    fileprivate init?(_ row: StoredRow) {
        guard let id = row.integer(0), let location = row.text(1) else { return nil }
        let sighting = Sighting(
            location: location, original: Sighting.Original(row, from: 6),
            stated: Sighting.Stated(
                name: row.text(2), width: row.count(3), height: row.count(4), takenAt: row.text(5)))
        self.init(id: ImageID(rawValue: UInt64(bitPattern: id)), sighting: sighting)
    }
}

extension FileStamp {
    /// - Parameter first: where size, seconds and nanoseconds stand in the row; nil unless all are there.
    init?(_ row: StoredRow, from first: Int32) {
        guard let size = row.integer(first), let seconds = row.integer(first + 1),
            let nanoseconds = row.integer(first + 2)
        else { return nil }
        self.init(size: size, modifiedSeconds: seconds, modifiedNanoseconds: nanoseconds)
    }
}
