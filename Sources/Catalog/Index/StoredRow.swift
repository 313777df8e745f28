import GRDB
import GRDBSQLite

/// The current row of a SQLite statement; valid until the next step. Bypasses GRDB, which creates objects for each row
/// and value: with hundreds of rows per viewport, that costs more than finding them.
///
/// A value of another type than requested, such as a damaged one, reads as nil and never traps.
struct StoredRow {
    fileprivate let raw: SQLiteStatement

    func integer(_ column: Int32) -> Int64? {
        sqlite3_column_type(raw, column) == SQLITE_INTEGER ? sqlite3_column_int64(raw, column) : nil
    }

    func count(_ column: Int32) -> Int? { integer(column).map { Int($0) } }

    func flag(_ column: Int32) -> Bool? { integer(column).map { $0 != 0 } }

    func number(_ column: Int32) -> Double? {
        switch sqlite3_column_type(raw, column) {
        case SQLITE_FLOAT, SQLITE_INTEGER: sqlite3_column_double(raw, column)
        default: nil
        }
    }

    func text(_ column: Int32) -> String? {
        guard sqlite3_column_type(raw, column) == SQLITE_TEXT, let start = sqlite3_column_text(raw, column) else {
            return nil
        }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8]? {
        guard sqlite3_column_type(raw, column) == SQLITE_BLOB else { return nil }
        let bytes = UnsafeRawBufferPointer(
            start: sqlite3_column_blob(raw, column), count: Int(sqlite3_column_bytes(raw, column)))
        return Array(bytes)
    }
}

extension Statement {
    /// Runs the statement with these arguments and passes on its rows one by one.
    func rows(_ arguments: Int64..., read: (StoredRow) throws -> Void) throws {
        let raw = sqliteStatement
        sqlite3_reset(raw)
        defer { sqlite3_reset(raw) }
        for (place, argument) in arguments.enumerated() { sqlite3_bind_int64(raw, Int32(place + 1), argument) }
        while true {
            let code = sqlite3_step(raw)
            guard code != SQLITE_DONE else { return }
            guard code == SQLITE_ROW else { throw DatabaseError(stepped: raw, code) }
            try read(StoredRow(raw: raw))
        }
    }

    /// The same for at most one row; nil if there is none.
    func row<Value>(_ argument: Int64, read: (StoredRow) throws -> Value?) throws -> Value? {
        let raw = sqliteStatement
        sqlite3_reset(raw)
        defer { sqlite3_reset(raw) }
        sqlite3_bind_int64(raw, 1, argument)
        let code = sqlite3_step(raw)
        guard code != SQLITE_DONE else { return nil }
        guard code == SQLITE_ROW else { throw DatabaseError(stepped: raw, code) }
        return try read(StoredRow(raw: raw))
    }
}

extension DatabaseError {
    /// The error of a step that returned no row.
    init(stepped raw: SQLiteStatement, _ code: CInt) {
        let message = sqlite3_db_handle(raw).flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        self.init(resultCode: ResultCode(rawValue: code), message: message)
    }
}
