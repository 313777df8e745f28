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

/// Failures of the disk beneath the index, and damage that occurs while the index is in use.
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
        var metadata = ImageMetadata()
        metadata.width = 7
        metadata.mediaType = String(repeating: "x", count: 200)
        for image in try await catalog.all() { catalog.learned(metadata, version: image.version, of: image.id) }
        await catalog.metadata.drain()
        return try await catalog.all()
    }

    private func opened() async throws -> Catalog {
        try await scratch.catalog { $0.retrying = RetryPace(first: .milliseconds(5), maximumDelay: .milliseconds(50)) }
    }

    /// All images, or nil if they cannot be read now.
    private func imagesIfReadable(_ catalog: Catalog) async throws -> [GalleryImage]? {
        do { return try await catalog.all() } catch CatalogError.indexUnavailable { return nil }
    }

    private func isWell(_ catalog: Catalog) -> Bool {
        !catalog.isRepairing && !catalog.state.isScanning && catalog.indexStore.memoryInUse == nil
    }

    @Test(.timeLimit(.minutes(2)), arguments: faults, [0, 5])
    func `a temporary disk failure loses nothing`(
        fault: (FaultyDisk.Operation, Int32), after: Int
    ) async throws {
        try pictures()
        let catalog = try await opened()
        let before = try await learn(catalog)
        let place = scratch.path("data/catalog.sqlite")
        FaultyDisk.shared.set(.init(place: place, operation: fault.0, code: fault.1, after: after), at: place)
        try scratch.file("pictures/999.jpg")
        var metadata = ImageMetadata()
        metadata.height = 9
        catalog.learned(metadata, version: before[0].version, of: before[0].id)
        await catalog.metadata.drain()
        await catalog.rescanned()
        #expect(catalog.state.total > 119)
        if let images = try await imagesIfReadable(catalog) { #expect(images.count > 119) }
        FaultyDisk.shared.set(nil, at: place)
        await catalog.rescanned()
        #expect(await eventually { isWell(catalog) && catalog.state.total == 121 }, "\(catalog.state)")
        await catalog.metadata.drain()
        let images = try await catalog.all()
        #expect(images.filter { $0.metadata.width == 7 }.map(\.id) == before.map(\.id))
        #expect(images.first?.metadata.height == 9)
        await catalog.close()
        // And the index on disk is intact.
        let again = try await opened()
        #expect(try await again.all() == images)
        await again.close()
    }

    /// Overwrites the index with garbage from a byte on, while it is in use.
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

    /// Drops caches, so that the next read goes to the file.
    private func forget(_ catalog: Catalog) throws {
        try catalog.indexStore.disk.database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        (catalog.indexStore.disk.database as? DatabasePool)?.releaseMemory()
    }

    @Test(.timeLimit(.minutes(1)), arguments: [0, 4096, 16384])
    func `an index damaged while in use is rebuilt without intervention`(start: Int)
        async throws
    {
        try pictures(600)
        let catalog = try await opened()
        let before = try await learn(catalog)
        try forget(catalog)
        try damage(from: start)
        var answers: [Bool] = []
        // Nobody requests a rescan; a refused client tries again.
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            #expect(catalog.state.total == 600)
            let images = try await imagesIfReadable(catalog)
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

    @Test(.timeLimit(.minutes(1))) func `a damaged index counts as under repair until it is replaced`() async throws {
        try pictures(50)
        let catalog = try await opened()
        #expect(!catalog.isRepairing)
        let index = catalog.indexStore.disk
        // Nothing is repaired while the scanning queue is suspended.
        catalog.scanning.suspend()
        try await index.database.write { try $0.execute(sql: "DELETE FROM image WHERE row = 20") }
        #expect(try await imagesIfReadable(catalog) == nil)
        #expect(catalog.isRepairing)
        #expect(catalog.state.total == 50)
        catalog.scanning.resume()
        #expect(await eventually { isWell(catalog) })
        #expect(catalog.indexStore.disk !== index)
        #expect(try await catalog.all().count == 50)
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `readable metadata is recovered from a damaged index`()
        async throws
    {
        try pictures(50)
        let catalog = try await opened()
        let before = try await learn(catalog)
        try await catalog.indexStore.disk.database.write { try $0.execute(sql: "DELETE FROM image WHERE row = 20") }
        _ = try await imagesIfReadable(catalog)
        #expect(await eventually { isWell(catalog) })
        #expect(try await catalog.all() == before)
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `metadata is recovered from an index found damaged at startup`()
        async throws
    {
        try pictures(50)
        var catalog = try await opened()
        let before = try await learn(catalog)
        let page = try await catalog.indexStore.disk.database.read { db in
            try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'image'") ?? 0
        }
        await catalog.close()
        try damage(from: (page - 1) * 4096, count: 4096)
        catalog = try await opened()
        #expect(catalog.state.problems.first.contains { $0.reason.contains("damaged") })
        #expect(try await catalog.all() == before)
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `a listing found damaged at startup loses no metadata`()
        async throws
    {
        try pictures(50)
        var catalog = try await opened()
        let before = try await learn(catalog)
        try await catalog.indexStore.disk.database.write { try $0.execute(sql: "UPDATE listing SET rows = x'00'") }
        await catalog.close()
        catalog = try await opened()
        #expect(catalog.state.problems.first.contains { $0.reason.contains("damaged") })
        #expect(try await catalog.all() == before)
        await catalog.close()
    }

    /// The second half of the tree's leaves repeats the first half, as a disk that lost its position might write it.
    @Test func `copying metadata ends even if the table's pages repeat`() throws {
        let path = try scratch.folder("data") + "/catalog.sqlite"
        let index = try Index(path: path, maximumPages: nil)
        let learned = LearnedMetadata(metadata: ImageMetadata(), version: ContentVersion(rawValue: 1))
        try index.write(Dictionary(uniqueKeysWithValues: (1...8000).map { (ImageID(rawValue: $0), learned) }))
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
        // File format §1.6: an interior page of a table with its number of cells, and their offsets; each cell begins
        // with a child page.
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
        let saved = index.copyMetadata(to: other) {
            rounds += 1
            return rounds > 200
        }
        #expect(rounds < 100 && saved >= 4000, "\(rounds) \(saved)")
    }

    @Test(.timeLimit(.minutes(1))) func `damage met twice in one scan is counted once`() async throws {
        try pictures(5)
        let catalog = try await scratch.catalog {
            $0.retrying = RetryPace(first: .seconds(3600), maximumDelay: .seconds(36_000_000))
        }
        try catalog.scanning.sync {
            for _ in 0..<2 {
                _ = try catalog.successor(
                    of: catalog.indexStore.disk, because: DatabaseError(resultCode: .SQLITE_CORRUPT))
            }
        }
        var repair = catalog.mutableState.withLock(\.repair)
        #expect(repair.isDue && repair.next(catalog.configuration.retrying) == .seconds(2 * 3600))
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `damage found while writing metadata is repaired, too`() async throws {
        try pictures(50)
        let catalog = try await opened()
        let index = catalog.indexStore.disk
        try await index.database.write { try $0.execute(sql: "DROP TABLE facts") }
        let image = try #require(try await imagesIfReadable(catalog)?.first)
        var metadata = ImageMetadata()
        metadata.width = 3
        catalog.learned(metadata, version: image.version, of: image.id)
        await catalog.metadata.drain()
        #expect(await eventually { isWell(catalog) && catalog.indexStore.disk !== index })
        #expect(try await catalog.image(image.id)?.metadata.width == 3)
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `setting a damaged index aside is retried while the gallery continues`()
        async throws
    {
        try pictures(50)
        let files = FaultyFileSystem()
        let catalog = try await scratch.catalog {
            $0.fileSystem = files
            $0.retrying = RetryPace(first: .milliseconds(5), maximumDelay: .milliseconds(50))
        }
        let ids = try await catalog.all().map(\.id)
        files.set(.init(call: .rename, code: EIO))
        try await catalog.indexStore.disk.database.write { try $0.execute(sql: "DELETE FROM image WHERE row = 20") }
        _ = try await imagesIfReadable(catalog)
        #expect(await eventually { files.met > 2 && !catalog.state.isScanning })
        #expect(catalog.isRepairing)
        #expect(try await catalog.all().map(\.id) == ids)
        files.set(nil)
        #expect(await eventually { isWell(catalog) })
        #expect(try await catalog.all().map(\.id) == ids)
        await catalog.close()
    }

    @Test func `repeated repairs back off, and start again after a long time without damage`() {
        var repair = IndexRepair()
        let pace = RetryPace(first: .seconds(1), maximumDelay: .seconds(60))
        let start = ContinuousClock.now
        let delays = (0..<9).map { repair.next(pace, now: start + .seconds($0)) }
        #expect(delays == [0, 1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        // After a long time without damage, the backoff starts again.
        #expect(repair.next(pace, now: start + .seconds(8 + 601)) == .zero)
    }

    @Test func `only the latest damaged indexes are kept`() async throws {
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

    @Test func `only corruption errors count as damage`() {
        for code in [ResultCode.SQLITE_SCHEMA, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_CANTOPEN] {
            #expect(!DatabaseError(resultCode: code).isDamage)
        }
        for code in [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB] { #expect(DatabaseError(resultCode: code).isDamage) }
    }
}
