import Dispatch
import Glibc
import Images
import Locking
import TestSupport
import Testing

@testable import Catalog

/// The gallery notices changes in its folders by itself.
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
        var shown: [String] = []
        for _ in 0..<100 {
            let revision = catalog.state.revision
            shown = try await catalog.all().compactMap(\.path)
            if shown == paths { return true }
            guard await eventually({ catalog.state.revision != revision }) else { break }
        }
        Issue.record("the catalog shows \(shown)")
        return false
    }

    @Test func `added, removed and renamed files and folders are noticed`() async throws {
        try scratch.file("pictures/b.jpg")
        let catalog = try await watched()
        try scratch.file("pictures/a.jpg")
        #expect(try await shows(catalog, ["a.jpg", "b.jpg"]))
        try scratch.file("pictures/new/deep/c.jpg")
        try scratch.file("pictures/new/d.jpg")
        #expect(try await shows(catalog, ["a.jpg", "b.jpg", "new/d.jpg", "new/deep/c.jpg"]))
        // New folders are watched, too.
        try scratch.file("pictures/new/deep/e.jpg")
        try scratch.remove("pictures/b.jpg")
        #expect(try await shows(catalog, ["a.jpg", "new/d.jpg", "new/deep/c.jpg", "new/deep/e.jpg"]))
        try #require(rename(scratch.path("pictures/new"), scratch.path("pictures/0")) == 0)
        let moved = ["a.jpg", "0/d.jpg", "0/deep/c.jpg", "0/deep/e.jpg"]
        #expect(try await shows(catalog, moved))
        try scratch.file("pictures/0/deep/f.jpg")
        #expect(try await shows(catalog, moved + ["0/deep/f.jpg"]))
        try scratch.remove("pictures/0")
        #expect(try await shows(catalog, ["a.jpg"]))
        #expect(catalog.state.problems.count == 0)
        await catalog.close()
    }

    @Test func `a file being written is not shown until it is closed`() async throws {
        try scratch.file("pictures/a.jpg")
        let catalog = try await watched()
        let file = open(scratch.path("pictures/half.jpg"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
        try #require(file >= 0 && write(file, "half", 4) == 4)
        // A file added later is visible, so there was time to see this one.
        try scratch.file("pictures/z.jpg")
        #expect(try await shows(catalog, ["a.jpg", "z.jpg"]))
        try #require(write(file, "whole", 5) == 5)
        close(file)
        #expect(try await shows(catalog, ["a.jpg", "half.jpg", "z.jpg"]))
        #expect(try await catalog.all()[1].metadata.byteCount == 9)
        await catalog.close()
    }

    @Test func `a known picture stays while it is being rewritten`() async throws {
        try scratch.file("pictures/a.jpg", "before")
        let catalog = try await watched()
        let file = open(scratch.path("pictures/a.jpg"), O_WRONLY | O_CLOEXEC)
        try #require(file >= 0 && write(file, "half", 4) == 4)
        try scratch.file("pictures/z.jpg")
        #expect(try await shows(catalog, ["a.jpg", "z.jpg"]))
        // Replaced by a file that is not complete yet.
        let other = open(scratch.path("pictures/b.jpg"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
        try #require(other >= 0 && write(other, "other", 5) == 5)
        try #require(rename(scratch.path("pictures/b.jpg"), scratch.path("pictures/z.jpg")) == 0)
        try scratch.file("pictures/zz.jpg")
        #expect(try await shows(catalog, ["a.jpg", "z.jpg", "zz.jpg"]))
        for descriptor in [file, other] { close(descriptor) }
        await catalog.close()
    }

    @Test func `a file left open without further writes is eventually shown as it is`() async throws {
        try scratch.file("pictures/a.jpg")
        let catalog = try await watched { $0.unclosedSettling = .milliseconds(300) }
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

    @Test func `a problem with a file is reported, and cleared when the file is gone`() async throws {
        try scratch.file("pictures/a.jpg")
        let catalog = try await watched()
        try scratch.link("pictures/out.jpg", to: "/etc/passwd")
        #expect(await eventually { catalog.state.problems.first.map(\.path) == ["out.jpg"] })
        try scratch.remove("pictures/out.jpg")
        #expect(await eventually { catalog.state.problems.count == 0 })
        try scratch.remove("pictures/a.jpg")
        #expect(await eventually { catalog.state.problems.first.contains { $0.reason.hasPrefix("no pictures found") } })
        try scratch.file("pictures/b.jpg")
        #expect(await eventually { catalog.state.problems.count == 0 })
        #expect(try await shows(catalog, ["b.jpg"]))
        await catalog.close()
    }

    @Test func `a renamed or moved image keeps its metadata`() async throws {
        for name in ["a.jpg", "sub/b.jpg", "sub/c.jpg"] { try scratch.file("pictures/" + name, name) }
        var catalog = try await watched()
        func learn(_ width: Int, _ image: GalleryImage) {
            var metadata = ImageMetadata()
            metadata.width = width
            catalog.learned(metadata, version: image.version, of: image.id)
        }
        for (number, image) in try await catalog.all().enumerated() { learn(number + 1, image) }
        await catalog.metadata.drain()
        try #require(rename(scratch.path("pictures/a.jpg"), scratch.path("pictures/sub/z.jpg")) == 0)
        #expect(try await shows(catalog, ["sub/b.jpg", "sub/c.jpg", "sub/z.jpg"]))
        #expect(try await catalog.all().map(\.metadata.width) == [2, 3, 1])
        try #require(rename(scratch.path("pictures/sub"), scratch.path("pictures/else")) == 0)
        #expect(try await shows(catalog, ["else/b.jpg", "else/c.jpg", "else/z.jpg"]))
        #expect(try await catalog.all().map(\.metadata.width) == [2, 3, 1])
        // While the catalog is closed.
        await catalog.close()
        try #require(rename(scratch.path("pictures/else/b.jpg"), scratch.path("pictures/else/x.jpg")) == 0)
        // A file with other content has no metadata to keep.
        try scratch.remove("pictures/else/c.jpg")
        try scratch.file("pictures/else/y.jpg", "another")
        catalog = try await watched()
        #expect(try await shows(catalog, ["else/x.jpg", "else/y.jpg", "else/z.jpg"]))
        #expect(try await catalog.all().map(\.metadata.width) == [2, nil, 1])
        await catalog.close()
    }

    @Test func `when watches run out, the problem says how to raise the limit, and folders are polled`()
        async throws
    {
        for name in ["a.jpg", "sub/b.jpg"] { try scratch.file("pictures/" + name) }
        let files = FaultyFileSystem()
        files.set(.init(call: .watch, code: ENOSPC, after: 1))
        let catalog = try await watched {
            $0.fileSystem = files
            $0.rescanInterval = .seconds(1)
            $0.settling = .zero
        }
        #expect(catalog.state.problems.first.map(\.reason).contains { $0.contains("fs.inotify.max_user_watches=") })
        try scratch.file("pictures/sub/c.jpg")
        #expect(try await shows(catalog, ["a.jpg", "sub/b.jpg", "sub/c.jpg"]))
        await catalog.close()
    }

    @Test func `when nothing can be watched, sources are polled`() async throws {
        try scratch.file("pictures/a.jpg")
        let list = try scratch.file("a.txt", "http://a.test/1\n")
        let files = FaultyFileSystem()
        files.set(.init(call: .openWatches, code: EMFILE))
        let catalog = try await watched([
            .folder(path: scratch.path("pictures")), .list(path: list, format: .text),
        ]) {
            $0.fileSystem = files
            $0.rescanInterval = .seconds(1)
            $0.settling = .zero
        }
        let reasons = catalog.state.problems.first.map(\.reason)
        #expect(reasons.count { $0.contains("fs.inotify.max_user_instances=") } == 2)
        try scratch.file("pictures/b.jpg")
        #expect(await eventually { catalog.state.total == 3 })
        try scratch.file("a.txt", "http://a.test/1\nhttp://a.test/2\n")
        #expect(await eventually { catalog.state.total == 4 })
        await catalog.close()
    }

    @Test func `a folder without permission is read once permission is granted`() async throws {
        for name in ["a.jpg", "closed/b.jpg", "closed/sub/c.jpg"] { try scratch.file("pictures/" + name) }
        let files = FaultyFileSystem()
        files.set(.init(call: .openBeneath, code: EACCES, place: "closed"))
        let catalog = try await watched { $0.fileSystem = files }
        #expect(try await shows(catalog, ["a.jpg"]))
        #expect(catalog.state.problems.first.map(\.path) == ["closed"])
        files.set(nil)
        try #require(chmod(scratch.path("pictures/closed"), 0o755) == 0)
        #expect(try await shows(catalog, ["a.jpg", "closed/b.jpg", "closed/sub/c.jpg"]))
        #expect(await eventually { catalog.state.problems.count == 0 })
        await catalog.close()
    }

    @Test func `lost events cause a full rescan`() async throws {
        try scratch.file("pictures/a.jpg")
        let files = ForgetfulFileSystem()
        let catalog = try await watched { $0.fileSystem = files }
        let before = try #require(catalog.scanning.sync { catalog.records[0].lastFullScan })
        files.forgets.withLock { $0 = true }
        try scratch.file("pictures/b.jpg")
        #expect(try await shows(catalog, ["a.jpg", "b.jpg"]))
        #expect(catalog.scanning.sync { catalog.records[0].lastFullScan }.map { $0 > before } == true)
        await catalog.close()
    }

    @Test func `a folder renamed away keeps its images, and is watched again when it returns`() async throws {
        try scratch.file("pictures/a.jpg")
        let catalog = try await watched {
            $0.retrying = RetryPace(first: .milliseconds(5), maximumDelay: .milliseconds(20))
        }
        try #require(rename(scratch.path("pictures"), scratch.path("away")) == 0)
        #expect(await eventually { catalog.state.problems.first.contains { $0.reason.contains("does not exist") } })
        #expect(catalog.state.total == 1)
        try #require(rename(scratch.path("away"), scratch.path("pictures")) == 0)
        #expect(await eventually { catalog.state.problems.count == 0 })
        try scratch.file("pictures/b.jpg")
        #expect(try await shows(catalog, ["a.jpg", "b.jpg"]))
        await catalog.close()
    }
}

/// A file system whose event queue overflows.
private final class ForgetfulFileSystem: FileSystemCalls, @unchecked Sendable {
    let forgets = Guarded(false)
    private let watches = Guarded<Int32>(-1)

    override func openWatches() -> Int32 {
        let opened = super.openWatches()
        watches.withLock { $0 = opened }
        return opened
    }

    override func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = super.read(file, into: buffer)
        guard count > 0, file == watches.withLock(\.self), forgets.withLock(\.self) else { return count }
        var event = inotify_event()
        event.wd = -1
        event.mask = UInt32(IN_Q_OVERFLOW)
        buffer.storeBytes(of: event, as: inotify_event.self)
        return MemoryLayout<inotify_event>.size
    }
}
