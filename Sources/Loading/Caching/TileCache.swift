import BlockingIO
import Dispatch
import FoundationEssentials
import GRDB
import Images
import Locking
import Synchronization

/// Encoded renditions on disk, within a byte budget. They are written in batches, one transaction each, so a stored
/// tile is always complete.
final class TileCache: Sendable {
    private struct Pending: Sendable {
        var tiles: [TileKey: RenditionBytes] = [:]
        var used: Set<Int64> = []
        var bytes = 0
        var isScheduled = false
    }

    private struct Ledger: Sendable {
        var sieve = SieveTable(table: "tile", size: "size")
        /// Nil until it is queried from the table, and again after every failure.
        var total: Int64?
    }

    /// Bytes of tiles that may wait for the disk. Beyond that, new tiles stay only in memory.
    private static let pendingLimit = 32 << 20
    /// Approximate bytes that a row takes in addition to its encoded image.
    private static let overhead: Int64 = 160

    let budget: Int64
    let database: CacheDatabase
    private let pool: BlockingPool
    private let batchDelay: DispatchTimeInterval
    private let pending = Guarded(Pending())
    private let total = Atomic<Int64>(0)
    /// Only the write pool and `flush` touch it.
    private let ledger = Guarded(Ledger())

    /// - Parameters:
    ///   - pool: One thread, for all writes.
    ///   - batchDelay: How long a tile waits for others to share its transaction.
    init(
        database: CacheDatabase, budget: Int64, pool: BlockingPool,
        batchDelay: DispatchTimeInterval = .milliseconds(30)
    ) {
        self.batchDelay = batchDelay
        self.database = database
        self.budget = budget
        self.pool = pool
    }

    /// Blocks.
    func rendition(_ key: TileKey, version: ContentVersion) -> RenditionBytes? {
        if let waiting = pending.withLock({ $0.tiles[key] }), waiting.version == version { return waiting }
        let found = database.read { database in
            try database.row(
                """
                SELECT tile.sequence, width, height, modified, isIncomplete, used, mediaType, bytes FROM tile
                JOIN tile_content ON tile_content.sequence = tile.sequence
                WHERE image = ? AND kind = ? AND version = ?
                """, [Int64(bitPattern: key.image), Int64(key.kind), Int64(bitPattern: version.rawValue)]
            ).map { row in
                (
                    sequence: row["sequence"] as Int64, wasUsed: (row["used"] as Int64) != 0,
                    tile: RenditionBytes(
                        bytes: [UInt8](row["bytes"] as Data),
                        mediaType: row["mediaType"], version: version, width: row["width"], height: row["height"],
                        modified: row["modified"], isIncomplete: row["isIncomplete"])
                )
            }
        }
        guard case .some(.some(let row)) = found else { return nil }
        if !row.wasUsed {
            pending.withLock { _ = $0.used.insert(row.sequence) }
            schedule()
        }
        return row.tile
    }

    /// The stored renditions of one content version, as ``TileKey/kind`` values. Blocks.
    func kinds(of image: ImageID, version: ContentVersion) -> Set<UInt8> {
        let waiting = pending.withLock { pending in
            pending.tiles.filter { $0.key.image == image.rawValue && $0.value.version == version }.map(\.key.kind)
        }
        let stored = database.read { database in
            try database.integers(
                "SELECT kind FROM tile WHERE image = ? AND version = ?",
                [Int64(bitPattern: image.rawValue), Int64(bitPattern: version.rawValue)])
        }
        return Set(waiting + (stored ?? []).compactMap(UInt8.init(exactly:)))
    }

