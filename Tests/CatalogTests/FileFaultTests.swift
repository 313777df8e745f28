import Dispatch
import GRDB
import Glibc
import Images
import TestSupport
import Testing

@testable import Catalog

/// Failures of file system calls, one by one: nothing is lost, the failure is reported, and everything recovers once it
/// is over.
@Suite(.serialized) struct FileFaultTests {
    let scratch: Scratch
    private let files = FaultyFileSystem()

    init() throws { scratch = try Scratch() }

    private static let codes = [EIO, EACCES, EMFILE, ESTALE]

    /// Each call that reads the folder `sub` beneath the root, and calls that read the root itself.
    private static let calls: [FaultyFileSystem.Fault] = codes.flatMap { code -> [FaultyFileSystem.Fault] in
        [
            .init(call: .openBeneath, code: code, place: "sub"),
            .init(call: .openBeneath, code: code, place: "sub/deep"),
            .init(call: .openBeneath, code: code, place: "sub/scan"),
            .init(call: .openBeneath, code: code, place: "sub/link"),
            .init(call: .statusOfFile, code: code, place: "sub"),
            .init(call: .statusOfFile, code: code, place: "z/e.jpg"),
            .init(call: .statusOfName, code: code, place: "sub"),
            .init(call: .statusOfName, code: code, place: "/sub/deep"),
            .init(call: .openNames, code: code, place: "/sub"),
            .init(call: .openNames, code: code, place: "/sub/deep"),
            .init(call: .nextName, code: code, place: "/sub"),
            .init(call: .nextName, code: code, place: "/sub", after: 3),
            .init(call: .nextName, code: code, place: "/sub/deep", after: 1),
            .init(call: .readHead, code: code, place: "/sub"),
            // The root itself.
            .init(call: .open, code: code, place: "/pictures"),
            .init(call: .openIn, code: code, place: "/pictures"),
            .init(call: .statusOfFile, code: code, place: "/pictures"),
            .init(call: .openNames, code: code, place: "/pictures"),
            .init(call: .nextName, code: code, place: "/pictures"),
            .init(call: .nextName, code: code, place: "/pictures", after: 4),
        ]
    }

    private func tree() throws {
        for name in ["a.jpg", "sub/b.jpg", "sub/c.jpg", "sub/deep/d.jpg", "sub/deep/er/x.jpg", "z/e.jpg", "z/f.jpg"] {
            try scratch.file("pictures/" + name)
        }
        try scratch.file("pictures/sub/scan", bytes: [0xff, 0xd8, 0xff, 0xe0])
        try scratch.link("pictures/sub/link.jpg", to: "../z/e.jpg")
    }

    private func learn(_ catalog: Catalog) async throws -> [GalleryImage] {
        var metadata = ImageMetadata()
        metadata.width = 7
        for image in try await catalog.all() { catalog.learned(metadata, version: image.version, of: image.id) }
        await catalog.metadata.drain()
        return try await catalog.all()
    }

    /// Why folders are read again.
    enum Occasion: CaseIterable {
        /// Their fingerprints are unknown.
        case unknown
        /// Their fingerprints have changed.
        case changed
    }

    @Test(arguments: calls, Occasion.allCases)
    func `unreadable folders keep their images and metadata`(
        fault: FaultyFileSystem.Fault, occasion: Occasion
    ) async throws {
        try tree()
        let catalog = try await scratch.catalog { [files] in
            $0.fileSystem = files
            $0.retrying = RetryPace(first: .seconds(3600), maximumDelay: .seconds(3600))
        }
        let before = try await learn(catalog)
        #expect(before.count == 9 && before.allSatisfy { $0.metadata.width == 7 })
        switch occasion {
        case .unknown:
            try await catalog.indexStore.disk.database.write { try $0.execute(sql: "DELETE FROM folder") }
            catalog.scanning.sync { catalog.records[0].folders = nil }
        case .changed:
            for folder in ["", "/sub", "/sub/deep", "/sub/deep/er", "/z"] {
                try #require(chmod(scratch.path("pictures" + folder), 0o700) == 0)
            }
        }
        files.set(fault)
        await catalog.rescanned()
        #expect(files.met > 0)
        #expect(try await catalog.all() == before)
        // Denied access to a file without an image's name is not a problem.
        let isQuiet =
            fault.code == EACCES
            && (fault.call == .readHead || fault.place == "sub/scan")
        #expect((catalog.state.problems.count == 0) == isQuiet)
        files.set(nil)
        await catalog.rescanned()
        #expect(try await catalog.all() == before)
        #expect(catalog.state.problems.count == 0)
        // Nor has the index lost or gained any rows.
        let (rows, metadata) = try await catalog.indexStore.disk.database.read { db in
            (
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM image"),
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM facts WHERE width = 7")
            )
        }
        #expect(rows == 9 && metadata == 9)
        await catalog.close()
    }

