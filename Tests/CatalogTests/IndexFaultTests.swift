import Dispatch
import FoundationEssentials
import GRDB
import GRDBSQLite
import Glibc
import Images
import Locking
import TestSupport
import Testing

@testable import Catalog

/// What the disk beneath the index fails to do, and damage that comes while it is in use.
@Suite(.serialized) struct IndexFaultTests {
    let scratch: Scratch

    init() throws {
        _ = FaultyDisk.shared
        scratch = try Scratch()
    }

    private static let faults: [(FaultyDisk.Operation, Int32)] = [
        (.write, SQLITE_FULL), (.write, SQLITE_IOERR | 3 << 8), (.read, SQLITE_IOERR | 1 << 8),
        (.sync, SQLITE_IOERR | 4 << 8), (.truncate, SQLITE_IOERR | 6 << 8), (.open, SQLITE_CANTOPEN),
        (.map, SQLITE_IOERR | 21 << 8),
    ]

    private func pictures(_ count: Int = 120) throws {
        let first = try scratch.file("pictures/0.jpg")
        for number in 1..<count { try #require(link(first, scratch.path("pictures/\(number).jpg")) == 0) }
    }

    private func learn(_ catalog: Catalog) async throws -> [GalleryImage] {
        var facts = ImageFacts()
        facts.width = 7
        facts.mediaType = String(repeating: "x", count: 200)
        for image in try await catalog.all() { catalog.learned(facts, version: image.version, of: image.id) }
        await catalog.facts.drain()
        return try await catalog.all()
    }

    private func opened() async throws -> Catalog {
        try await scratch.catalog { $0.retrying = RetryPace(first: .milliseconds(5), longest: .milliseconds(50)) }
    }

    /// All images, or nil when the answer is that they cannot be read now.
    private func asked(_ catalog: Catalog) async throws -> [GalleryImage]? {
        do { return try await catalog.all() } catch CatalogError.indexUnavailable { return nil }
    }

    private func isWell(_ catalog: Catalog) -> Bool {
        !catalog.isHealing && !catalog.state.isScanning && catalog.shelf.memoryInUse == nil
    }

    @Test(.timeLimit(.minutes(2)), arguments: faults, [0, 5])
    func `a disk that fails for a while costs nothing but that while`(
        fault: (FaultyDisk.Operation, Int32), after: Int
    ) async throws {
        try pictures()
        let catalog = try await opened()
        let before = try await learn(catalog)
        let place = scratch.path("data/catalog.sqlite")
        FaultyDisk.shared.set(.init(place: place, operation: fault.0, code: fault.1, after: after), at: place)
        try scratch.file("pictures/999.jpg")
        var facts = ImageFacts()
        facts.height = 9
        catalog.learned(facts, version: before[0].version, of: before[0].id)
        await catalog.facts.drain()
        await catalog.rescanned()
        #expect(catalog.state.total > 119)
        if let images = try await asked(catalog) { #expect(images.count > 119) }
        FaultyDisk.shared.set(nil, at: place)
        await catalog.rescanned()
        #expect(await eventually { isWell(catalog) && catalog.state.total == 121 }, "\(catalog.state)")
        await catalog.facts.drain()
        let images = try await catalog.all()
        #expect(images.filter { $0.facts.width == 7 }.map(\.id) == before.map(\.id))
        #expect(images.first?.facts.height == 9)
        await catalog.close()
        // And the index on disk is whole.
        let again = try await opened()
        #expect(try await again.all() == images)
        await again.close()
    }

    /// Writes nonsense over the index while it is in use, from a byte on.
    private func damage(from start: Int, count: Int? = nil) throws {
        let path = scratch.path("data/catalog.sqlite")
        let size = Int(fileSize(path))
        let file = open(path, O_WRONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        let nonsense = [UInt8](repeating: 0xaa, count: min(count ?? size, size - start))
        try #require(pwrite(file, nonsense, nonsense.count, off_t(start)) == nonsense.count)
    }

    private func fileSize(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// So that what is asked next is read from the file.
    private func forget(_ catalog: Catalog) throws {
        try catalog.shelf.disk.database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        (catalog.shelf.disk.database as? DatabasePool)?.releaseMemory()
    }

    @Test(.timeLimit(.minutes(1)), arguments: [0, 4096, 16384])
    func `an index that is damaged while it is in use is built again without a word from anybody`(start: Int)
        async throws
    {
        try pictures(600)
        let catalog = try await opened()
        let before = try await learn(catalog)
        try forget(catalog)
        try damage(from: start)
        var answers: [Bool] = []
        // Nobody says that anything is to be read again; who is refused asks again.
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            #expect(catalog.state.total == 600)
            let images = try await asked(catalog)
            answers.append(images != nil)
            if let images, isWell(catalog) {
                #expect(images.map(\.id) == before.map(\.id))
                break
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(answers.last == true && isWell(catalog), "\(answers.count) \(catalog.state)")
        #expect(catalog.state.problems.first.contains { $0.reason.contains("damaged") })
        await catalog.close()
        let again = try await opened()
        #expect(try await again.all().map(\.id) == before.map(\.id))
        #expect(again.state.problems.count == 0)
        await again.close()
    }

    @Test(.timeLimit(.minutes(1))) func `readiness is denied from the damage to its repair`() async throws {
        try pictures(50)
        let catalog = try await opened()
        #expect(!catalog.isHealing)
        let index = catalog.shelf.disk
        // Nothing is repaired while the scanning queue is held.
        catalog.scanning.suspend()
        try await index.database.write { try $0.execute(sql: "DELETE FROM image WHERE row = 20") }
        #expect(try await asked(catalog) == nil)
        #expect(catalog.isHealing)
        #expect(catalog.state.total == 50)
        catalog.scanning.resume()
        #expect(await eventually { isWell(catalog) })
        #expect(catalog.shelf.disk !== index)
        #expect(try await catalog.all().count == 50)
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `what was learnt is saved from a damaged index as far as it can be read`()
        async throws
    {
        try pictures(50)
        let catalog = try await opened()
        let before = try await learn(catalog)
        try await catalog.shelf.disk.database.write { try $0.execute(sql: "DELETE FROM image WHERE row = 20") }
        _ = try await asked(catalog)
        #expect(await eventually { isWell(catalog) })
        #expect(try await catalog.all() == before)
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `what was learnt is saved from an index that is found damaged at the start`()
        async throws
    {
        try pictures(50)
        var catalog = try await opened()
        let before = try await learn(catalog)
        let page = try await catalog.shelf.disk.database.read { db in
            try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'image'") ?? 0
        }
        await catalog.close()
        try damage(from: (page - 1) * 4096, count: 4096)
        catalog = try await opened()
        #expect(catalog.state.problems.first.contains { $0.reason.contains("damaged") })
        #expect(try await catalog.all() == before)
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `a listing that is found damaged at the start costs nothing that was learnt`()
        async throws
    {
        try pictures(50)
        var catalog = try await opened()
        let before = try await learn(catalog)
        try await catalog.shelf.disk.database.write { try $0.execute(sql: "UPDATE listing SET rows = x'00'") }
        await catalog.close()
        catalog = try await opened()
        #expect(catalog.state.problems.first.contains { $0.reason.contains("damaged") })
        #expect(try await catalog.all() == before)
        await catalog.close()
    }

    /// The second half of the tree's leaves are those of the first half again, as a disk that lost its place writes it.
    @Test func `a tree of facts that leads round in a circle is left`() throws {
        let path = try scratch.folder("data") + "/catalog.sqlite"
        let index = try Index(path: path, maximumPages: nil)
        let learnt = Learnt(facts: ImageFacts(), version: ContentVersion(rawValue: 1))
        try index.write(Dictionary(uniqueKeysWithValues: (1...8000).map { (ImageID(rawValue: $0), learnt) }))
        let root = try index.database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            return try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'facts'") ?? 0
        }
        (index.database as? DatabasePool)?.releaseMemory()
        let file = open(path, O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var page = [UInt8](repeating: 0, count: 4096)
        try #require(pread(file, &page, page.count, off_t((root - 1) * page.count)) == page.count)
        // File format §1.6: an inner page of a table, its count of cells, and where they begin, each with a child first.
        try #require(page[0] == 5)
        func number(at place: Int) -> Int { Int(page[place]) << 8 | Int(page[place + 1]) }
        let cells = (0..<number(at: 3)).map { number(at: 12 + 2 * $0) }
        try #require(cells.count > 20)
        let half = cells.count / 2
        for number in half..<cells.count {
            for byte in 0..<4 { page[cells[number] + byte] = page[cells[number - half] + byte] }
        }
        try #require(pwrite(file, page, page.count, off_t((root - 1) * page.count)) == page.count)
        var rounds = 0
        let other = try Index()
        let saved = index.copyFacts(to: other) {
            rounds += 1
            return rounds > 200
        }
        #expect(rounds < 100 && saved >= 4000, "\(rounds) \(saved)")
    }

    @Test(.timeLimit(.minutes(1))) func `that an index met in a scan is replaced later is counted once`() async throws {
        try pictures(5)
        let catalog = try await scratch.catalog {
            $0.retrying = RetryPace(first: .seconds(3600), longest: .seconds(36_000_000))
        }
        try catalog.scanning.sync {
            for _ in 0..<2 {
                _ = try catalog.successor(of: catalog.shelf.disk, because: DatabaseError(resultCode: .SQLITE_CORRUPT))
            }
        }
        var healing = catalog.standing.withLock(\.healing)
        #expect(healing.isDue && healing.next(catalog.configuration.retrying) == .seconds(2 * 3600))
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `damage that is met in writing what was learnt is repaired, too`() async throws
    {
        try pictures(50)
        let catalog = try await opened()
        let index = catalog.shelf.disk
        try await index.database.write { try $0.execute(sql: "DROP TABLE facts") }
        let image = try #require(try await asked(catalog)?.first)
        var facts = ImageFacts()
        facts.width = 3
        catalog.learned(facts, version: image.version, of: image.id)
        await catalog.facts.drain()
        #expect(await eventually { isWell(catalog) && catalog.shelf.disk !== index })
        #expect(try await catalog.image(image.id)?.facts.width == 3)
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `an index that cannot be set aside is tried later, and the gallery goes on`()
        async throws
    {
        try pictures(50)
        let files = FaultyFileSystem()
        let catalog = try await scratch.catalog {
            $0.fileSystem = files
            $0.retrying = RetryPace(first: .milliseconds(5), longest: .milliseconds(50))
        }
        let ids = try await catalog.all().map(\.id)
        files.set(.init(call: .rename, code: EIO))
        try await catalog.shelf.disk.database.write { try $0.execute(sql: "DELETE FROM image WHERE row = 20") }
        _ = try await asked(catalog)
        #expect(await eventually { files.met > 2 && !catalog.state.isScanning })
        #expect(catalog.isHealing)
        #expect(try await catalog.all().map(\.id) == ids)
        files.set(nil)
        #expect(await eventually { isWell(catalog) })
        #expect(try await catalog.all().map(\.id) == ids)
        await catalog.close()
    }

    @Test func `a disk that damages every index is not asked in haste, and is not filled with them`() {
        var healing = Healing()
        let pace = RetryPace(first: .seconds(1), longest: .seconds(60))
        let start = ContinuousClock.now
        let delays = (0..<9).map { healing.next(pace, now: start + .seconds($0)) }
        #expect(delays == [0, 1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        // An index that was well for long owes nothing.
        #expect(healing.next(pace, now: start + .seconds(8 + 601)) == .zero)
    }

    @Test func `damaged indexes are kept, but not all of them`() async throws {
        try pictures(5)
        var catalog = try await opened()
        await catalog.close()
        for number in 100..<110 { try scratch.file("data/catalog.sqlite.corrupt-\(number)", "x") }
        try scratch.file("data/catalog.sqlite", String(repeating: "x", count: 5000))
        catalog = try await opened()
        #expect(try await catalog.all().count == 5)
        let aside = try FileManager.default.contentsOfDirectory(atPath: scratch.path("data"))
            .filter { $0.hasPrefix("catalog.sqlite.corrupt-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
            .sorted()
        #expect(
            aside.count == 3 && aside.prefix(2) == ["catalog.sqlite.corrupt-108", "catalog.sqlite.corrupt-109"],
            "\(aside)")
        await catalog.close()
    }

    @Test func `that a statement met another form of the tables is no damage`() {
        for code in [ResultCode.SQLITE_SCHEMA, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_CANTOPEN] {
            #expect(!DatabaseError(resultCode: code).isDamage)
        }
        for code in [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB] { #expect(DatabaseError(resultCode: code).isDamage) }
    }
}
