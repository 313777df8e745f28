import GRDB
import GRDBSQLite
import Images
import Locking

/// Keeps the columns of one index up to date: reads rows when they are needed first, and again after they have changed, a
/// block at a time.
final class ColumnKeeper: Sendable {
    private struct State {
        var columns: Columns
        /// Blocks that have changed since they were read.
        var stale: Set<Int> = []
        /// Rows below this were read at least once.
        var known = 0
        /// Raised with every change.
        var generation: UInt64 = 0
    }

    private let state: Guarded<State>
    private let folders = FolderTable()

    init() { state = Guarded(State(columns: Columns(folders: folders))) }

    /// Raised whenever a row changes that the columns have, or a new one comes.
    var generation: UInt64 { state.withLock(\.generation) }

    /// These rows have been written.
    func touch(_ rows: some Sequence<UInt32>) {
        state.withLock { state in
            state.generation += 1
            for row in rows where Int(row) < state.known { state.stale.insert(Int(row) / ColumnBlock.size) }
        }
    }

    /// The columns of all rows below `end` as they are now, and the generation that they are of. Blocking; called on one
    /// thread at a time.
    ///
    /// - Throws: `DatabaseError`.
    func current(below end: UInt32, of database: any DatabaseReader) throws -> (Columns, generation: UInt64) {
        let (due, generation) = state.withLock { state in
            var due = state.stale
            state.stale = []
            let first = state.known / ColumnBlock.size
            let last = (Int(end) + ColumnBlock.size - 1) / ColumnBlock.size
            if Int(end) > state.known, first < last { due.formUnion(first..<last) }
            // Marked before they are read: what changes meanwhile is stale again.
            state.known = max(state.known, Int(end))
            return (due.sorted(), state.generation)
        }
        guard !due.isEmpty else { return state.withLock { ($0.columns, generation) } }
        do {
            try database.read { db in
                let reader = try ColumnReader(db)
                for number in due {
                    let block = try reader.block(number, folders: folders)
                    state.withLock { $0.columns.set(block, at: number) }
                }
            }
        } catch {
            state.withLock { $0.stale.formUnion(due) }
            throw error
        }
        return state.withLock { ($0.columns, generation) }
    }
}

/// Reads rows for the columns. Past GRDB, which makes an object of each row: a million are read in a second so.
private struct ColumnReader {
    private let statement: Statement

    init(_ db: Database) throws {
        statement = try db.cachedStatement(
            sql: """
                SELECT image.row, location, size, seconds, nanoseconds, image.name, image.width, image.height,
                image.takenAt, version, facts.width, facts.height, mediaType, byteCount, facts.takenAt, make, model,
                lens, latitude, longitude, isIncomplete
                FROM image LEFT JOIN facts ON facts.id = image.id WHERE image.row >= ? AND image.row < ?
                """)
    }

    func block(_ number: Int, folders: FolderTable) throws -> ColumnBlock {
        let first = number * ColumnBlock.size
        var rows = [ColumnRow?](repeating: nil, count: ColumnBlock.size)
        let raw = statement.sqliteStatement
        defer { sqlite3_reset(raw) }
        sqlite3_reset(raw)
        sqlite3_bind_int64(raw, 1, Int64(first))
        sqlite3_bind_int64(raw, 2, Int64(first + ColumnBlock.size))
        while true {
            let code = sqlite3_step(raw)
            guard code != SQLITE_DONE else { break }
            guard code == SQLITE_ROW else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
            let place = Int(sqlite3_column_int64(raw, 0)) - first
            guard rows.indices.contains(place) else { continue }
            rows[place] = row(raw)
        }
        return ColumnBlock(rows, folders: folders)
    }

    private func row(_ raw: SQLiteStatement) -> ColumnRow {
        func text(_ column: Int32) -> String? {
            guard let start = sqlite3_column_text(raw, column) else { return nil }
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, column)))
            return String(decoding: bytes, as: UTF8.self)
        }
        func integer(_ column: Int32) -> Int64? {
            sqlite3_column_type(raw, column) == SQLITE_INTEGER ? sqlite3_column_int64(raw, column) : nil
        }
        func number(_ column: Int32) -> Double? {
            sqlite3_column_type(raw, column) == SQLITE_NULL ? nil : sqlite3_column_double(raw, column)
        }
        var row = ColumnRow()
        let location = text(1) ?? ""
        let stamp = integer(2).flatMap { size in
            integer(3).flatMap { seconds in
                integer(4).map { FileStamp(size: size, modifiedSeconds: seconds, modifiedNanoseconds: $0) }
            }
        }
        let version = integer(9).map { ContentVersion(rawValue: UInt64(bitPattern: $0)) }
        // Facts of an older content are no longer true.
        let hasFacts = stamp.map { $0.version == version } ?? true
        let name = text(5) ?? (stamp == nil ? WebAddress.name(of: location) : FilePath.name(of: location))
        var camera = ""
        if hasFacts {
            camera = [text(15), text(16), text(17)].compactMap(\.self).joined(separator: " ")
            row.taken = (text(14) ?? text(8)).flatMap { WallTime.seconds($0) }
            row.ratio = AspectRatio.byte(
                width: Int(integer(10) ?? integer(6) ?? 0), height: Int(integer(11) ?? integer(7) ?? 0))
            row.size = stamp?.size ?? integer(13)
            if let latitude = number(18), let longitude = number(19) { row.place = (latitude, longitude) }
            row.isBroken = integer(20) == 1
        } else {
            row.taken = text(8).flatMap { WallTime.seconds($0) }
            row.size = stamp?.size
        }
        row.kind = MediaKind(mediaType: hasFacts ? text(12) : nil, name: name)
        row.folder = stamp == nil ? "" : FilePath.folder(of: location)
        for field in TextField.allCases {
            switch field {
            case .name: row.append(name)
            case .camera: row.append(camera)
            case .title, .keywords, .place: break
            }
            row.endField()
        }
        return row
    }
}
