import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Catalog

@Suite struct FolderRootTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func canOpen(_ root: FolderRoot, _ path: String) -> Bool {
        (try? root.openFile(Array(path.utf8)).size) != nil
    }

    @Test(arguments: [true, false]) func `nothing outside the root can be opened`(usesOpenAt2: Bool) throws {
        try scratch.file("secret.jpg")
        try scratch.file("root/a/b.jpg")
        try scratch.link("root/out", to: "..")
        try scratch.link("root/slash", to: "/")
        try scratch.link("root/proc", to: "/proc/self/root")
        let root = try FolderRoot(path: scratch.path("root"), usesOpenAt2: usesOpenAt2)
        #expect(canOpen(root, "a/b.jpg"))
        for path in [
            "../secret.jpg", "a/../../secret.jpg", "out/secret.jpg", "slash/etc/passwd", "proc/etc/passwd",
            "/etc/passwd",
            "", ".", "..", "a", "a/", "a//b.jpg", "./a/b.jpg", "a/b.jpg/", "a/b.jpg\0.png",
            String(repeating: "x/", count: 5000) + "y",
        ] { #expect(!canOpen(root, path), "\(path.prefix(40))") }
    }

    @Test func `without openat2, no link is followed`() throws {
        try scratch.file("root/a.jpg")
        try scratch.link("root/b.jpg", to: "a.jpg")
        #expect(canOpen(try FolderRoot(path: scratch.path("root")), "b.jpg"))
        #expect(!canOpen(try FolderRoot(path: scratch.path("root"), usesOpenAt2: false), "b.jpg"))
    }

    /// A folder is swapped for a link to a folder outside while files are opened in it. What is opened must always be
    /// the file inside, which its content shows.
    @Test(arguments: [true, false]) func `a folder swapped for a link during an open never leads outside`(
        usesOpenAt2: Bool
    ) throws {
        try scratch.file("root/a/b.jpg", "in")
        try scratch.file("outside/b.jpg", "outside")
        try scratch.link("root/trap", to: "../outside")
        let root = try FolderRoot(path: scratch.path("root"), usesOpenAt2: usesOpenAt2)
        let isDone = Atomic(false)
        let swapped = DispatchSemaphore(value: 0)
        let names = ["root/a", "root/trap", "root/aside"].map(scratch.path)
        Thread.detach {
            while !isDone.load(ordering: .relaxed) {
                _ = rename(names[0], names[2])
                _ = rename(names[1], names[0])
                _ = rename(names[0], names[1])
                _ = rename(names[2], names[0])
            }
            swapped.signal()
        }
        for _ in 0..<3000 {
            guard let file = try? root.openFile(Array("a/b.jpg".utf8)) else { continue }
            #expect(file.size == 2)
        }
        isDone.store(true, ordering: .relaxed)
        swapped.wait()
        // Each round of the swapper ends as it began, so the folder is in its place now.
        let file = try root.openFile(Array("a/b.jpg".utf8))
        #expect(file.size == 2)
    }

    @Test func `an open file has its size and version, and hands over its descriptor`() throws {
        try scratch.file("root/a.jpg", "12345")
        let root = try FolderRoot(path: scratch.path("root"))
        let file = try root.openFile(Array("a.jpg".utf8))
        #expect(file.size == 5)
        #expect(file.version == file.stamp.version)
        let descriptor = file.release()
        #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
        close(descriptor)
    }
}

private enum Thread {
    /// On a thread of its own, because the work spins.
    static func detach(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "swapper").async(execute: body)
    }
}
