import FoundationEssentials
import GRDB
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
        /// Blocks that were read from their rows and are not kept yet.
        var unsaved: Set<Int> = []
        var touchedAt = ContinuousClock.now

        /// The blocks that are to be read next, marked as if they were: what changes meanwhile is stale again.
        ///
        /// - Returns: with those of them that were never read in this run, and may have been kept by the last.
        mutating func takeDue(below end: Int, limit: Int) -> (due: [Int], fresh: Range<Int>, hasMore: Bool) {
            let blocks = { (rows: Int) in (rows + ColumnBlock.size - 1) / ColumnBlock.size }
            let all = stale.union(end > known ? known / ColumnBlock.size..<blocks(end) : 0..<0).sorted()
            let due = all.prefix(limit)
            let fresh = blocks(known)..<max(blocks(known), blocks(end))
            stale.subtract(due)
            if let last = due.last { known = max(known, min(end, (last + 1) * ColumnBlock.size)) }
            return (Array(due), fresh, due.count < all.count)
        }
    }

    private let state: Guarded<State>
    private let folders = FolderTable()

    init() { state = Guarded(State(columns: Columns(folders: folders))) }

    /// Raised whenever a row changes that the columns have, or a new one comes.
    var generation: UInt64 { state.withLock(\.generation) }

    /// Those that were read last.
    var current: Columns { state.withLock(\.columns) }

    /// Whether nothing of these rows is to be read. For the tests.
    func areCurrent(below end: UInt32) -> Bool {
        state.withLock { $0.stale.isEmpty && $0.known >= Int(end) }
    }

    /// These rows have been written, or are about to be.
    func touch(_ rows: some Sequence<UInt32>) {
        state.withLock { state in
            state.generation += 1
            state.touchedAt = .now
            for row in rows where Int(row) < state.known { state.stale.insert(Int(row) / ColumnBlock.size) }
        }
    }

    /// Any row may have been written.
    func touchAll() {
        state.withLock { state in
            state.generation += 1
            state.stale.formUnion(0..<(state.known + ColumnBlock.size - 1) / ColumnBlock.size)
        }
    }

    /// The columns of all rows below `end` as they are now, and the generation that they are of. Blocking; called on one
    /// thread at a time.
    ///
    /// - Throws: `DatabaseError`.
    func current(below end: UInt32, of database: any DatabaseReader) throws -> (Columns, generation: UInt64) {
        // Asked first: what changes meanwhile is of a later one.
        let generation = generation
        _ = try refresh(below: end, of: database)
        return (current, generation)
    }

    /// Reads what is not known, or has changed, of the rows below `end`. Blocking; called on one thread at a time.
    ///
    /// - Parameter limit: blocks to read at most.
    /// - Returns: whether there are more.
    /// - Throws: `DatabaseError`.
    func refresh(below end: UInt32, of database: any DatabaseReader, limit: Int = .max) throws -> Bool {
        let (due, fresh, hasMore) = state.withLock { $0.takeDue(below: Int(end), limit: limit) }
        guard !due.isEmpty else { return false }
        do {
            try database.read { db in
                let reader = try ColumnReader(db)
                for number in due {
                    let kept = fresh.contains(number) ? try reader.kept(number, folders: folders) : nil
                    let block = try kept ?? reader.block(number, folders: folders)
                    state.withLock { state in
                        state.columns.set(block, at: number)
                        if kept == nil { state.unsaved.insert(number) }
                    }
                }
            }
        } catch {
            state.withLock { $0.stale.formUnion(due) }
            throw error
        }
        return hasMore
    }

    /// Keeps the blocks that were read from their rows, so that the next run need not. Blocking; does nothing while rows
    /// are being written.
    ///
    /// - Parameter isLast: whether nothing will be written any more.
    /// - Returns: whether nothing is left to be kept.
    @discardableResult
    func save(to database: any DatabaseWriter, isLast: Bool = false) throws -> Bool {
        guard state.withLock({ !$0.unsaved.isEmpty }) else { return true }
        try database.write { db in
            // Asked within the transaction: no row can be written meanwhile, and each that was is stale by now.
            let blocks = state.withLock { state -> [(Int, ColumnBlock)] in
                guard isLast || ContinuousClock.now - state.touchedAt > Self.rest else { return [] }
                return state.unsaved.subtracting(state.stale).compactMap { number in
                    state.columns.blocks[number].map { (number, $0) }
                }
            }
            let insert = try db.cachedStatement(sql: "INSERT OR REPLACE INTO columns (block, data) VALUES (?, ?)")
            for (number, block) in blocks {
                try insert.execute(arguments: [number, block.stored(folders)])
                state.withLock { _ = $0.unsaved.remove(number) }
            }
        }
        return state.withLock { $0.unsaved.isEmpty }
    }

    /// Forgets what is kept of these rows. Within the transaction that writes them.
    static func forget(_ rows: some Sequence<UInt32>, _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "DELETE FROM columns WHERE block = ?")
        for number in Set(rows.map { Int($0) / ColumnBlock.size }) { try statement.execute(arguments: [number]) }
    }

    /// While rows are written more often than that, nothing is kept.
    private static let rest = Duration.seconds(5)
}

