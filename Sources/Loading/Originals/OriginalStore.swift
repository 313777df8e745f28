import CLinux
import GRDB
import Glibc
import Images
import Locking
import Logging
import Origins

/// What is known of a remote original that was fetched before.
struct KeptOriginal: Hashable, Sendable {
    let image: ImageID
    let url: String
    let version: ContentVersion
    let validators: Validators
    /// Bytes.
    let length: Int64
    /// Seconds since 1970 until which it may be used without asking its origin.
    let freshUntil: Int64
    /// Whether its origin forbade to use it after that without asking, whatever happens (RFC 5861 §4).
    let mustRevalidate: Bool
    /// Whether its file is (or was, when this was read) in the store. Without it, its renditions may still be.
    let isKept: Bool
}

/// The originals fetched from their origins, as files within a byte budget of their own. A file is written aside and
/// moved in when it is whole, and counts only with its row in the database and the length that the row says. Every call blocks.
final class OriginalStore: Sendable {
    private struct Ledger: Sendable {
        var sieve = SieveTable(table: "original", size: "length", condition: "isKept")
        /// Bytes of the kept files; nil until asked of the table, and after every failure.
        var total: Int64?
    }

    private let folder: String
    private let budget: Int64
    private let database: CacheDatabase
    private let logger: Logger
    private let memory: ByteRoom
    private let disk: ByteRoom?
    private let ledger = Guarded(Ledger())
    /// Used since the last eviction: noted with the next row, since nothing but an eviction asks for it. None but kept
    /// originals, and a bounded number of them.
    private let used = Guarded<Set<ImageID>>([])
    private let mostUnnoted: Int

    /// Rows without a file that are remembered, for their validators.
    private static let rememberedRows = 1_000_000

    /// Empties the folder of unfinished files, and removes whole ones that the database does not know.
    ///
    /// - Parameters:
    ///   - budget: Bytes of the kept files.
    ///   - memory: For originals that the disk does not take.
    ///   - disk: Bounds what arrives beside the disk itself; nil for no such bound.
    ///   - mostUnnoted: So many uses are noted together when no row is written for long.
    /// - Throws: `LoadFailure` when the folders cannot be made.
    init(
        folder: String, budget: Int64, memory: ByteRoom = ByteRoom(budget: 64 << 20), disk: ByteRoom? = nil,
        mostUnnoted: Int = 1_024, database: CacheDatabase, logger: Logger
    ) throws(LoadFailure) {
        self.folder = folder
        self.budget = budget
        self.memory = memory
        self.disk = disk
        self.mostUnnoted = mostUnnoted
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
        guard let known else { return }
        for name in CacheFolder.names(in: folder + "/kept") where !known.contains(name) {
            unlink(folder + "/kept/" + name)
        }
    }

