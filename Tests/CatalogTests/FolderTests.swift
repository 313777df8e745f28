import Glibc
import Images
import TestSupport
import Testing

@testable import Catalog

@Suite struct FolderTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `a folder is scanned recursively, its own images first, in natural order`()
        async throws
    {
        for name in ["IMG_10.jpg", "IMG_2.jpg", "img_1.JPG", "b/10.png", "b/9.png", "a2/x.gif", "a10/x.gif"] {
            try scratch.file("pictures/" + name)
        }
        let catalog = try await scratch.catalog()
        let paths = try await catalog.all().compactMap(\.path)
        #expect(
            paths == ["img_1.JPG", "IMG_2.jpg", "IMG_10.jpg", "a2/x.gif", "a10/x.gif", "b/9.png", "b/10.png"])
    }

    @Test func `files are images by their extension or content, and documents are skipped`() async throws {
        try scratch.file("pictures/letter.txt", "Dear all,")
        try scratch.file("pictures/page.html", "<!DOCTYPE html><html><svg></svg></html>")
        try scratch.file("pictures/empty.jpg", "")
        try scratch.file("pictures/really text.png", "text")
        try scratch.folder("pictures")
        try scratch.file("pictures/scan", bytes: [0xff, 0xd8, 0xff, 0xe0])
        try scratch.file("pictures/drawing.xml", "<?xml version=\"1.0\"?>\n<!-- a --><svg xmlns=\"x\"/>")
        let catalog = try await scratch.catalog()
        #expect(try await catalog.names() == ["drawing.xml", "empty.jpg", "really text.png", "scan"])
    }

    @Test func `hidden files and the auxiliary files of cameras and file managers are skipped`() async throws {
        for name in [
            ".hidden.jpg", "@eaDir/a.jpg", ".thumbnails/b.png", "Thumbs.db", "#recycle/c.jpg", "__MACOSX/._d.jpg",
            "e.jpg",
        ] { try scratch.file("pictures/" + name) }
        #expect(try await scratch.catalog().names() == ["e.jpg"])
    }

    @Test func `links that leave the folder are refused and counted, links within it are followed`() async throws {
        try scratch.file("secret.jpg")
        try scratch.file("secrets/deep.jpg")
        try scratch.file("pictures/a/real.jpg")
        try scratch.link("pictures/out.jpg", to: "../secret.jpg")
        try scratch.link("pictures/absolute.jpg", to: scratch.path("secret.jpg"))
        try scratch.link("pictures/passwd.png", to: "/etc/passwd")
        try scratch.link("pictures/dangling.jpg", to: "nowhere.jpg")
        try scratch.link("pictures/best.jpg", to: "a/real.jpg")
        try scratch.link("pictures/outside", to: "../secrets")
        let catalog = try await scratch.catalog()
        #expect(try await catalog.all().compactMap(\.path) == ["best.jpg", "a/real.jpg"])
        let problems = catalog.state.problems
        #expect(problems.count == 5)
        #expect(
            problems.first.compactMap(\.path).sorted()
                == ["absolute.jpg", "dangling.jpg", "out.jpg", "outside", "passwd.png"])
    }

    @Test func `a scan ends despite circular links`() async throws {
        try scratch.file("pictures/a/b/one.jpg")
        try scratch.link("pictures/a/b/up", to: "..")
        try scratch.link("pictures/self", to: "self")
        try scratch.link("pictures/round", to: ".")
        let catalog = try await scratch.catalog()
        #expect(try await catalog.all().compactMap(\.path) == ["a/b/one.jpg"])
        #expect(catalog.state.problems.first.map(\.path) == ["self"])
    }

    @Test(.timeLimit(.minutes(1))) func `a FIFO is refused without waiting for its writer`() async throws {
        try scratch.file("pictures/a.jpg")
        try #require(mkfifo(scratch.path("pictures/pipe.jpg"), 0o644) == 0)
        let catalog = try await scratch.catalog()
        #expect(try await catalog.names() == ["a.jpg"])
        #expect(catalog.state.problems.first.map(\.path) == ["pipe.jpg"])
        #expect(throws: CatalogError.self) { _ = try catalog.openFile(folder: 0, path: "pipe.jpg").size }
    }

    @Test func `names that are not UTF-8 are shown and can be opened`() async throws {
        try scratch.folder("pictures")
        let name = Array((scratch.path("pictures/") + "caf").utf8) + [0xe9] + Array(".jpg".utf8)
        let file = open(name.map(CChar.init(bitPattern:)) + [0], O_CREAT | O_WRONLY, 0o644)
        try #require(file >= 0)
        close(file)
        let catalog = try await scratch.catalog()
        let image = try #require(try await catalog.all().first)
        #expect(image.name == "caf\u{fffd}.jpg")
        #expect(try catalog.openFile(folder: 0, path: try #require(image.path)).size == 0)
    }

    @Test func `hostile file names are handled like any other`() async throws {
        let names = ["a\nb.jpg", "%2e%2e.jpg", "'; DROP TABLE image.jpg", "\u{202e}gpj.jpg", "-rf.jpg", "e\u{301}.jpg"]
        for name in names { try scratch.file("pictures/" + name) }
        let catalog = try await scratch.catalog()
        let images = try await catalog.all()
        #expect(Set(images.compactMap(\.path)) == Set(names))
        for image in images { _ = try catalog.openFile(folder: 0, path: try #require(image.path)).size }
    }

    @Test func `an empty folder is an empty gallery that says so`() async throws {
        let catalog = try await scratch.catalog()
        #expect(catalog.state.total == 0)
        #expect(catalog.state.problems.first.first?.reason.contains("no pictures found") == true)
        let page = try await catalog.page(offset: 0, limit: 10)
        #expect(page.images.isEmpty && page.next == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a folder found empty at startup keeps its images until it has files or a rescan is requested`()
        async throws
    {
        let names = (0..<3).map { "\($0).jpg" }
        for name in names { try scratch.file("pictures/" + name) }
        func opened() async throws -> Catalog {
            try await scratch.catalog {
                $0.retrying = RetryPace(first: .milliseconds(5), maximumDelay: .milliseconds(20))
            }
        }
        await (try opened()).close()
        for name in names { try scratch.remove("pictures/" + name) }
        var catalog = try await opened()
        #expect(try await catalog.names() == names)
        #expect(catalog.state.problems.first.contains { $0.reason.contains("mount") && $0.reason.contains("SIGUSR1") })
        // It is scanned again without a request.
        try scratch.file("pictures/9.jpg")
        #expect(await eventually { catalog.state.total == 1 && catalog.state.problems.count == 0 })
        // A folder that contained something in this run and is empty now was emptied on purpose.
        try scratch.remove("pictures/9.jpg")
        await catalog.rescanned()
        #expect(catalog.state.total == 0)
        try scratch.file("pictures/9.jpg")
        await catalog.rescanned()
        await catalog.close()
        try scratch.remove("pictures/9.jpg")
        catalog = try await opened()
        #expect(catalog.state.total == 1)
        await catalog.rescanned()
        #expect(catalog.state.total == 0)
        await catalog.close()
    }

    @Test func `several sources follow each other, and equal paths in them are different images`() async throws {
        for name in ["A/x.jpg", "B/x.jpg", "C/A/x.jpg"] { try scratch.file(name) }
        let sources = ["A", "B", "C/A"].map { Source.folder(path: scratch.path($0)) }
        let catalog = try await scratch.catalog(sources)
        let images = try await catalog.all()
        #expect(images.map(\.location) == (0..<3).map { .file(folder: $0, path: "x.jpg") })
        #expect(Set(images.map(\.id)).count == 3)
        await catalog.close()
        // The order of the sources does not affect ids, except among folders with the same name.
        let turned = try await scratch.catalog([sources[1], sources[0], sources[2]])
        #expect(try await turned.all().map(\.id) == [images[1].id, images[0].id, images[2].id])
    }

    @Test func `a missing folder keeps its last known images, and the state says so`() async throws {
        try scratch.file("pictures/a.jpg")
        let catalog = try await scratch.catalog()
        try scratch.remove("pictures")
        await catalog.rescanned()
        #expect(catalog.state.total == 1)
        #expect(catalog.state.problems.first.first?.reason.contains("does not exist") == true)
    }
}
