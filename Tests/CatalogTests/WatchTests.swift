import Dispatch
import Glibc
import Images
import TestSupport
import Testing

@testable import Catalog

/// The gallery is as the folder is, without being told.
@Suite(.serialized) struct WatchTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func watched(
        _ sources: [Source]? = nil, _ change: (inout Catalog.Configuration) -> Void = { _ in }
    ) async throws -> Catalog {
        try await scratch.catalog(sources) {
            $0.watches = true
            $0.settling = .seconds(1)
            change(&$0)
        }
    }

    private func shows(_ catalog: Catalog, _ paths: [String]) async throws -> Bool {
        let isSo = await eventually { catalog.count.total == paths.count && !catalog.state.isScanning }
        let all = try await catalog.all()
        return all.compactMap(\.path) == paths && isSo
    }

    @Test func `files and folders that come, go and are renamed are seen`() async throws {
        try scratch.file("pictures/b.jpg")
        let catalog = try await watched()
        try scratch.file("pictures/a.jpg")
        #expect(try await shows(catalog, ["a.jpg", "b.jpg"]))
        try scratch.file("pictures/new/deep/c.jpg")
        try scratch.file("pictures/new/d.jpg")
        #expect(try await shows(catalog, ["a.jpg", "b.jpg", "new/d.jpg", "new/deep/c.jpg"]))
        // What lies in a folder that came is watched, too.
        try scratch.file("pictures/new/deep/e.jpg")
        try scratch.remove("pictures/b.jpg")
        #expect(try await shows(catalog, ["a.jpg", "new/d.jpg", "new/deep/c.jpg", "new/deep/e.jpg"]))
        try #require(rename(scratch.path("pictures/new"), scratch.path("pictures/0")) == 0)
        let moved = ["a.jpg", "0/d.jpg", "0/deep/c.jpg", "0/deep/e.jpg"]
        #expect(await eventually { (try? catalog.openFile(folder: 0, path: moved[1]).size) != nil })
        #expect(await eventually { catalog.state.total == 4 })
        try scratch.file("pictures/0/deep/f.jpg")
        #expect(try await shows(catalog, moved + ["0/deep/f.jpg"]))
        try scratch.remove("pictures/0")
        #expect(try await shows(catalog, ["a.jpg"]))
        #expect(catalog.state.problems.count == 0)
        await catalog.close()
    }

    @Test func `a file that is being written is left until its writer is done`() async throws {
        try scratch.file("pictures/a.jpg")
        let catalog = try await watched()
        let file = open(scratch.path("pictures/half.jpg"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
        try #require(file >= 0 && write(file, "half", 4) == 4)
        // What was put in later has been seen: there was time to see the other one.
        try scratch.file("pictures/z.jpg")
        #expect(try await shows(catalog, ["a.jpg", "z.jpg"]))
        try #require(write(file, "whole", 5) == 5)
        close(file)
        #expect(try await shows(catalog, ["a.jpg", "half.jpg", "z.jpg"]))
        #expect(try await catalog.all()[1].facts.byteCount == 9)
        await catalog.close()
    }

    @Test func `a file that nobody goes on with is taken as it is in the end`() async throws {
        try scratch.file("pictures/a.jpg")
        let catalog = try await watched { $0.patience = .milliseconds(300) }
        let file = open(scratch.path("pictures/half.jpg"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
        try #require(file >= 0 && write(file, "half", 4) == 4)
        #expect(try await shows(catalog, ["a.jpg", "half.jpg"]))
        close(file)
        await catalog.close()
    }

    @Test func `a list that is edited or replaced is read again`() async throws {
        let path = try scratch.file("lists/a.txt", "http://a.test/1\n")
        let catalog = try await watched([.list(path: path, format: .text)])
        #expect(catalog.state.total == 1)
        try scratch.file("lists/a.txt", "http://a.test/1\nhttp://a.test/2\n")
        #expect(await eventually { catalog.state.total == 2 })
        try scratch.file("lists/.new", "http://a.test/1\nhttp://a.test/2\nhttp://a.test/3\n")
        try #require(rename(scratch.path("lists/.new"), path) == 0)
        #expect(await eventually { catalog.state.total == 3 })
        await catalog.close()
    }
}
