import CLinux
import Dispatch
import Glibc
import Images
import Locking
import TestSupport
import Testing

@testable import Catalog

/// Rescans cost as little as possible.
@Suite struct RescanTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Makes a folder look as if nothing had changed in it for a long time.
    private func age(_ folder: String) {
        var times = [timespec(tv_sec: 1_500_000_000, tv_nsec: 0), timespec(tv_sec: 1_500_000_000, tv_nsec: 0)]
        utimensat(AT_FDCWD, scratch.path(folder), &times, 0)
    }

    @Test func `a folder with unchanged times is not read, and one with a new file is`() async throws {
        for folder in ["pictures/a", "pictures/b"] { for name in 0..<5 { try scratch.file("\(folder)/\(name).jpg") } }
        for folder in ["pictures/a", "pictures/b", "pictures"] { age(folder) }
        let files = CountingFileSystem()
        let catalog = try await scratch.catalog { $0.fileSystem = files }
        let looked = await files.counted {
            catalog.rescan([0], .times)
            await catalog.scanCompleted()
        }
        #expect(looked == 0)
        try scratch.file("pictures/b/new.jpg")
        let again = await files.counted {
            catalog.rescan([0], .times)
            await catalog.scanCompleted()
        }
        // Once to detect the change, and once to read the folder.
        #expect(again == 12)
        #expect(try await catalog.names().count == 11)
        await catalog.close()
    }

    @Test func `a file overwritten in place is detected when every file is checked`() async throws {
        try scratch.file("pictures/a.jpg")
        age("pictures")
        let catalog = try await scratch.catalog()
        let before = try await catalog.all().map(\.version)
        try scratch.file("pictures/a.jpg", "\u{89}PNG\r\n and more")
        age("pictures")
        catalog.rescan([0])
        await catalog.scanCompleted()
        #expect(try await catalog.all().map(\.version) != before)
        #expect(catalog.scanning.sync { catalog.records[0].readings } == 1)
        await catalog.close()
    }

    @Test func `a restart checks each file once, without a full scan`() async throws {
        for name in 0..<20 { try scratch.file("pictures/a/\(name).jpg") }
        await (try await scratch.catalog()).close()
        let files = CountingFileSystem()
        let catalog = try await scratch.catalog { $0.fileSystem = files }
        // Each file once, and no full scan.
        #expect(files.count == 20 + 1)
        #expect(catalog.scanning.sync { catalog.records[0].readings } == 0)
        #expect(try await catalog.names().count == 20)
        await catalog.close()
    }

    @Test func `an unmounted disk below the folder keeps its images until it is mounted again`() async throws {
        try scratch.file("pictures/a.jpg")
        for name in ["disk/b.jpg", "disk/sub/c.jpg"] { try scratch.file("pictures/\(name)") }
        let files = MountingFileSystem(mount: scratch.path("pictures/disk"))
        let catalog = try await scratch.catalog { $0.fileSystem = files }
        let before = try await catalog.all()
        #expect(before.count == 3)
        for _ in 0..<2 {
            try #require(rename(scratch.path("pictures/disk"), scratch.path("away")) == 0)
            try scratch.folder("pictures/disk")
            files.isMounted.withLock { $0 = false }
            await catalog.rescanned()
            #expect(try await catalog.all() == before)
            #expect(catalog.state.problems.first.map(\.path) == ["disk"])
            try #require(rmdir(scratch.path("pictures/disk")) == 0)
            try #require(rename(scratch.path("away"), scratch.path("pictures/disk")) == 0)
            files.isMounted.withLock { $0 = true }
            await catalog.rescanned()
            #expect(try await catalog.all() == before)
            #expect(catalog.state.problems.count == 0)
        }
        try scratch.remove("pictures/disk")
        await catalog.rescanned()
        #expect(try await catalog.names() == ["a.jpg"])
        await catalog.close()
    }

    @Test func `a name whose status cannot be read does not hide other folders`() async throws {
        for name in ["a.jpg", "dead/x", "sub/deep/b.jpg"] { try scratch.file("pictures/" + name) }
        let files = FaultyFileSystem()
        let catalog = try await scratch.catalog { $0.fileSystem = files }
        files.set(.init(call: .statusOfName, code: EIO, place: "pictures/dead"))
        try scratch.file("pictures/sub/deep/c.jpg")
        catalog.rescan([0])
        await catalog.scanCompleted()
        #expect(files.met > 0)
        #expect(try await catalog.names() == ["a.jpg", "b.jpg", "c.jpg"])
        await catalog.close()
    }

    @Test func `a folder emptied after startup is accepted as empty`() async throws {
        for name in ["a.jpg", "b.jpg"] { try scratch.file("pictures/" + name) }
        await (try await scratch.catalog()).close()
        let catalog = try await scratch.catalog()
        #expect(catalog.state.total == 2)
        for name in ["a.jpg", "b.jpg"] { try scratch.remove("pictures/" + name) }
        catalog.rescan([0])
        await catalog.scanCompleted()
        #expect(catalog.state.total == 0)
        await catalog.close()
    }

    @Test func `the number of problems stays correct over rescans and restarts`() async throws {
        try scratch.file("pictures/a.jpg")
        for number in 0..<50 { try scratch.link("pictures/\(number).jpg", to: "/etc/passwd") }
        var catalog = try await scratch.catalog()
        #expect(catalog.state.problems.count == 50)
        for number in 0..<3 {
            try scratch.file("pictures/new \(number).jpg")
            catalog.rescan([0], number == 2 ? .times : .everything)
            await catalog.scanCompleted()
            #expect(catalog.state.problems.count == 50)
        }
        await catalog.close()
        for number in 0..<49 { try scratch.remove("pictures/\(number).jpg") }
        catalog = try await scratch.catalog()
        #expect(catalog.state.problems.count == 1)
        await catalog.close()
        // The problems are stored, even though no image was added or removed.
        catalog = try await scratch.catalog()
        #expect(catalog.state.problems.count == 1)
        await catalog.close()
    }

    @Test func `a small source is checked completely, a large one by its times and sometimes completely`() throws {
        let record = SourceRecord(.init(dataFolder: "/none"))
        let minute = Duration.seconds(60)
        let now = ContinuousClock.now
        #expect(record.nextCheck(every: minute, share: 50, now: now) == (.everything, minute))
        record.folders = ([:], try Index())
        record.durations = [.everything: .seconds(1)]
        record.lastFullScan = now
        #expect(record.nextCheck(every: minute, share: 50, now: now) == (.everything, minute))
        record.durations = [.everything: .seconds(12), .times: .seconds(2)]
        #expect(record.nextCheck(every: minute, share: 50, now: now) == (.times, .seconds(100)))
        #expect(record.nextCheck(every: minute, share: 50, now: now + .seconds(520)) == (.everything, .seconds(80)))
        // If folder times are unreliable, only full scans help.
        record.hasReliableFolderTimes = false
        #expect(record.nextCheck(every: minute, share: 50, now: now) == (.everything, .seconds(600)))
    }

    @Test func `a folder's fingerprint is restored as it was stored`() throws {
        var status = Glibc.stat()
        try #require(stat(scratch.path, &status) == 0)
        for (parent, time) in [(status.st_dev, 0.0), (status.st_dev + 1, UnfinishedFiles.time)] {
            var print = FolderFingerprint(status, parent: parent, time: time)
            let name: [UInt8] = [0xff, 0x41]
            name.withUnsafeBufferPointer { print.add($0, status, target: status, includesPermissions: true) }
            #expect(FolderFingerprint(print.data) == print)
            #expect(FolderFingerprint(print.data.dropLast()) == nil)
        }
    }
}