    @Test func `files that are certainly gone are removed, while unreadable ones beside them stay`() async throws {
        try tree()
        let catalog = try await scratch.catalog { [files] in $0.fileSystem = files }
        _ = try await learn(catalog)
        try scratch.remove("pictures/z/e.jpg")
        try scratch.remove("pictures/sub/b.jpg")
        try scratch.file("pictures/z/g.jpg")
        files.set(.init(call: .openNames, code: ESTALE, place: "/sub/deep"))
        await catalog.rescanned()
        let paths = try await catalog.all().compactMap(\.path)
        // The link's target is gone.
        #expect(
            paths == ["a.jpg", "sub/c.jpg", "sub/scan", "sub/deep/d.jpg", "sub/deep/er/x.jpg", "z/f.jpg", "z/g.jpg"])
        await catalog.close()
    }

    @Test(arguments: [EACCES, EIO])
    func `an unreadable file without an image's name is a problem unless access is denied`(
        code: Int32
    ) async throws {
        try tree()
        try scratch.file("pictures/sub/letter.txt", "Dear all,")
        files.set(.init(call: .openBeneath, code: code, place: "sub/letter.txt"))
        let catalog = try await scratch.catalog { [files] in $0.fileSystem = files }
        await catalog.rescanned()
        #expect(files.met == 2 && catalog.state.total == 9)
        #expect(catalog.state.problems.count == (code == EACCES ? 0 : 1))
        await catalog.close()
    }

    @Test(arguments: [ENOENT, ENOTDIR]) func `a folder that is certainly gone loses its images`(
        code: Int32
    ) async throws {
        try tree()
        let catalog = try await scratch.catalog { [files] in $0.fileSystem = files }
        files.set(.init(call: .openBeneath, code: code, place: "sub/deep"))
        await catalog.rescanned()
        #expect(try await catalog.all().count == 7)
        await catalog.close()
    }

    @Test func `unreadable folders are rescanned automatically once the fault is over`() async throws {
        try tree()
        files.set(.init(call: .openNames, code: EMFILE, place: "/sub"))
        let catalog = try await scratch.catalog { [files] in
            $0.fileSystem = files
            $0.retrying = RetryPace(first: .milliseconds(5), maximumDelay: .milliseconds(20))
        }
        #expect(try await catalog.all().compactMap(\.path) == ["a.jpg", "z/e.jpg", "z/f.jpg"])
        files.set(nil)
        #expect(await eventually { catalog.state.total == 9 && catalog.state.problems.count == 0 })
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `a disk that hangs during a scan blocks neither readers nor closing`()
        async throws
    {
        try tree()
        let catalog = try await scratch.catalog { [files] in
            $0.fileSystem = files
            $0.closingTimeout = .milliseconds(20)
        }
        let before = try await catalog.all()
        files.set(.init(call: .openNames, code: EIO, hangs: true, place: "/sub"))
        catalog.rescan()
        #expect(await eventually { files.met > 0 })
        // Meanwhile pages are served from the records of the last scan.
        let page = try await catalog.page(offset: 0, limit: 500)
        #expect(page.images == before && catalog.state.isScanning)
        _ = try catalog.openFile(folder: 0, path: "z/e.jpg").size
        await catalog.close()
        await #expect(throws: CatalogError.closed) { try await catalog.page(offset: 0, limit: 1) }
        files.answer.signal()
        // The data folder is now unlocked, and contains everything.
        await withCheckedContinuation { done in catalog.scanning.async { done.resume() } }
        files.set(nil)
        let again = try await scratch.catalog()
        #expect(try await again.all() == before)
        await again.close()
    }

    @Test func `retries back off up to the maximumDelay delay`() {
        let pace = RetryPace(first: .seconds(1), maximumDelay: .seconds(60))
        #expect((1...8).map { pace.delay(after: $0) } == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        #expect(pace.delay(after: 10_000) == .seconds(60))
    }

    @Test(arguments: [
        FaultyFileSystem.Call.status, .open, .read,
    ])
    func `a list that cannot be read keeps its images`(call: FaultyFileSystem.Call) async throws {
        let lines = (0..<3000).map { "http://a.test/\($0)\n" }.joined()
        let list = Source.list(path: try scratch.file("a.txt", lines + "bad line\n"), format: .text)
        let catalog = try await scratch.catalog([list]) { [files] in $0.fileSystem = files }
        let before = try await learn(catalog)
        let problems = catalog.state.problems
        #expect(before.count == 3000 && problems.count == 1)
        try scratch.file("a.txt", lines + "bad line\nbad\n")
        files.set(.init(call: call, code: EIO, place: "a.txt", after: call == .read ? 1 : 0))
        await catalog.rescanned()
        #expect(files.met > 0)
        #expect(try await catalog.all() == before)
        #expect(catalog.state.problems.first.first?.reason.contains("cannot be read") == true)
        files.set(nil)
        try scratch.file("a.txt", lines + "bad line\n")
        await catalog.rescanned()
        #expect(try await catalog.all() == before)
        #expect(catalog.state.problems == problems)
        // The fault is also forgotten for a list that has not changed.
        files.set(.init(call: .status, code: EIO, place: "a.txt"))
        await catalog.rescanned()
        files.set(nil)
        await catalog.rescanned()
        #expect(catalog.state.problems == problems)
        await catalog.close()
    }

    @Test func `a file that temporarily cannot be opened is not reported as gone`() async throws {
        try tree()
        let catalog = try await scratch.catalog { [files] in $0.fileSystem = files }
        func unavailability(_ code: Int32) -> CatalogError.Unavailability? {
            files.set(.init(call: .openBeneath, code: code, place: "a.jpg"))
            do throws(CatalogError) {
                _ = try catalog.openFile(folder: 0, path: "a.jpg").size
                return nil
            } catch {
                guard case .fileUnavailable(let unavailability, _) = error else { return nil }
                return unavailability
            }
        }
        for code in [ENOENT, ENOTDIR, ELOOP, EXDEV] { #expect(unavailability(code) == .gone) }
        #expect(unavailability(EACCES) == .forbidden)
        for code in [EMFILE, ENFILE, EIO, ENOMEM, ESTALE, ETIMEDOUT] {
            #expect(unavailability(code) == .passing(errno: code))
        }
        files.set(nil)
        _ = try catalog.openFile(folder: 0, path: "a.jpg").size
        await catalog.close()
    }
}

@Suite struct DataInsideTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `a data folder inside a source is not scanned`() async throws {
        for name in ["a.jpg", "data/cache/originals/1.jpg", "sub/data/b.jpg"] { try scratch.file("pictures/" + name) }
        let catalog = try await scratch.catalog(data: "pictures/data")
        #expect(try await catalog.all().compactMap(\.path) == ["a.jpg", "sub/data/b.jpg"])
        await catalog.close()
    }

    @Test func `a data folder inside a source is recognized through a link`() async throws {
        for name in ["a.jpg", "state/cache/1.jpg"] { try scratch.file("pictures/" + name) }
        try scratch.link("pictures/data", to: "state")
        let catalog = try await scratch.catalog(data: "pictures/data")
        #expect(try await catalog.all().compactMap(\.path) == ["a.jpg"])
        await catalog.close()
    }

    @Test func `a data folder that is also the source is refused`() async throws {
        try scratch.file("pictures/a.jpg")
        await #expect {
            try await scratch.catalog(data: "pictures")
        } throws: {
            guard case .badSource(_, let reason) = $0 as? CatalogError else { return false }
            return reason.contains("--data")
        }
    }
}