/// Reads rows for the columns.
private struct ColumnReader {
    private let db: Database
    private let statement: Statement

    init(_ db: Database) throws {
        self.db = db
        statement = try db.cachedStatement(
            sql: """
                SELECT image.row, image.location, image.name, image.width, image.height, image.takenAt, version,
                facts.width, facts.height, mediaType, byteCount, facts.takenAt, make, model,
                lens, latitude, longitude, isIncomplete, isBroken, title, keywords, facts.location, city, state, country,
                \(Sighting.Original.columns)
                FROM image LEFT JOIN facts ON facts.id = image.id WHERE image.row >= ? AND image.row < ?
                """)
    }

    /// What the last run kept of the block; nil where that is nothing, or nothing whole.
    func kept(_ number: Int, folders: FolderTable) throws -> ColumnBlock? {
        let statement = try db.cachedStatement(sql: "SELECT data FROM columns WHERE block = ?")
        let value = try DatabaseValue.fetchOne(statement, arguments: [number]) ?? .null
        return Data.fromDatabaseValue(value).flatMap { ColumnBlock(stored: $0, folders: folders) }
    }

    func block(_ number: Int, folders: FolderTable) throws -> ColumnBlock {
        let first = number * ColumnBlock.size
        var rows = [ColumnRow?](repeating: nil, count: ColumnBlock.size)
        try statement.rows(Int64(first), Int64(first + ColumnBlock.size)) { stored in
            guard let place = stored.count(0).map({ $0 - first }), rows.indices.contains(place) else { return }
            rows[place] = row(stored)
        }
        return ColumnBlock(rows, folders: folders)
    }

    private func row(_ stored: StoredRow) -> ColumnRow {
        let (text, integer, number) = (stored.text, stored.integer, stored.number)
        var row = ColumnRow()
        let location = text(1) ?? ""
        let original = Sighting.Original(stored, from: 25)
        let version = integer(6).map { ContentVersion(rawValue: UInt64(bitPattern: $0)) }
        // Facts of an older content are no longer true.
        let hasFacts = original.version.map { $0 == version } ?? true
        let name = text(2) ?? original.name(at: location)
        if hasFacts {
            row.taken = (text(11) ?? text(5)).flatMap { WallTime.seconds($0) }
            row.ratio = AspectRatio.byte(
                width: Int(integer(7) ?? integer(3) ?? 0), height: Int(integer(8) ?? integer(4) ?? 0))
            row.size = original.size ?? integer(10)
            if let latitude = number(15), let longitude = number(16) { row.place = (latitude, longitude) }
            row.isBroken = integer(17) == 1 || integer(18) == 1
        } else {
            row.taken = text(5).flatMap { WallTime.seconds($0) }
            row.size = original.size
        }
        row.kind = MediaKind(mediaType: hasFacts ? text(9) : nil, name: name)
        row.folder = original.folder(of: location)
        row.name.append(folding: name)
        row.name.append(UInt8(ascii: "\n"))
        for field in NoteField.allCases {
            let columns: ClosedRange<Int32> =
                switch field {
                case .title: 19...19
                case .keywords: 20...20
                case .camera: 12...14
                case .place: 21...24
                }
            for words in columns.compactMap({ hasFacts ? text($0) : nil }) {
                row.note.append(folding: words)
                row.note.append(UInt8(ascii: " "))
            }
            row.note.append(UInt8(ascii: "\n"))
        }
        return row
    }
}