/// Counts the names whose status is read.
private final class CountingFileSystem: FileSystemCalls, @unchecked Sendable {
    private let looked = Guarded(0)

    var count: Int { looked.withLock(\.self) }

    func counted(_ body: () async -> Void) async -> Int {
        looked.withLock { $0 = 0 }
        await body()
        return count
    }

    override func status(of name: UnsafePointer<CChar>, in folder: Int32, _ status: inout stat) -> Int32 {
        if String(cString: name) != ".." { looked.withLock { $0 += 1 } }
        return super.status(of: name, in: folder, &status)
    }
}

/// A file system with another one mounted beneath the folder.
private final class MountingFileSystem: FileSystemCalls, @unchecked Sendable {
    let isMounted = Guarded(true)
    private let mount: String

    init(mount: String) { self.mount = mount }

    override func status(of file: Int32, _ status: inout stat) -> Int32 {
        let code = super.status(of: file, &status)
        if isMounted.withLock(\.self), path(of: file).hasPrefix(mount) { status.st_dev += 1 }
        return code
    }

    override func status(of name: UnsafePointer<CChar>, in folder: Int32, _ status: inout stat) -> Int32 {
        let code = super.status(of: name, in: folder, &status)
        let path = path(of: folder)
        let isBeneath = path.hasPrefix(mount) && (path != mount || String(cString: name) != "..")
        if isMounted.withLock(\.self), isBeneath { status.st_dev += 1 }
        return code
    }
}
