import Glibc
import Images
import TestSupport
import Testing

@testable import Catalog

/// What a gallery leaves out, from the first scan on and as the folders change.
@Suite(.serialized) struct LeavingOutTests {
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

    private func fill(_ names: [String]) throws {
        for name in names { try scratch.file("pictures/" + name) }
    }

    @Test func `leftovers of network storage, systems and desktops are left out`() async throws {
        try fill([
            "@Recycle/a.jpg", "#recycle/a.jpg", "@eaDir/b.jpg/SYNOPHOTO_THUMB_M.jpg", "$RECYCLE.BIN/S-1/a.jpg",
            "@tmp/a.jpg",
            ".Trash-1000/files/a.jpg", "lost+found/a.jpg", "x/.thumbnails/a.png", "System Volume Information/a.jpg",
            "x/@Snapshot/a.jpg", "x/@RECYCLE/a.jpg", "x/kept.jpg",
        ])
        #expect(try await paths(scratch.catalog()) == ["x/kept.jpg"])
    }

    @Test(arguments: [".nomedia", ".noimage", ".ignore"])
    func `a marker leaves out its folder and everything beneath it`(marker: String) async throws {
        try fill(["a.jpg", "x/b.jpg", "x/deep/c.jpg", "y/d.jpg"])
        try scratch.file("pictures/x/" + marker, "")
        let catalog = try await scratch.catalog()
        #expect(try await paths(catalog) == ["a.jpg", "y/d.jpg"])
        #expect(catalog.state.problems.count == 0)
        try scratch.remove("pictures/x/" + marker)
        await catalog.rescanned()
        #expect(try await paths(catalog) == ["a.jpg", "x/b.jpg", "x/deep/c.jpg", "y/d.jpg"])
        try scratch.file("pictures/x/deep/" + marker, "")
        await catalog.rescanned()
        #expect(try await paths(catalog) == ["a.jpg", "x/b.jpg", "y/d.jpg"])
        await catalog.close()
        // Nothing has changed since, nor is anything else shown after a restart.
        let again = try await scratch.catalog()
        #expect(try await paths(again) == ["a.jpg", "x/b.jpg", "y/d.jpg"])
        await again.close()
    }

    @Test func `a marker that leaves out the whole source says so`() async throws {
        try fill(["a.jpg", ".nomedia"])
        let catalog = try await scratch.catalog()
        #expect(catalog.state.total == 0)
        #expect(catalog.state.problems.first.contains { $0.path == ".nomedia" && $0.reason.contains("Remove it") })
        try scratch.remove("pictures/.nomedia")
        await catalog.rescanned()
        #expect(catalog.state.total == 1 && catalog.state.problems.count == 0)
        await catalog.close()
    }

    @Test func `a marker added or removed under a watch changes the gallery`() async throws {
        try fill(["a.jpg", "x/b.jpg", "x/deep/c.jpg"])
        let catalog = try await scratch.catalog {
            $0.watches = true
            $0.settling = .seconds(1)
        }
        try scratch.file("pictures/x/.nomedia", "")
        #expect(try await shows(catalog, ["a.jpg"]))
        // What changes in the folder meanwhile is shown as soon as the marker is gone.
        try scratch.file("pictures/x/deep/d.jpg")
        try scratch.file("pictures/x/e.jpg")
        try scratch.file("pictures/f.jpg")
        #expect(try await shows(catalog, ["a.jpg", "f.jpg"]))
        try scratch.remove("pictures/x/.nomedia")
        #expect(try await shows(catalog, ["a.jpg", "f.jpg", "x/b.jpg", "x/e.jpg", "x/deep/c.jpg", "x/deep/d.jpg"]))
        try scratch.file("pictures/.noimage", "")
        #expect(try await shows(catalog, []))
        try scratch.remove("pictures/.noimage")
        #expect(await eventually { catalog.state.total == 6 })
        await catalog.close()
    }

    @Test func `an ignore file has patterns for its folder and everything beneath it`() async throws {
        try fill(["a.gif", "x/a.gif", "x/a.jpg", "x/deep/b.gif", "x/deep/keep.gif", "x/raw/c.jpg", "raw/d.jpg"])
        try scratch.file("pictures/x/.ignore", "# no animations\n*.gif\n/raw/\n[\n")
        try scratch.file("pictures/x/deep/.ppignore", "!keep.gif\n")
        let catalog = try await scratch.catalog()
        let shown = ["a.gif", "raw/d.jpg", "x/a.jpg", "x/deep/keep.gif"]
        #expect(try await paths(catalog) == shown)
        #expect(catalog.state.problems.first.map(\.path) == ["x/.ignore"])
        #expect(catalog.state.problems.first.first?.reason.hasPrefix("line 4: ") == true)
        // The same length and time of the folder: only the rules have changed.
        try scratch.file("pictures/x/.ignore", "*.jpg\n")
        await catalog.rescanned()
        #expect(try await paths(catalog) == ["a.gif", "raw/d.jpg", "x/a.gif", "x/deep/b.gif", "x/deep/keep.gif"])
        #expect(catalog.state.problems.count == 0)
        await catalog.close()
    }

    @Test func `an ignore file edited under a watch changes the gallery`() async throws {
        try fill(["x/a.gif", "x/a.jpg", "x/deep/b.gif"])
        let catalog = try await scratch.catalog {
            $0.watches = true
            $0.settling = .seconds(1)
        }
        try scratch.file("pictures/x/.ignore", "*.gif")
        #expect(try await shows(catalog, ["x/a.jpg"]))
        try scratch.file("pictures/x/.ignore", "*.jpg")
        #expect(try await shows(catalog, ["x/a.gif", "x/deep/b.gif"]))
        await catalog.close()
    }

    @Test func `excluded paths are left out of every source, and shown when they are no longer excluded`() async throws
    {
        try fill(["a.jpg", "a.gif", "x/b.gif", "drafts/c.jpg", "x/drafts/d.jpg", "x/e.jpg"])
        let catalog = try await scratch.catalog { $0.excluded = try SkipPatterns(["*.gif", "!b.gif", "/drafts"]) }
        #expect(try await paths(catalog) == ["a.jpg", "x/b.gif", "x/e.jpg", "x/drafts/d.jpg"])
        await catalog.close()
        let other = try await scratch.catalog { $0.excluded = try SkipPatterns(["x/"]) }
        await other.rescanned()
        #expect(try await paths(other) == ["a.gif", "a.jpg", "drafts/c.jpg"])
        await other.close()
        let all = try await scratch.catalog()
        #expect(try await paths(all).count == 6)
        await all.close()
    }

    @Test func `the operator's patterns come before those of ignore files`() async throws {
        try fill(["x/a.gif", "x/b.jpg", "x/c.png"])
        try scratch.file("pictures/x/.ignore", "!a.gif\nb.jpg\n*.png")
        let catalog = try await scratch.catalog { $0.excluded = try SkipPatterns(["*.gif", "!b.jpg"]) }
        #expect(try await paths(catalog) == ["x/b.jpg"])
        await catalog.close()
    }
}
