import FoundationEssentials
import GRDB
import Images
import Locking
import Synchronization

/// Keeps the columns of one index up to date. Reads rows when they are first needed, and again after they have changed,
/// one block at a time.
final class ColumnStore: Sendable {
    private struct State {
        var columns: Columns
        /// Blocks that have changed since they were read.
        var stale: Set<Int> = []
        /// All rows below this one have been read at least once.
        var known = 0
        /// Incremented with every change.
        var generation: UInt64 = 0
        /// Blocks that were read from rows and not saved yet.
        var unsaved: Set<Int> = []
        var touchedAt = ContinuousClock.now

        /// The blocks to be read next. They are marked as read before the read, so that a change during it makes them
        /// stale again.
        ///
        /// - Returns: `due` are the blocks to read; `fresh` are blocks that this run has never read, and the previous
        ///   run may have saved.
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
    /// Whether dates in names are used.
    let usesNameDates = Atomic(true)

    init() { state = Guarded(State(columns: Columns(folders: folders))) }

    /// Incremented whenever a known row changes, or a new one is added.
    var generation: UInt64 { state.withLock(\.generation) }

    /// The columns as last read.
    var current: Columns { state.withLock(\.columns) }

    /// Whether all these rows are up to date. For tests.
    func areCurrent(below end: UInt32) -> Bool {
        state.withLock { $0.stale.isEmpty && $0.known >= Int(end) }
    }

    /// Marks these rows as changed: they have just been written, or are about to be.
    func touch(_ rows: some Sequence<UInt32>) {
        state.withLock { state in
            state.generation += 1
            state.touchedAt = .now
            for row in rows where Int(row) < state.known { state.stale.insert(Int(row) / ColumnBlock.size) }
        }
    }

    /// Marks all rows as changed.
    func touchAll() {
        state.withLock { state in
            state.generation += 1
            state.stale.formUnion(0..<(state.known + ColumnBlock.size - 1) / ColumnBlock.size)
        }
    }

    /// The current columns of all rows below `end`, and their generation. Blocking; call it on one thread at a time.
    func current(below end: UInt32, of index: Index) throws -> (Columns, generation: UInt64) {
        // Read first: a change during the refresh belongs to a later generation.
        let generation = generation
        _ = try refresh(below: end, of: index)
        return (current, generation)
    }

    /// Reads the rows below `end` that are unknown or have changed. Blocking; call it on one thread at a time.
    ///
    /// - Parameter limit: The maximum number of blocks to read.
    /// - Returns: Whether more blocks remain.
    /// - Throws: `DatabaseError`.
    func refresh(below end: UInt32, of index: Index, limit: Int = .max) throws -> Bool {
        let (due, fresh, hasMore) = state.withLock { $0.takeDue(below: Int(end), limit: limit) }
        guard !due.isEmpty else { return false }
        do {
            try index.read { db in
                let reader = try ColumnReader(db, NameDates(isOn: usesNameDates.load(ordering: .relaxed)))
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

    /// Saves the blocks that were read from rows, so that the next run need not read these. Blocking; does nothing
    /// while rows are being written.
    ///
    /// - Parameter isLast: Whether no rows will be written any more.
    /// - Returns: Whether all blocks are saved.
    @discardableResult
    func save(to database: any DatabaseWriter, isLast: Bool = false) throws -> Bool {
        guard state.withLock({ !$0.unsaved.isEmpty }) else { return true }
        try database.write { db in
            // Selected inside the transaction: no row can be written meanwhile, and blocks of rows written earlier are
            // already stale.
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

    /// Deletes the saved blocks of these rows. Call it in the transaction that writes the rows.
    static func forget(_ rows: some Sequence<UInt32>, _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "DELETE FROM columns WHERE block = ?")
        for number in Set(rows.map { Int($0) / ColumnBlock.size }) { try statement.execute(arguments: [number]) }
    }

    /// Nothing is saved within this time after a row was written.
    private static let rest = Duration.seconds(5)
}

/// Reads rows for the columns.
private struct ColumnReader {
    private let db: Database
    private let statement: Statement
    private let names: NameDates

    init(_ db: Database, _ names: NameDates) throws {
        self.db = db
        self.names = names
        statement = try db.cachedStatement(
            sql: """
                SELECT image.row, image.location, image.name, image.width, image.height, image.takenAt, version,
                facts.width, facts.height, mediaType, byteCount, facts.takenAt, make, model,
                lens, latitude, longitude, isIncomplete, isBroken, title, keywords, facts.location, city, state, country, rating, sensitivity,
                description,
                \(ScannedImage.Original.columns)
                FROM image LEFT JOIN facts ON facts.id = image.id WHERE image.row >= ? AND image.row < ?
                """)
    }

    /// The block as saved by the previous run; nil if there is none, or it is damaged.
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
        let original = ScannedImage.Original(stored, from: 28)
        let version = integer(6).map { ContentVersion(rawValue: UInt64(bitPattern: $0)) }
        // Metadata of an older content version is out of date.
        let hasFacts = original.version.map { $0 == version } ?? true
        let name = text(2) ?? original.name(at: location)
        let taken = (hasFacts ? text(11) : nil) ?? text(5) ?? names.takenAt(in: name)
        row.taken = taken.flatMap { WallTime.stored($0) }
        if hasFacts {
            row.ratio = AspectRatio.byte(
                width: Int(integer(7) ?? integer(3) ?? 0), height: Int(integer(8) ?? integer(4) ?? 0))
            row.size = original.size ?? integer(10)
            if let latitude = number(15), let longitude = number(16) { row.place = (latitude, longitude) }
            row.rating = Int8(clamping: integer(25) ?? 0)
            row.sensitivity = UInt32(clamping: integer(26) ?? 0)
            row.isBroken = integer(17) == 1 || integer(18) == 1
        } else {
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
                case .description: 27...27
                case .keywords: 20...20
                case .camera: 12...13
                case .lens: 14...14
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
