import Dispatch
import Glibc
import Images
import TestSupport
import Testing

@testable import Catalog

/// A disk that hangs in any system call stops the scans of its own source, and those of no other. What it showed stays.
@Suite(.serialized) struct HangingDiskTests {
    let scratch: Scratch
    private let files = FaultyFileSystem()

    init() throws { scratch = try Scratch() }

    private static let calls: [FaultyFileSystem.Call] = [
        .open, .openIn, .openBeneath, .statusOfFile, .statusOfName, .openNames, .nextName, .readHead, .watch,
    ]

    private func fault(_ call: FaultyFileSystem.Call) -> FaultyFileSystem.Fault {
        .init(call: call, code: EIO, hangs: true, place: "hung")
    }

    private func sources() throws -> [Source] {
        for name in ["hung/a.jpg", "hung/hungrier/b.jpg", "healthy/c.jpg"] { try scratch.file(name) }
        try scratch.file("hung/hungrier/scan", bytes: [0xff, 0xd8, 0xff, 0xe0])
        return [.folder(path: scratch.path("hung")), .folder(path: scratch.path("healthy"))]
    }

    private func configure(_ configuration: inout Catalog.Configuration) {
        configuration.fileSystem = files
        configuration.watches = true
        configuration.diskPatience = .milliseconds(200)
        configuration.retrying = RetryPace(first: .milliseconds(50), maximumDelay: .milliseconds(50))
    }

    /// Lets calls that hang return, and later ones succeed.
    private func heal() {
        files.set(nil)
        for _ in 0..<64 { files.answer.signal() }
    }

    /// Whether the catalog soon consists of the files at these paths.
    private func shows(_ paths: [String], _ catalog: Catalog) async -> Bool {
        guard await eventually({ catalog.state.total == paths.count }) else { return false }
        return (try? await catalog.all().compactMap(\.path)) == paths
    }

    @Test(arguments: calls)
    func `other sources are scanned while one hangs, which is scanned as soon as it answers`(
        call: FaultyFileSystem.Call
    ) async throws {
        let catalog = try await scratch.catalog(try sources(), configure)
        let before = ["a.jpg", "hungrier/b.jpg", "hungrier/scan", "c.jpg"]
        #expect(await shows(before, catalog))
        // The watch of a folder is added, and the heads of its files are read, when the folder is new. It appears whole, and
        // only once the disk hangs: the watch of its parent would start a scan at once.
        try scratch.file("aside/d.jpg")
        try scratch.file("aside/scan", bytes: [0xff, 0xd8, 0xff, 0xe0])
        files.set(fault(call))
        #expect(rename(scratch.path("aside"), scratch.path("hung/new")) == 0)
        catalog.rescan()
        #expect(await eventually { files.met > 0 })
        try scratch.file("healthy/e.jpg")
        catalog.rescan()
        #expect(await shows(before + ["e.jpg"], catalog))
        #expect(await eventually { catalog.state.problems.first.contains { $0.reason.contains("does not answer") } })
        heal()
        let hung = ["a.jpg", "hungrier/b.jpg", "hungrier/scan", "new/d.jpg", "new/scan"]
        #expect(await shows(hung + ["c.jpg", "e.jpg"], catalog))
        #expect(await eventually { catalog.state.problems.count == 0 })
        await catalog.close()
    }

    @Test(arguments: [FaultyFileSystem.Call.open, .openIn, .statusOfFile, .statusOfName])
    func `the catalog opens while a disk hangs`(call: FaultyFileSystem.Call) async throws {
        let sources = try sources()
        files.set(fault(call))
        let catalog = try await scratch.opened(sources, configure)
        #expect(await shows(["c.jpg"], catalog))
        #expect(await eventually { catalog.state.problems.count == 1 })
        heal()
        #expect(await shows(["a.jpg", "hungrier/b.jpg", "hungrier/scan", "c.jpg"], catalog))
        await catalog.close()
    }

    @Test func `a disk that hangs again and again costs its patience once`() async throws {
        let catalog = try await scratch.catalog(try sources(), configure)
        files.set(fault(.openNames))
        catalog.rescan()
        #expect(await eventually { files.met == 1 })
        for _ in 0..<20 {
            catalog.rescan()
            await catalog.scanCompleted()
        }
        #expect(files.met == 1)
        heal()
        await catalog.close()
    }

    @Test func `a list on a disk that hangs is read as soon as the disk answers`() async throws {
        try scratch.file("hung/list.txt", "http://localhost/1.jpg\nhttp://localhost/2.jpg\n")
        try scratch.file("healthy/c.jpg")
        let sources: [Source] = [
            .list(path: scratch.path("hung/list.txt"), format: .text), .folder(path: scratch.path("healthy")),
        ]
        files.set(fault(.read))
        let catalog = try await scratch.opened(sources, configure)
        #expect(await eventually { catalog.state.total == 1 })
        heal()
        #expect(await eventually { catalog.state.total == 3 })
        await catalog.close()
    }
}
