import Encodings
import FoundationEssentials
import GRDB
import Images

/// What the index knows about a source from its last complete scan.
struct StoredSource: Sendable {
    var listing: Listing
    /// The state of the list file at that scan; nil for a folder.
    var stamp: FileStamp?
    /// The problems of that scan, for a list that need not be read again.
    var problems: CatalogState.Problems
}

extension Index {
    /// What is known of the source with this key; nil if it was never scanned completely.
    func source(_ key: String) throws -> StoredSource? {
        try read { db in
            let sql = "SELECT id, size, seconds, nanoseconds, problems FROM source WHERE key = ?"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [key]) else { return nil }
            // A damaged value reads as nil and never traps.
            func value<Value: DatabaseValueConvertible>(_ column: Int) -> Value? {
                Value.fromDatabaseValue(row[column] as DatabaseValue)
            }
            guard let id: Int64 = value(0) else { return nil }
            var stamp: FileStamp?
            if let size: Int64 = value(1), let seconds: Int64 = value(2), let nanoseconds: Int64 = value(3) {
                stamp = FileStamp(size: size, modifiedSeconds: seconds, modifiedNanoseconds: nanoseconds)
            }
            let text: String? = value(4)
            let problems = text.flatMap { try? CatalogState.Problems(JSONField($0)) }
            var builder = ListingBuilder()
            let blocks = try Row.fetchCursor(
                db, sql: "SELECT ids, rows FROM listing WHERE source = ? ORDER BY block", arguments: [id])
            while let block = try blocks.next() {
                let ids: [UInt64] = Index.numbers(Data.fromDatabaseValue(block[0] as DatabaseValue))
                let rows: [UInt32] = Index.numbers(Data.fromDatabaseValue(block[1] as DatabaseValue))
                guard ids.count == rows.count else {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a listing is damaged")
                }
                for (id, row) in zip(ids, rows) { builder.append(ImageID(rawValue: id), row: row) }
            }
            return StoredSource(listing: builder.listing(), stamp: stamp, problems: problems ?? .init())
        }
    }

    /// Stores the listing of a source that was scanned completely.
    ///
    /// - Parameter before: The listing that this index already has, if known; equal blocks are not written again.
    func keep(_ known: StoredSource, as key: String, before: Listing? = nil) throws {
        let problems = String(decoding: known.problems.json(), as: UTF8.self)
        try database.write { db in
            let sql = """
                INSERT INTO source (key, size, seconds, nanoseconds, problems) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (key) DO UPDATE SET size = excluded.size, seconds = excluded.seconds,
                nanoseconds = excluded.nanoseconds, problems = excluded.problems
                RETURNING id
                """
            let stamp = known.stamp
            let id = try Int64.fetchOne(
                db, sql: sql,
                arguments: [key, stamp?.size, stamp?.modifiedSeconds, stamp?.modifiedNanoseconds, problems])
            let blocks = known.listing.blocks
            let former = before?.blocks ?? []
            try db.execute(
                sql: "DELETE FROM listing WHERE source = ? AND block >= ?",
                arguments: [id, before == nil ? 0 : blocks.count])
            for (number, block) in blocks.enumerated() where number >= former.count || former[number] !== block {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO listing (source, block, ids, rows) VALUES (?, ?, ?, ?)",
                    arguments: [id, number, Index.data(block.ids), Index.data(block.rows)])
            }
            let next = try Index.counter("nextRow", db)
            try Index.keep(next, as: "settledRow", db)
        }
    }

    /// Deletes rows without a listing, left behind by a run that ended in the middle of a scan.
    func clearUnsettled() throws {
        try database.write { db in
            let settled = try Index.counter("settledRow", db)
            try db.execute(sql: "DELETE FROM image WHERE row >= ?", arguments: [Int64(clamping: settled)])
        }
    }

    /// The last visible revision, and the number of the next row.
    func counters() throws -> (revision: UInt64, nextRow: UInt32) {
        try read { db in
            (try Index.counter("revision", db), UInt32(clamping: try Index.counter("nextRow", db)))
        }
    }

    static func counter(_ name: String, _ db: Database) throws -> UInt64 {
        let value = try Int64.fetchOne(db, sql: "SELECT value FROM counter WHERE name = ?", arguments: [name])
        return UInt64(clamping: value ?? 0)
    }

    static func keep(_ value: UInt64, as name: String, _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "INSERT OR REPLACE INTO counter (name, value) VALUES (?, ?)")
        try statement.execute(arguments: [name, Int64(clamping: value)])
    }

    /// Little-endian, the byte order of all supported machines.
    private static func data<Number: FixedWidthInteger>(_ numbers: [Number]) -> Data {
        numbers.withUnsafeBytes { Data($0) }
    }

    private static func numbers<Number: FixedWidthInteger>(_ data: Data?) -> [Number] {
        guard let data else { return [] }
        return [Number](unsafeUninitializedCapacity: data.count / MemoryLayout<Number>.size) { buffer, count in
            count = data.copyBytes(to: buffer) / MemoryLayout<Number>.size
        }
    }
}
