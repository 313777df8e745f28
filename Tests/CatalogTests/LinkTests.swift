import Dispatch
import Glibc
import Images
import Synchronization
import TestSupport
import Testing

@testable import Catalog

/// Links to files and folders beneath the sources are followed, others are refused.
@Suite(.serialized) struct LinkTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func paths(_ catalog: Catalog) async throws -> [String] { try await catalog.all().compactMap(\.path) }

    private func shows(_ catalog: Catalog, _ expected: [String]) async throws -> Bool {
        var shown: [String] = []
        for _ in 0..<100 {
            let revision = catalog.state.revision
            shown = try await paths(catalog)
            if shown == expected { return true }
            guard await eventually({ catalog.state.revision != revision }) else { break }
        }
        Issue.record("the catalog shows \(shown)")
        return false
    }

    private func watched() async throws -> Catalog {
        try await scratch.catalog {
            $0.watches = true
            $0.settling = .seconds(1)
        }
    }

    @Test func `a linked folder is an album, and an absolute link that points inside is inside`() async throws {
        try scratch.file("pictures/album1/x.jpg", "four")
        try scratch.folder("pictures/hiking")
        try scratch.link("pictures/hiking/Austria", to: "../album1")
        try scratch.link("pictures/abs.jpg", to: scratch.path("pictures/album1/x.jpg"))
        try scratch.link("pictures/again", to: scratch.path("pictures/hiking/Austria/"))
        try scratch.link("pictures/hiking/x.jpg", to: "Austria/x.jpg")
        let catalog = try await scratch.catalog()
        let expected = ["abs.jpg", "again/x.jpg", "album1/x.jpg", "hiking/x.jpg", "hiking/Austria/x.jpg"]
        #expect(try await paths(catalog) == expected)
        #expect(catalog.state.problems.count == 0)
        for image in try await catalog.all() {
            #expect(try catalog.openFile(folder: 0, path: try #require(image.path)).size == 4)
        }
        await catalog.rescanned()
        #expect(try await paths(catalog) == expected)
        await catalog.close()
    }

    @Test func `links lead from one source into another, by relative and absolute paths`() async throws {
        try scratch.file("A/a.jpg")
        try scratch.file("B/deep/b.jpg", "four")
        try scratch.file("C/c.jpg")
        try scratch.link("A/absolute", to: scratch.path("B/deep"))
        try scratch.link("A/relative", to: "../B/deep")
        try scratch.link("A/file.jpg", to: "../B/../B/./deep//b.jpg")
        try scratch.link("A/outside", to: "../C")
        let catalog = try await scratch.catalog(["A", "B"].map { .folder(path: scratch.path($0)) })
        let images = try await catalog.all()
        #expect(
            images.compactMap(\.path)
                == ["a.jpg", "file.jpg", "absolute/b.jpg", "relative/b.jpg", "deep/b.jpg"])
        #expect(try catalog.openFile(folder: 0, path: "relative/b.jpg").size == 4)
        #expect(catalog.state.problems.first.map(\.path) == ["outside"])
        #expect(catalog.state.problems.first.first?.reason.contains("outside the served folders") == true)
        await catalog.close()
    }

    @Test func `a source that is named through a link is recognised in absolute links by either path`() async throws {
        try scratch.file("real/a.jpg")
        try scratch.link("named", to: "real")
        try scratch.link("real/b.jpg", to: scratch.path("named/a.jpg"))
        try scratch.link("real/c.jpg", to: scratch.path("real/a.jpg"))
        let catalog = try await scratch.catalog([.folder(path: scratch.path("named") + "/")])
        #expect(try await paths(catalog) == ["a.jpg", "b.jpg", "c.jpg"])
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `circles of links end, and each real folder comes once on the way to an image`()
        async throws
    {
        try scratch.file("pictures/a/a.jpg")
        try scratch.file("pictures/b/b.jpg")
        try scratch.link("pictures/a/b", to: "../b")
        try scratch.link("pictures/b/a", to: scratch.path("pictures/a"))
        try scratch.link("pictures/a/self", to: ".")
        try scratch.link("pictures/a/up", to: "..")
        try scratch.link("pictures/a/loop", to: "loop")
        let catalog = try await scratch.catalog()
        #expect(try await paths(catalog) == ["a/a.jpg", "a/b/b.jpg", "b/b.jpg", "b/a/a.jpg"])
        // The loop has no target; the others hide nothing.
        #expect(catalog.state.problems.first.map(\.path).sorted { $0 ?? "" < $1 ?? "" } == ["a/loop", "b/a/loop"])
        await catalog.close()
    }

    @Test(.timeLimit(.minutes(1))) func `links that multiply end at a limit, which is reported once`() async throws {
        // Each level has two links to the next, so that the last is reached on 2^20 ways.
        for level in 0..<20 {
            try scratch.folder("pictures/\(level)")
            for link in ["x", "y"] where level < 19 {
                try scratch.link("pictures/\(level)/\(link)", to: "../\(level + 1)")
            }
        }
        try scratch.file("pictures/z.jpg")
        let catalog = try await scratch.catalog { $0.maximumLinkedFolders = 300 }
        #expect(try await paths(catalog) == ["z.jpg"])
        #expect(catalog.state.problems.count == 1)
        #expect(catalog.state.problems.first.first?.reason == "no more than 300 linked folders are shown")
        await catalog.close()
    }

    @Test func `the data folder is not shown through a link`() async throws {
        try scratch.file("pictures/a.jpg")
        try scratch.file("pictures/data/tiles/b.jpg")
        try scratch.link("pictures/link", to: "data/tiles")
        try scratch.link("pictures/other", to: "data")
        let catalog = try await scratch.catalog(data: "pictures/data")
        #expect(try await paths(catalog) == ["a.jpg"])
        await catalog.close()
    }

    @Test func `what is added, changed or removed behind links is noticed`() async throws {
        try scratch.file("pictures/album/x.jpg")
        try scratch.folder("pictures/hiking")
        let catalog = try await watched()
        #expect(try await shows(catalog, ["album/x.jpg"]))
        try scratch.link("pictures/hiking/Austria", to: "../album")
        #expect(try await shows(catalog, ["album/x.jpg", "hiking/Austria/x.jpg"]))
        try scratch.file("pictures/album/deep/y.jpg")
        #expect(
            try await shows(
                catalog, ["album/x.jpg", "album/deep/y.jpg", "hiking/Austria/x.jpg", "hiking/Austria/deep/y.jpg"]))
        try scratch.remove("pictures/album/x.jpg")
        #expect(try await shows(catalog, ["album/deep/y.jpg", "hiking/Austria/deep/y.jpg"]))
        // The link now leads elsewhere.
        try scratch.file("pictures/other/z.jpg")
        try scratch.remove("pictures/hiking/Austria")
        try scratch.link("pictures/hiking/Austria", to: "../other")
        #expect(try await shows(catalog, ["album/deep/y.jpg", "hiking/Austria/z.jpg", "other/z.jpg"]))
        // The real folder is moved away, so the link dangles.
        try #require(rename(scratch.path("pictures/other"), scratch.path("pictures/moved")) == 0)
        #expect(try await shows(catalog, ["album/deep/y.jpg", "moved/z.jpg"]))
        #expect(await eventually { catalog.state.problems.first.map(\.path) == ["hiking/Austria"] })
        try scratch.remove("pictures/hiking/Austria")
        #expect(await eventually { catalog.state.problems.count == 0 })
        try scratch.file("pictures/moved/w.jpg")
        #expect(try await shows(catalog, ["album/deep/y.jpg", "moved/w.jpg", "moved/z.jpg"]))
        await catalog.close()
    }

    @Test func `changes behind links are found without watches, too`() async throws {
        try scratch.file("pictures/album/x.jpg")
        try scratch.link("pictures/link", to: "album")
        let catalog = try await scratch.catalog()
        #expect(try await paths(catalog) == ["album/x.jpg", "link/x.jpg"])
        try scratch.file("pictures/other/y.jpg")
        try scratch.remove("pictures/link")
        try scratch.link("pictures/link", to: "other")
        try scratch.file("pictures/album/z.jpg")
        await catalog.rescanned()
        #expect(try await paths(catalog) == ["album/x.jpg", "album/z.jpg", "link/y.jpg", "other/y.jpg"])
        try scratch.remove("pictures/link")
        try scratch.link("pictures/link", to: "/etc")
        await catalog.rescanned()
        #expect(try await paths(catalog) == ["album/x.jpg", "album/z.jpg", "other/y.jpg"])
        #expect(catalog.state.problems.first.map(\.path) == ["link"])
        await catalog.close()
    }

    @Test func `many links that leave are counted, and the first ones are named`() async throws {
        try scratch.file("pictures/a.jpg")
        for number in 0..<50 { try scratch.link("pictures/\(number).jpg", to: "/etc/passwd") }
        let catalog = try await scratch.catalog()
        #expect(catalog.state.problems.count == 50 && catalog.state.problems.first.count == 20)
        await catalog.close()
    }
}
