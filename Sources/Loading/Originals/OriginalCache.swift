import CLinux
import GRDB
import Glibc
import Images
import Locking
import Logging
import Origins
import Synchronization

/// The stored record of a remote original that was fetched before.
struct CachedOriginal: Hashable, Sendable {
    let image: ImageID
    let url: String
    let version: ContentVersion
    let validators: Validators
    /// Bytes.
    let length: Int64
    /// The time until which it may be used without asking its origin, in seconds since 1970.
    let freshUntil: Int64
    /// Whether its origin forbids using it after that without revalidation, even if the origin fails (RFC 5861 §4).
    let mustRevalidate: Bool
    /// Whether its file was in the cache when this record was read. Even without it, renditions of it may be cached.
    let isKept: Bool
}

/// The originals fetched from origins, as files within a byte budget of their own. A file is written under a temporary
/// name and moved into place when it is complete. It is valid only with a row in the database and the length in that
/// row. Every call blocks.
final class OriginalCache: Sendable {
    private struct Ledger: Sendable {
        var sieve = SieveTable(table: "original", size: "length", condition: "isKept")
        /// Bytes of the cached files; nil until it is queried from the table, and again after every failure.
        var total: Int64?
    }

    private let total = Atomic<Int64>(0)
    private let folder: String
    private let budget: Int64
    let database: CacheDatabase
    private let logger: Logger
    let memory: ByteQuota
    private let disk: ByteQuota?
    private let ledger = Guarded(Ledger())
    /// The cached originals used since the last eviction. The set is bounded, and is written with the next row, because
    /// only an eviction reads it.
    let used = Guarded<Set<ImageID>>([])
    private let maximumUnnoted: Int

    /// The maximum number of rows without a file. They are kept for their validators.
    private static let rememberedRows = 1_000_000

