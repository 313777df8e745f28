import Dispatch
import GRDB
import Glibc
import Images
import TestSupport
import Testing

@testable import Catalog

/// What the file system fails to do, call by call: nothing is lost, it is said, and it is well when the fault has passed.
@Suite(.serialized) struct FileFaultTests {
    let scratch: Scratch
    private let files = FaultyFileSystem()

    init() throws { scratch = try Scratch() }

    private static let codes = [EIO, EACCES, EMFILE, ESTALE]

    /// Each call that reads what lies beneath the root's folder `sub`, with whether the whole of it is in doubt.
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
        var facts = ImageFacts()
        facts.width = 7
        for image in try await catalog.all() { catalog.learned(facts, version: image.version, of: image.id) }
        await catalog.facts.drain()
        return try await catalog.all()
    }

    /// Why folders are read again.
    enum Occasion: CaseIterable {
        /// It is not known how they looked.
        case unknown
        /// They look other than they did.
        case changed
    }

    @Test(arguments: calls, Occasion.allCases)
    func `what cannot be read keeps its pictures and all that was learnt of them`(
        fault: FaultyFileSystem.Fault, occasion: Occasion
    ) async throws {
        try tree()
        let catalog = try await scratch.catalog { [files] in
            $0.fileSystem = files
            $0.retrying = RetryPace(first: .seconds(3600), longest: .seconds(3600))
        }
        let before = try await learn(catalog)
        #expect(before.count == 9 && before.allSatisfy { $0.facts.width == 7 })
        switch occasion {
        case .unknown:
            try await catalog.shelf.disk.database.write { try $0.execute(sql: "DELETE FROM folder") }
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
        // That a file which is no picture by its name is closed to this user is no news.
        let isQuiet =
            fault.code == EACCES
            && (fault.call == .readHead || fault.place == "sub/scan")
        #expect((catalog.state.problems.count == 0) == isQuiet)
        files.set(nil)
        await catalog.rescanned()
        #expect(try await catalog.all() == before)
        #expect(catalog.state.problems.count == 0)
        // Nor does the index have less, or more, than before.
        let (rows, facts) = try await catalog.shelf.disk.database.read { db in
            (
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM image"),
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM facts WHERE width = 7")
            )
        }
        #expect(rows == 9 && facts == 9)
        await catalog.close()
    }

    @Test func `what is gone for certain goes, while what cannot be read beside it stays`() async throws {
        try tree()
        let catalog = try await scratch.catalog { [files] in $0.fileSystem = files }
        _ = try await learn(catalog)
        try scratch.remove("pictures/z/e.jpg")
        try scratch.remove("pictures/sub/b.jpg")
        try scratch.file("pictures/z/g.jpg")
        files.set(.init(call: .openNames, code: ESTALE, place: "/sub/deep"))
        await catalog.rescanned()
        let paths = try await catalog.all().compactMap(\.path)
        // The link led to what has gone.
        #expect(
            paths == ["a.jpg", "sub/c.jpg", "sub/scan", "sub/deep/d.jpg", "sub/deep/er/x.jpg", "z/f.jpg", "z/g.jpg"])
        await catalog.close()
    }

    @Test(arguments: [EACCES, EIO]) func `a file of no picture's name that is closed to this user is no problem`(
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

    @Test(arguments: [ENOENT, ENOTDIR]) func `a folder that is gone for certain takes its pictures with it`(
        code: Int32
    ) async throws {
        try tree()
        let catalog = try await scratch.catalog { [files] in $0.fileSystem = files }
        files.set(.init(call: .openBeneath, code: code, place: "sub/deep"))
        await catalog.rescanned()
        #expect(try await catalog.all().count == 7)
        await catalog.close()
    }

    @Test func `what could not be read is read again by itself when the fault has passed`() async throws {
        try tree()
        files.set(.init(call: .openNames, code: EMFILE, place: "/sub"))
        let catalog = try await scratch.catalog { [files] in
            $0.fileSystem = files
            $0.retrying = RetryPace(first: .milliseconds(5), longest: .milliseconds(20))
        }
        #expect(try await catalog.all().compactMap(\.path) == ["a.jpg", "z/e.jpg", "z/f.jpg"])
        files.set(nil)
        #expect(await eventually { catalog.state.total == 9 && catalog.state.problems.count == 0 })
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `a disk that hangs while it is read stops neither readers nor the end`()
        async throws
    {
        try tree()
        let catalog = try await scratch.catalog { [files] in
            $0.fileSystem = files
            $0.closingPatience = .milliseconds(20)
        }
        let before = try await catalog.all()
        files.set(.init(call: .openNames, code: EIO, hangs: true, place: "/sub"))
        catalog.rescan()
        #expect(await eventually { files.met > 0 })
        // What is shown comes from what is known.
        let page = try await catalog.page(offset: 0, limit: 500)
        #expect(page.images == before && catalog.state.isScanning)
        _ = try catalog.openFile(folder: 0, path: "z/e.jpg").size
        await catalog.close()
        await #expect(throws: CatalogError.closed) { try await catalog.page(offset: 0, limit: 1) }
        files.answer.signal()
        // Then the data folder is free, and has all that it had.
        await withCheckedContinuation { done in catalog.scanning.async { done.resume() } }
        files.set(nil)
        let again = try await scratch.catalog()
        #expect(try await again.all() == before)
        await again.close()
    }

    @Test func `rights that are missing are not asked for again and again`() {
        let pace = RetryPace(first: .seconds(1), longest: .seconds(60))
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
        // Of a list that has not changed the fault is forgotten, too.
        files.set(.init(call: .status, code: EIO, place: "a.txt"))
        await catalog.rescanned()
        files.set(nil)
        await catalog.rescanned()
        #expect(catalog.state.problems == problems)
        await catalog.close()
    }

    @Test func `a file that cannot be opened now is not said to be gone`() async throws {
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

    @Test func `a data folder among the pictures is no folder of pictures`() async throws {
        for name in ["a.jpg", "data/cache/originals/1.jpg", "sub/data/b.jpg"] { try scratch.file("pictures/" + name) }
        let catalog = try await scratch.catalog(data: "pictures/data")
        #expect(try await catalog.all().compactMap(\.path) == ["a.jpg", "sub/data/b.jpg"])
        await catalog.close()
    }

    @Test func `it is known by whatever name it is reached`() async throws {
        for name in ["a.jpg", "state/cache/1.jpg"] { try scratch.file("pictures/" + name) }
        try scratch.link("pictures/data", to: "state")
        let catalog = try await scratch.catalog(data: "pictures/data")
        #expect(try await catalog.all().compactMap(\.path) == ["a.jpg"])
        await catalog.close()
    }

    @Test func `a data folder that is the folder of pictures is refused`() async throws {
        try scratch.file("pictures/a.jpg")
        await #expect {
            try await scratch.catalog(data: "pictures")
        } throws: {
            guard case .badSource(_, let reason) = $0 as? CatalogError else { return false }
            return reason.contains("--data")
        }
    }
}
