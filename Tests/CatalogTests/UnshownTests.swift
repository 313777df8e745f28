import Glibc
import Images
import TestSupport
import Testing

@testable import Catalog

/// Files of kinds that are not shown are counted.
@Suite(.serialized) struct UnshownTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func counts(_ catalog: Catalog) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: catalog.state.unshown.kinds.map { ($0.kind.name, $0.count) })
    }

    @Test func `files that are not shown are counted by kind, from the first scan on and after a restart`() async throws
    {
        for name in ["a.jpg", "b.BMP", "x/c.ico", "x/d.tga", "x/e.jp2", "x/f.psd", "x/y/g.CR3", "h.mp4", "letter.txt"] {
            try scratch.file("pictures/" + name, "text")
        }
        for name in [".hidden.bmp", "@eaDir/a.cr2"] { try scratch.file("pictures/" + name) }
        try scratch.file("pictures/photo.bmp", bytes: [0xff, 0xd8, 0xff, 0xe0])
        for ending in ["dng", "nef", "arw", "pef", "srw", "orf", "rw2", "raf", "cr2"] {
            try scratch.file("pictures/raw." + ending, bytes: Array("II*\0".utf8))
        }
        try scratch.file("pictures/x/.ignore", "y/")
        try scratch.remove("pictures/x/.ignore")
        let expected = ["bmp": 1, "ico": 1, "tga": 1, "jp2": 1, "psd": 1, "raw": 10, "video": 1]
        var catalog = try await scratch.catalog()
        #expect(try await catalog.names() == ["a.jpg", "photo.bmp"])
        #expect(counts(catalog) == expected && catalog.state.unshown.total == 16)
        #expect(catalog.state.unshown.kinds.first?.kind.title == "RAW")
        await catalog.close()
        catalog = try await scratch.catalog()
        #expect(counts(catalog) == expected)
        await catalog.close()
    }

    @Test func `counts stay right while files come and go`() async throws {
        try scratch.file("pictures/a.jpg")
        try scratch.file("pictures/x/b.bmp", "text")
        let catalog = try await scratch.catalog {
            $0.watches = true
            $0.settling = .seconds(1)
        }
        #expect(counts(catalog) == ["bmp": 1])
        try scratch.file("pictures/c.nef", "text")
        try scratch.file("pictures/x/d.nef", "text")
        #expect(await eventually { counts(catalog) == ["bmp": 1, "raw": 2] })
        // Another change in the folder must not lose the counts.
        try scratch.file("pictures/x/e.jpg")
        #expect(await eventually { catalog.state.total == 2 })
        #expect(counts(catalog) == ["bmp": 1, "raw": 2])
        try #require(rename(scratch.path("pictures/c.nef"), scratch.path("pictures/c.txt")) == 0)
        #expect(await eventually { counts(catalog) == ["bmp": 1, "raw": 1] })
        try #require(rename(scratch.path("pictures/x"), scratch.path("pictures/y")) == 0)
        try scratch.file("pictures/f.mov", "text")
        #expect(await eventually { counts(catalog) == ["bmp": 1, "raw": 1, "video": 1] })
        try scratch.file("pictures/y/.nomedia", "")
        #expect(await eventually { counts(catalog) == ["video": 1] })
        try scratch.remove("pictures/y")
        try scratch.remove("pictures/f.mov")
        #expect(await eventually { catalog.state.unshown.isEmpty })
        await catalog.close()
    }

    @Test func `excluded files are not counted`() async throws {
        for name in ["a.jpg", "b.bmp", "x/c.bmp"] { try scratch.file("pictures/" + name, "text") }
        let catalog = try await scratch.catalog { $0.excluded = try SkipPatterns(["x/"]) }
        #expect(counts(catalog) == ["bmp": 1])
        await catalog.close()
    }

    @Test func `counts are stored with a folder's fingerprint`() throws {
        var counts = UnshownCounts()
        for _ in 0..<3 { counts.add(try #require(UnshownKind(named: "raw"))) }
        counts.add(try #require(UnshownKind(named: "video")))
        #expect(UnshownCounts([UInt8](counts.data)) == counts)
        #expect(UnshownCounts([UInt8](counts.data.dropLast())) == nil)
        #expect(UnshownCounts([]) == UnshownCounts())
        #expect(UnshownCounts([1, UInt8(ascii: "?"), 5, 0, 0, 0]) == UnshownCounts())
    }
}