    func find(_ image: ImageID, url: String) -> KeptOriginal? {
        let row = database.read { database in
            try database.row(
                "SELECT * FROM original WHERE image = ?", [Int64(bitPattern: image.rawValue)]
            ).map { row in
                KeptOriginal(
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

    /// Nil when the file is not there, or not as long as it was when it was whole.
    func open(_ kept: KeptOriginal) -> OwnedDescriptor? {
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
            return used.count >= mostUnnoted
        }
        if isCrowded { noteUsed() }
        return descriptor
    }

    /// How many uses wait to be noted. For the tests.
    var unnoted: Int { used.withLock { $0.count } }

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

    /// A new file for an original that begins to arrive: on disk, or in memory when the disk takes none.
    func makeIncoming() throws(DescriptorError) -> (descriptor: OwnedDescriptor, path: String?) {
        do {
            let made = try make(in: folder + "/incoming")
            return made
        } catch {
            logger.error("An original cannot be kept.", metadata: ["error": "\(error)"])
            return (try makeInMemory(), nil)
        }
    }

    /// A file without a name that is kept in memory, and counts there for as long as it is open.
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

    /// Drops a file that will not become whole.
    func drop(incoming path: String) { unlink(path) }

    /// Moves a whole file in and writes its row; then evicts what exceeds the budget.
    func keep(_ kept: KeptOriginal, incoming path: String) {
        let before = find(kept.image, url: kept.url)
        guard kept.length <= budget, rename(path, self.path(of: kept)) == 0 else {
            unlink(path)
            return record(kept, isKept: false)
        }
        record(kept, isKept: true)
        if let before, before.version != kept.version { unlink(self.path(of: before)) }
    }

    /// Notes validators and freshness without the file: the origin said that nothing has changed.
    func refresh(_ kept: KeptOriginal) {
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

    /// Notes what another machine has fetched: what is known of it, without its file.
    func note(_ kept: KeptOriginal) {
        let before = find(kept.image, url: kept.url)
        if before?.version == kept.version { return refresh(kept) }
        record(kept, isKept: false)
        if let before { unlink(path(of: before)) }
    }

    /// Forgets an original that is of no use.
    func forget(_ image: ImageID) {
        used.withLock { _ = $0.remove(image) }
        let version = database.write { database -> Int64? in
            let version = try database.integer(
                "SELECT version FROM original WHERE image = ?", [Int64(bitPattern: image.rawValue)])
            try database.run("DELETE FROM original WHERE image = ?", [Int64(bitPattern: image.rawValue)])
            return version
        }
        ledger.withLock { $0.total = nil }
        guard case .some(.some(let version)) = version else { return }
        unlink(folder + "/kept/" + Self.name(image: Int64(bitPattern: image.rawValue), version: version))
    }

    // MARK: - Within

    private func record(_ kept: KeptOriginal, isKept: Bool) {
        var evicted: [(image: ImageID, file: String)] = []
        let used = takeUsed()
        let isWritten = ledger.withLock { ledger -> Bool in
            var next = ledger
            let done: Void? = database.write { database in
                try Self.note(used, database)
                evicted = try Self.record(kept, isKept: isKept, within: budget, &next, database)
            }
            ledger = done == nil ? Ledger() : next
            return done != nil
        }
        // A file without a row would never be found nor counted.
        if !isWritten, isKept { unlink(path(of: kept)) }
        for each in evicted { unlink(folder + "/kept/" + each.file) }
        self.used.withLock { used in for each in evicted { used.remove(each.image) } }
    }

    private static func record(
        _ kept: KeptOriginal, isKept: Bool, within budget: Int64, _ ledger: inout Ledger, _ database: Database
    ) throws -> [(image: ImageID, file: String)] {
        let image = Int64(bitPattern: kept.image.rawValue)
        var total = try ledger.total ?? ledger.sieve.total(database)
        total -=
            try database.integer("SELECT length FROM original WHERE image = ? AND isKept", [image]) ?? 0
        let newest = try ledger.sieve.newest(database)
        // INSERT after DELETE: a newcomer goes to the head of the line.
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

    /// Removes the folder and all that a store keeps in it.
    static func removeFolder(_ folder: String) {
        for part in [folder + "/incoming", folder + "/kept"] {
            for name in CacheFolder.names(in: part) { unlink(part + "/" + name) }
            rmdir(part)
        }
        rmdir(folder)
    }

    private func path(of kept: KeptOriginal) -> String {
        folder + "/kept/"
            + Self.name(
                image: Int64(bitPattern: kept.image.rawValue), version: Int64(bitPattern: kept.version.rawValue))
    }

    private static func name(image: Int64, version: Int64) -> String {
        "\(ImageID(rawValue: UInt64(bitPattern: image))).\(ContentVersion(rawValue: UInt64(bitPattern: version)))"
    }

    /// Bytes of the kept files by their rows. For the tests.
    func storedBytes() -> Int64 {
        database.read { try SieveTable(table: "original", size: "length", condition: "isKept").total($0) } ?? 0
    }
}
