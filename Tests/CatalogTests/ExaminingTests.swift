import Dispatch
import GRDB
import Images
import Locking
import Testing

@testable import Catalog

@Suite struct ExaminingTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static var examined: ImageFacts {
        var facts = ImageFacts()
        facts.examination = ImageFacts.presentExamination
        return facts
    }

    /// All that is given out from the beginning or from where `place` is, in steps.
    private func given(
        _ catalog: Catalog, _ place: inout ExaminationPlace?, limit: Int = 7
    ) throws -> [UnexaminedFile] {
        var all: [UnexaminedFile] = []
        while true {
            let some = try catalog.unexamined(after: &place, limit: limit)
            #expect(some.count <= limit)
            if some.isEmpty { return all }
            all += some
        }
    }

    private func learn(_ files: [UnexaminedFile], _ catalog: Catalog) {
        for file in files { catalog.learned(Self.examined, version: file.version, of: file.image) }
    }

    private func pictures(_ names: [String]) throws {
        for name in names { try scratch.file("pictures/\(name)", name) }
    }

    @Test func `files are given out once, in order, and those of lists are not`() async throws {
        try pictures(["b.jpg", "a.jpg", "sub/c.jpg"])
        let list = try scratch.file("a.txt", "http://a.test/x")
        let catalog = try await scratch.catalog([
            .list(path: list, format: .text), .folder(path: scratch.path("pictures")),
        ])
        var place: ExaminationPlace?
        let files = try given(catalog, &place, limit: 2)
        #expect(files.map(\.path) == ["a.jpg", "b.jpg", "sub/c.jpg"] && files.allSatisfy { $0.folder == 1 })
        #expect(files.map(\.image) == (try await catalog.all().dropFirst().map(\.id)))
        #expect(catalog.examinations.total == 3 && catalog.examinations.given == 3)
        place = nil
        #expect(try given(catalog, &place).isEmpty)
    }

    @Test func `what was looked into is not given out after a restart, whether or not that was kept`() async throws {
        try pictures((0..<20).map { "\($0).jpg" })
        var catalog = try await scratch.catalog()
        var place: ExaminationPlace?
        var files = try given(catalog, &place)
        #expect(files.count == 20)
        // The program ends without having told of the last.
        learn(Array(files.dropLast(2)), catalog)
        await catalog.close()
        catalog = try await scratch.catalog()
        place = nil
        files = try given(catalog, &place)
        #expect(files.map(\.path) == ["18.jpg", "19.jpg"])
        learn(files, catalog)
        #expect(try !catalog.settleExaminations(#require(place), left: []))
        await catalog.close()
        catalog = try await scratch.catalog()
        // Nothing is even looked up: without the facts all would be given out.
        try await catalog.shelf.disk.database.write { try $0.execute(sql: "DELETE FROM facts") }
        place = nil
        #expect(try given(catalog, &place).isEmpty)
        #expect(catalog.examinations.given == 20)
        await catalog.close()
    }

    @Test func `a file that changes or comes is given out, and no other`() async throws {
        try pictures(["a.jpg", "b.jpg", "c.jpg"])
        var catalog = try await scratch.catalog()
        var place: ExaminationPlace?
        learn(try given(catalog, &place), catalog)
        _ = try catalog.settleExaminations(#require(place), left: [])
        try scratch.file("pictures/b.jpg", "longer than before")
        try pictures(["d.jpg"])
        let isTold = Guarded(false)
        catalog.onChange { isTold.withLock { $0 = true } }
        await catalog.rescanned()
        let told = isTold.withLock { $0 }
        #expect(told)
        let files = try given(catalog, &place)
        #expect(files.map(\.path) == ["b.jpg", "d.jpg"])
        // Also when the program ended before they were looked into.
        await catalog.close()
        catalog = try await scratch.catalog()
        place = nil
        #expect(try given(catalog, &place).map(\.path) == ["b.jpg", "d.jpg"])
        learn(files, catalog)
        _ = try catalog.settleExaminations(#require(place), left: [])
        await catalog.close()
        catalog = try await scratch.catalog()
        place = nil
        #expect(try given(catalog, &place).isEmpty)
        await catalog.close()
    }

    @Test func `facts of an older content or of a lesser examination are none`() async throws {
        try pictures(["a.jpg", "b.jpg", "c.jpg"])
        let catalog = try await scratch.catalog()
        let images = try await catalog.all()
        catalog.learned(Self.examined, version: ContentVersion(rawValue: 5), of: images[0].id)
        var lesser = ImageFacts()
        lesser.mediaType = "image/jpeg"
        catalog.learned(lesser, version: images[1].version, of: images[1].id)
        catalog.learned(Self.examined, version: images[2].version, of: images[2].id)
        var place: ExaminationPlace?
        #expect(try given(catalog, &place).map(\.path) == ["a.jpg", "b.jpg"])
        await catalog.close()
    }

    @Test func `what could not be looked into is given out again, now or after a restart`() async throws {
        try pictures(["a.jpg", "b.jpg", "c.jpg"])
        var catalog = try await scratch.catalog()
        var place: ExaminationPlace?
        let files = try given(catalog, &place)
        learn([files[0]], catalog)
        catalog.reopen([files[1]])
        #expect(try given(catalog, &place).map(\.path) == ["b.jpg"])
        learn([files[1]], catalog)
        _ = try catalog.settleExaminations(#require(place), left: [files[2]])
        await catalog.close()
        catalog = try await scratch.catalog()
        place = nil
        #expect(try given(catalog, &place).map(\.path) == ["c.jpg"])
        await catalog.close()
    }

    @Test func `what is nothing that can be shown is looked into once, until a person has all read again`() async throws
    {
        try pictures(["a.jpg", "b.jpg"])
        let catalog = try await scratch.catalog()
        var place: ExaminationPlace?
        let files = try given(catalog, &place)
        var broken = Self.examined
        broken.isBroken = true
        catalog.learned(broken, version: files[0].version, of: files[0].image)
        learn([files[1]], catalog)
        _ = try catalog.settleExaminations(#require(place), left: [])
        catalog.rescan([0])
        await catalog.scanCompleted()
        #expect(try given(catalog, &place).isEmpty)
        catalog.rescan()
        await catalog.scanCompleted()
        await withCheckedContinuation { done in catalog.scanning.async { done.resume() } }
        #expect(try given(catalog, &place).map(\.path) == ["a.jpg"])
        await catalog.close()
    }

    @Test func `nothing is kept while a source is read, nor when the catalog has changed`() async throws {
        try pictures(["a.jpg", "b.jpg"])
        let catalog = try await scratch.catalog()
        var place: ExaminationPlace?
        learn(try given(catalog, &place), catalog)
        let before = try #require(place)
        try pictures(["c.jpg"])
        await catalog.rescanned()
        #expect(!catalog.settleExaminations(before, left: []))
        #expect(try given(catalog, &place).map(\.path) == ["c.jpg"])
        catalog.standing.withLock { $0.isScanning = true }
        #expect(try catalog.settleExaminations(#require(place), left: []))
        catalog.standing.withLock { $0.isScanning = false }
        let row = try await catalog.shelf.disk.database.read {
            try Int.fetchOne($0, sql: "SELECT examinedRow FROM source")
        }
        #expect(row == nil)
        await catalog.close()
    }
}