    /// Deletes unfinished files, and complete ones that are not in the database.
    ///
    /// - Parameters:
    ///   - budget: Bytes of the cached files.
    ///   - memory: The quota of originals that the disk does not take.
    ///   - disk: A quota for arriving files in addition to the disk's own limit; nil for none.
    ///   - maximumUnnoted: How many uses may be unwritten before they are written without a new row.
    /// - Throws: `LoadFailure` when the folders cannot be created.
    init(
        folder: String, budget: Int64, memory: ByteQuota = ByteQuota(budget: 64 << 20), disk: ByteQuota? = nil,
        maximumUnnoted: Int = 1_024, database: CacheDatabase, logger: Logger
    ) throws(LoadFailure) {
        self.folder = folder
        self.budget = budget
        self.memory = memory
        self.disk = disk
        self.maximumUnnoted = maximumUnnoted
        self.database = database
        self.logger = logger
        for path in [folder, folder + "/incoming", folder + "/kept"] {
            try CacheFolder.make(path)
        }
        for name in CacheFolder.names(in: folder + "/incoming") { unlink(folder + "/incoming/" + name) }
        _ = database.write { database in
            try database.run(
                "DELETE FROM original WHERE NOT isKept AND sequence < (SELECT MAX(sequence) FROM original) - ?",
                [Self.rememberedRows])
        }
        let known: Set<String>? = database.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT image, version FROM original WHERE isKept")
            return Set(rows.map { Self.name(image: $0["image"], version: $0["version"]) })
        }
        measure()
        guard let known else { return }
        for name in CacheFolder.names(in: folder + "/kept") where !known.contains(name) {
            unlink(folder + "/kept/" + name)
        }
    }

    func find(_ image: ImageID, url: String) -> CachedOriginal? {
        let row = database.read { database in
            try database.row(
                "SELECT * FROM original WHERE image = ?", [Int64(bitPattern: image.rawValue)]
            ).map { row in
                CachedOriginal(
                    image: image, url: row["url"],
                    version: ContentVersion(rawValue: UInt64(bitPattern: row["version"])),
                    validators: Validators(entityTag: row["entityTag"], lastModified: row["lastModified"]),
                    length: row["length"], freshUntil: row["freshUntil"], mustRevalidate: row["mustRevalidate"],
                    isKept: row["isKept"])
            }
        }
        guard case .some(.some(let kept)) = row, kept.url == url else { return nil }
        return kept
    }

    /// Opens the file. Nil when it does not exist or its length has changed.
    func open(_ kept: CachedOriginal) -> OwnedDescriptor? {
        guard kept.isKept else { return nil }
        let number = Glibc.open(path(of: kept), O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let descriptor = OwnedDescriptor(number)
        guard (try? descriptor.status())?.size == kept.length else {
            unlink(path(of: kept))
            return nil
        }
        let isCrowded = used.withLock { used in
            used.insert(kept.image)
            return used.count >= maximumUnnoted
        }
        if isCrowded { noteUsed() }
        return descriptor
    }

    private func noteUsed() {
        let used = takeUsed()
        _ = database.write { try Self.note(used, $0) }
    }

    private func takeUsed() -> Set<ImageID> {
        used.withLock { used in
            defer { used = [] }
            return used
        }
    }

    private static func note(_ used: Set<ImageID>, _ database: Database) throws {
        for image in used {
            try database.run("UPDATE original SET used = 1 WHERE image = ?", [Int64(bitPattern: image.rawValue)])
        }
    }

    // MARK: - Incoming

    /// Creates a file for an original that begins to arrive: on disk, or in memory when the disk does not take it.
    func makeIncoming() throws(DescriptorError) -> (descriptor: OwnedDescriptor, path: String?) {
        do {
            let made = try make(in: folder + "/incoming")
            return made
        } catch {
            logger.error("An original cannot be cached.", metadata: ["error": "\(error)"])
            return (try makeInMemory(), nil)
        }
    }

    /// Creates an anonymous file in memory, which uses the memory quota while it is open.
    func makeInMemory() throws(DescriptorError) -> OwnedDescriptor {
        let number = clinux_memory_file("tessera-original")
        guard number >= 0 else { throw DescriptorError(operation: "memfd_create", code: errno) }
        return OwnedDescriptor(number, within: memory.share())
    }

    private func make(in folder: String) throws(DescriptorError) -> (descriptor: OwnedDescriptor, path: String?) {
        var system = SystemRandomNumberGenerator()
        let path = folder + "/tessera-" + String(system.next() as UInt64, radix: 36)
        let number = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw DescriptorError(operation: "open", code: errno) }
        return (OwnedDescriptor(number, within: disk?.share()), path)
    }

    /// Deletes the file of an incomplete original.
    func drop(incoming path: String) { unlink(path) }

    /// Moves a complete file into place and writes its row, then evicts files over the budget.
    func keep(_ kept: CachedOriginal, incoming path: String) {
        let before = find(kept.image, url: kept.url)
        guard kept.length <= budget, rename(path, self.path(of: kept)) == 0 else {
            unlink(path)
            return record(kept, isKept: false)
        }
        record(kept, isKept: true)
        if let before, before.version != kept.version { unlink(self.path(of: before)) }
    }

    /// Updates validators and freshness after the origin reported no change.
    func refresh(_ kept: CachedOriginal) {
        _ = database.write { database in
            try database.run(
                """
                UPDATE original SET entityTag = ?, lastModified = ?, freshUntil = ?, mustRevalidate = ?
                WHERE image = ? AND version = ?
                """,
                [
                    kept.validators.entityTag, kept.validators.lastModified, kept.freshUntil, kept.mustRevalidate,
                    Int64(bitPattern: kept.image.rawValue), Int64(bitPattern: kept.version.rawValue),
                ])
        }
    }

    /// Stores the record of an original that another node has fetched, without its file.
    func note(_ kept: CachedOriginal) {
        let before = find(kept.image, url: kept.url)
        if before?.version == kept.version { return refresh(kept) }
        record(kept, isKept: false)
        if let before { unlink(path(of: before)) }
    }

    /// Removes an original that is of no use.
    func forget(_ image: ImageID) {
        used.withLock { _ = $0.remove(image) }
        let version = ledger.withLock { ledger -> Int64? in
            let found = database.write { database -> (version: Int64, bytes: Int64)? in
                let row = try database.row(
                    "SELECT version, isKept * length AS bytes FROM original WHERE image = ?",
                    [Int64(bitPattern: image.rawValue)])
                try database.run("DELETE FROM original WHERE image = ?", [Int64(bitPattern: image.rawValue)])
                return row.map { ($0["version"], $0["bytes"]) }
            }
            guard let row = found ?? nil else { return nil }
            ledger.total = ledger.total.map { $0 - row.bytes }
            if let bytes = ledger.total { total.store(bytes, ordering: .relaxed) }
            return row.version
        }
        guard let version else { return }
        unlink(folder + "/kept/" + Self.name(image: Int64(bitPattern: image.rawValue), version: version))
    }

    /// The bytes of the cached files. Never waits for a disk.
    var bytes: Int64 { total.load(ordering: .relaxed) }

    // MARK: - Internals

    private func measure() {
        ledger.withLock { ledger in
            guard let bytes = database.read({ try ledger.sieve.total($0) }) else { return }
            ledger.total = bytes
            total.store(bytes, ordering: .relaxed)
        }
    }

    private func record(_ kept: CachedOriginal, isKept: Bool) {
        var evicted: [(image: ImageID, file: String)] = []
        let used = takeUsed()
        let isWritten = ledger.withLock { ledger -> Bool in
            var next = ledger
            let done: Void? = database.write { database in
                try Self.note(used, database)
                evicted = try Self.record(kept, isKept: isKept, within: budget, &next, database)
            }
            ledger = done == nil ? Ledger() : next
            if let bytes = next.total { total.store(bytes, ordering: .relaxed) }
            return done != nil
        }
        // Without a row, the file would never be found or counted.
        if !isWritten, isKept { unlink(path(of: kept)) }
        for each in evicted { unlink(folder + "/kept/" + each.file) }
        self.used.withLock { used in for each in evicted { used.remove(each.image) } }
    }

    private static func record(
        _ kept: CachedOriginal, isKept: Bool, within budget: Int64, _ ledger: inout Ledger, _ database: Database
    ) throws -> [(image: ImageID, file: String)] {
        let image = Int64(bitPattern: kept.image.rawValue)
        var total = try ledger.total ?? ledger.sieve.total(database)
        total -=
            try database.integer("SELECT length FROM original WHERE image = ? AND isKept", [image]) ?? 0
        let newest = try ledger.sieve.newest(database)
        // DELETE, then INSERT, so that the new row gets the highest sequence.
        try database.run("DELETE FROM original WHERE image = ?", [image])
        try database.run(
            """
            INSERT INTO original
            (image, url, version, entityTag, lastModified, length, freshUntil, mustRevalidate, isKept)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                image, kept.url, Int64(bitPattern: kept.version.rawValue), kept.validators.entityTag,
                kept.validators.lastModified, kept.length, kept.freshUntil, kept.mustRevalidate, isKept,
            ])
        if isKept { total += kept.length }
        var evicted: [(image: ImageID, file: String)] = []
        for victim in try ledger.sieve.victims(database, excess: max(0, total - budget), sparing: newest) {
            let row = try database.row("SELECT image, version FROM original WHERE sequence = ?", [victim.sequence])
            if let row {
                let image = ImageID(rawValue: UInt64(bitPattern: row["image"]))
                evicted.append((image, name(image: row["image"], version: row["version"])))
            }
            try database.run("UPDATE original SET isKept = 0 WHERE sequence = ?", [victim.sequence])
            total -= victim.size
        }
        ledger.total = total
        return evicted
    }

    /// Deletes the folder and everything the cache stores in it.
    static func removeFolder(_ folder: String) {
        for part in [folder + "/incoming", folder + "/kept"] {
            for name in CacheFolder.names(in: part) { unlink(part + "/" + name) }
            rmdir(part)
        }
        rmdir(folder)
    }

    private func path(of kept: CachedOriginal) -> String {
        folder + "/kept/"
            + Self.name(
                image: Int64(bitPattern: kept.image.rawValue), version: Int64(bitPattern: kept.version.rawValue))
    }

    private static func name(image: Int64, version: Int64) -> String {
        "\(ImageID(rawValue: UInt64(bitPattern: image))).\(ContentVersion(rawValue: UInt64(bitPattern: version)))"
    }
}
