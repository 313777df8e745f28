import Dispatch
import GRDB
import Glibc
import Images
import TestSupport
import Testing

@testable import Catalog

/// The catalog notices sidecars, and has their pictures read again.
@Suite(.serialized) struct SidecarTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func unindexed(_ catalog: Catalog) throws -> [UnindexedFile] {
        var place: IndexingPosition?
        return try catalog.unindexed(after: &place, limit: 100)
    }

    /// Puts a file into its place at once, as a program that writes carefully does.
    private func replace(_ name: String, _ text: String) throws {
        try scratch.file("new", text)
        try #require(rename(scratch.path("new"), scratch.path(name)) == 0)
    }

    /// Reports these files as read, with a title.
    private func learn(_ files: [UnindexedFile], _ catalog: Catalog, _ title: String? = nil) async {
        for file in files {
            var metadata = ImageMetadata()
            metadata.readerVersion = ImageMetadata.currentReader
            metadata.sidecars = file.sidecars
            metadata.title = title
            catalog.learned(metadata, version: file.version, of: file.image)
        }
        await catalog.metadata.drain()
    }

    @Test func `a scan finds the sidecars of each picture, and opens them by the same names`() async throws {
        try scratch.file("pictures/a.jpg")
        try scratch.file("pictures/a.jpg.xmp", "of a")
        try scratch.file("pictures/a.xmp", "not of a")
        try scratch.file("pictures/sub/b(1).jpg")
        try scratch.file("pictures/sub/b.jpg(1).json", "of b")
        try scratch.file("pictures/c.jpg")
        try scratch.file("pictures/c.xmp", "xmp of c")
        try scratch.file("pictures/c.jpg.supplemental-metadata.json", "json of c")
        try scratch.file("pictures/d.jpg")
        try scratch.file("pictures/sub/d.xmp", "in another folder")
        let catalog = try await scratch.catalog()
        let files = try unindexed(catalog)
        #expect(files.map(\.path) == ["a.jpg", "c.jpg", "d.jpg", "sub/b(1).jpg"])
        #expect(files.map(\.sidecars.formats) == [[.xmp], [.xmp, .takeout], [], [.takeout]])
        func content(_ format: SidecarFormat, _ number: Int) throws -> Int64 {
            try catalog.openSidecar(format, of: files[number]).size
        }
        #expect(try content(.xmp, 0) == 4 && content(.xmp, 1) == 8 && content(.takeout, 1) == 9)
        #expect(try content(.takeout, 3) == 4)
        #expect(throws: CatalogError.self) { try content(.takeout, 0) }
        #expect(throws: CatalogError.self) { try content(.xmp, 2) }
        // Sidecars are no images, and no problems.
        #expect(catalog.state.total == 4 && catalog.state.problems.count == 0)
        await catalog.close()
    }

    @Test func `a sidecar that links out of the folder is not opened`() async throws {
        try scratch.file("pictures/a.jpg")
        try scratch.file("secret.xmp", "secret")
        try scratch.link("pictures/a.xmp", to: scratch.path("secret.xmp"))
        try scratch.folder("pictures/a.jpg.xmp")
        let catalog = try await scratch.catalog()
        let file = try #require(try unindexed(catalog).first)
        #expect(file.sidecars == .none)
        #expect(throws: CatalogError.self) { try catalog.openSidecar(.xmp, of: file).size }
        await catalog.close()
    }

    @Test(arguments: [false, true]) func `a picture is read again when its sidecar comes, changes or goes`(
        isWatched: Bool
    ) async throws {
        for number in 0..<5 { try scratch.file("pictures/\(number).jpg") }
        let catalog = try await scratch.catalog { $0.watches = isWatched }
        func changed() async throws -> [UnindexedFile] {
            if !isWatched { await catalog.rescanned() }
            var files: [UnindexedFile] = []
            #expect(
                await eventually {
                    files = (try? unindexed(catalog)) ?? []
                    return !files.isEmpty
                })
            return files
        }
        var all = try unindexed(catalog)
        #expect(all.count == 5)
        await learn(all, catalog)
        #expect(try unindexed(catalog).isEmpty)
        for (number, text) in [(1, "new"), (1, "newer one"), (3, "new")] {
            try replace("pictures/\(number).xmp", text)
            all = try await changed()
            #expect(all.map(\.path) == ["\(number).jpg"] && all.map(\.sidecars.formats) == [[.xmp]])
            await learn(all, catalog, "title")
        }
        // The title of a sidecar ends with it.
        #expect(try await catalog.all().map(\.metadata.title) == [nil, "title", nil, "title", nil])
        try scratch.remove("pictures/1.xmp")
        all = try await changed()
        #expect(all.map(\.path) == ["1.jpg"] && all.map(\.sidecars) == [.none])
        await learn(all, catalog)
        #expect(try await catalog.all().map(\.metadata.title) == [nil, nil, nil, "title", nil])
        #expect(try unindexed(catalog).isEmpty)
        await catalog.close()
    }

    @Test func `a sidecar that changed while the program was not running is noticed`() async throws {
        try scratch.file("pictures/a.jpg")
        var catalog = try await scratch.catalog()
        var place: IndexingPosition?
        let files = try catalog.unindexed(after: &place, limit: 10)
        await learn(files, catalog)
        #expect(try !catalog.settleIndexing(#require(place), left: []))
        await catalog.close()
        try scratch.file("pictures/a.xmp", "new")
        catalog = try await scratch.catalog()
        #expect(try unindexed(catalog).map(\.sidecars.formats) == [[.xmp]])
        await catalog.close()
    }

    @Test func `pictures keep what their sidecars said when their pixels are read`() async throws {
        try scratch.file("pictures/a.jpg")
        try scratch.file("pictures/a.xmp", "sidecar")
        for isWritten in [false, true] {
            let catalog = try await scratch.catalog(data: "data-\(isWritten)")
            let file = try #require(try unindexed(catalog).first)
            // A rendition made before the picture is indexed does not count as indexing.
            var rendered = ImageMetadata()
            rendered.readerVersion = ImageMetadata.currentReader
            rendered.title = "in the file"
            rendered.rating = 1
            catalog.learned(rendered, version: file.version, of: file.image)
            if isWritten { await catalog.metadata.drain() }
            catalog.reopen([file])
            #expect(try unindexed(catalog) == [file])
            #expect(try await catalog.image(file.image)?.metadata.title == "in the file")
            var both = rendered
            (both.title, both.rating, both.sidecars) = ("in the sidecar", nil, file.sidecars)
            catalog.learned(both, version: file.version, of: file.image)
            if isWritten { await catalog.metadata.drain() }
            rendered.placeholder = [1, 2, 3]
            catalog.learned(rendered, version: file.version, of: file.image)
            if isWritten { await catalog.metadata.drain() }
            let metadata = try #require(await catalog.image(file.image)).metadata
            #expect(metadata.title == "in the sidecar" && metadata.placeholder == [1, 2, 3])
            #expect(metadata.sidecars == file.sidecars)
            catalog.reopen([file])
            #expect(try unindexed(catalog).isEmpty)
            await catalog.close()
        }
    }

    @Test func `a file that changes while its row is being searched is given out`() async throws {
        try scratch.file("pictures/a.jpg")
        let catalog = try await scratch.catalog()
        let file = try #require(try unindexed(catalog).first)
        await learn([file], catalog)
        let index = catalog.indexStore.disk
        func change() throws {
            try index.database.write { db in
                try db.execute(sql: "UPDATE facts SET examination = NULL")
                try index.note(changed: [file.row], db)
                // The search reads what was committed before.
                #expect(try unindexed(catalog).isEmpty)
            }
        }
        try change()
        #expect(try unindexed(catalog) == [file])
        await catalog.close()
    }

    @Test func `many changed sidecars in one folder are found by reading it once`() async throws {
        for number in 0..<200 { try scratch.file("pictures/sub/\(number).jpg") }
        let catalog = try await scratch.catalog { $0.watches = true }
        await learn(try unindexed(catalog), catalog)
        await learn(try unindexed(catalog), catalog)
        for number in 0..<100 { try scratch.file("pictures/sub/\(number).jpg.xmp", "new") }
        var paths: Set<String> = []
        #expect(
            await eventually {
                for file in (try? unindexed(catalog)) ?? [] where file.sidecars != .none { paths.insert(file.path) }
                return paths.count == 100
            })
        #expect(catalog.scanning.sync { catalog.records[0].readings } == 1)
        await catalog.close()
    }
}