    /// The content versions stored under these names; nil when the disk cannot be read. Blocks.
    func versions(of names: [TileKey]) -> [TileKey: ContentVersion]? {
        let wanted = Set(names)
        let images = Set(names.map(\.image)).map { Int64(bitPattern: $0) }
        let marks = Array(repeating: "?", count: images.count).joined(separator: ",")
        let stored = database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT image, kind, version FROM tile WHERE image IN (\(marks))",
                arguments: StatementArguments(images))
        }
        guard let stored else { return nil }
        var versions: [TileKey: ContentVersion] = [:]
        for row in stored {
            let key = TileKey(image: UInt64(bitPattern: row["image"]), kind: UInt8(clamping: row["kind"] as Int64))
            if wanted.contains(key) { versions[key] = ContentVersion(rawValue: UInt64(bitPattern: row["version"])) }
        }
        pending.withLock { pending in
            for key in wanted { if let waiting = pending.tiles[key] { versions[key] = waiting.version } }
        }
        return versions
    }

    /// The used bytes, including tiles that wait to be written. Tiles of an earlier run count after ``measure()``. Never
    /// waits for a disk.
    var bytes: Int64 { total.load(ordering: .relaxed) + Int64(pending.withLock(\.bytes)) }

    /// The used fraction of the budget, from 0 on; see ``bytes``.
    var share: Double { Double(bytes) / Double(max(1, budget)) }

    /// Counts the tiles of an earlier run. Blocks. Call it on the write pool.
    func measure() {
        ledger.withLock { ledger in
            guard ledger.total == nil, let bytes = database.read({ try ledger.sieve.total($0) }) else { return }
            ledger.total = bytes
            total.store(bytes, ordering: .relaxed)
        }
    }

    /// Queues the tile to be written within some tens of milliseconds; returns at once.
    func insert(_ tile: RenditionBytes, for key: TileKey) {
        let isTaken = pending.withLock { pending in
            let isTooMuch = pending.bytes + tile.bytes.count > Self.pendingLimit || tile.bytes.count > budget
            guard !isTooMuch else { return false }
            if let before = pending.tiles.updateValue(tile, forKey: key) { pending.bytes -= before.bytes.count }
            pending.bytes += tile.bytes.count
            return true
        }
        if isTaken { schedule() }
    }

    private func schedule() {
        let isFirst = pending.withLock { pending in
            defer { pending.isScheduled = true }
            return !pending.isScheduled
        }
        guard isFirst else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + batchDelay) { [weak self] in
            guard let self else { return }
            pool.submit { self.flush() }
        }
    }

    /// Writes the queued tiles. Blocks. Call it on the write pool, or when nothing else runs any more.
    func flush() {
        let batch = pending.withLock { pending in
            pending.isScheduled = false
            defer { pending.used = [] }
            // The tiles remain in `pending`, where lookups find them, until they are committed.
            return (tiles: pending.tiles, used: pending.used)
        }
        guard !batch.tiles.isEmpty || !batch.used.isEmpty else { return }
        ledger.withLock { ledger in
            var next = ledger
            let isWritten = database.write { try self.write(batch.tiles, used: batch.used, &next, $0) } != nil
            if isWritten { ledger = next } else { ledger = Ledger() }
            if let bytes = next.total { total.store(bytes, ordering: .relaxed) }
        }
        pending.withLock { pending in
            for (key, tile) in batch.tiles where pending.tiles[key] == tile {
                pending.tiles[key] = nil
                pending.bytes -= tile.bytes.count
            }
        }
    }

    private func write(
        _ tiles: [TileKey: RenditionBytes], used: Set<Int64>, _ ledger: inout Ledger, _ database: Database
    ) throws {
        var total = try ledger.total ?? ledger.sieve.total(database)
        let newest = try ledger.sieve.newest(database)
        for sequence in used {
            try database.run("UPDATE tile SET used = 1 WHERE sequence = ?", [sequence])
        }
        for (key, tile) in tiles {
            total -= try remove(key, database)
            let size = Int64(tile.bytes.count) + Self.overhead
            try database.run(
                """
                INSERT INTO tile (image, kind, version, width, height, modified, isIncomplete, size)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    Int64(bitPattern: key.image), Int64(key.kind), Int64(bitPattern: tile.version.rawValue),
                    tile.width, tile.height, tile.modified, tile.isIncomplete, size,
                ])
            let sequence = database.lastInsertedRowID
            try database.run(
                "INSERT INTO tile_content (sequence, mediaType, bytes) VALUES (?, ?, ?)",
                [sequence, tile.mediaType, Data(tile.bytes)])
            total += size
        }
        if total > budget {
            for victim in try ledger.sieve.victims(database, excess: total - budget, sparing: newest) {
                try delete(victim.sequence, database)
                total -= victim.size
            }
        }
        ledger.total = total
    }

    /// - Returns: The bytes freed.
    private func remove(_ key: TileKey, _ database: Database) throws -> Int64 {
        let row = try database.row(
            "SELECT sequence, size FROM tile WHERE image = ? AND kind = ?",
            [Int64(bitPattern: key.image), Int64(key.kind)])
        guard let row else { return 0 }
        try delete(row["sequence"], database)
        return row["size"]
    }

    private func delete(_ sequence: Int64, _ database: Database) throws {
        try database.run("DELETE FROM tile WHERE sequence = ?", [sequence])
        try database.run("DELETE FROM tile_content WHERE sequence = ?", [sequence])
    }
}
