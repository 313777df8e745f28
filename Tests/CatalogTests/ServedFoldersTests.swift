import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Catalog

@Suite struct ServedFoldersTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func served(_ usesOpenAt2: Bool, others: [String] = []) throws -> ServedFolders {
        let others = try others.map { try FolderRoot(path: scratch.path($0), usesOpenAt2: usesOpenAt2) }
        return ServedFolders(
            root: try FolderRoot(path: scratch.path("root"), usesOpenAt2: usesOpenAt2), among: others)
    }

    private func content(_ served: ServedFolders, _ path: String) -> String? {
        guard let file = try? served.openFile(Array(path.utf8)) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(file.descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test(arguments: [true, false]) func `links beneath the roots are followed, by whatever path`(usesOpenAt2: Bool)
        throws
    {
        try scratch.file("root/a/b.jpg", "own")
        try scratch.file("other/c.jpg", "other")
        try scratch.link("root/relative.jpg", to: "a/b.jpg")
        try scratch.link("root/absolute.jpg", to: scratch.path("root/a/b.jpg"))
        try scratch.link("root/folder", to: scratch.path("root/a"))
        try scratch.link("root/there", to: "../other")
        try scratch.link("other/back", to: "../root/folder")
        try scratch.link("root/chain", to: "there/back")
        try scratch.link("root/around.jpg", to: "../root/a/../a/b.jpg")
        try scratch.link("root/dots", to: scratch.path("root/a/.././//a"))
        let served = try served(usesOpenAt2, others: ["other"])
        for path in [
            "a/b.jpg", "relative.jpg", "absolute.jpg", "folder/b.jpg", "chain/b.jpg", "around.jpg", "dots/b.jpg",
            "there/back/b.jpg",
        ] { #expect(content(served, path) == "own", "\(path)") }
        #expect(content(served, "there/c.jpg") == "other")
        let folder = try served.openFolder(Array("chain".utf8))
        #expect(folder.isLinked)
        close(folder.descriptor)
        #expect(try served.place(of: Array("chain/b.jpg".utf8)).path == Array("a/b.jpg".utf8))
        // Without the other root, what leads through it is outside.
        let alone = try self.served(usesOpenAt2)
        for path in ["there/c.jpg", "chain/b.jpg"] { #expect(content(alone, path) == nil) }
    }

    @Test(arguments: [true, false]) func `nothing outside the roots can be opened`(usesOpenAt2: Bool) throws {
        try scratch.file("secret.jpg")
        try scratch.file("rootless/secret.jpg")
        try scratch.file("root/a/b.jpg")
        for (name, target) in [
            ("up", ".."), ("slash", "/"), ("proc", "/proc/self/root"), ("secret.jpg", scratch.path("secret.jpg")),
            ("rootless", scratch.path("rootless")), ("dots", scratch.path("root/../secret.jpg")),
            ("climb.jpg", "a/../../secret.jpg"), ("self", "self"), ("fd.jpg", "/proc/self/fd/0"),
        ] { try scratch.link("root/" + name, to: target) }
        let served = try served(usesOpenAt2)
        for path in [
            "../secret.jpg", "up/secret.jpg", "slash/etc/passwd", "proc/etc/passwd", "secret.jpg",
            "rootless/secret.jpg",
            "dots", "climb.jpg", "self", "fd.jpg", "/etc/passwd", "", "a", "a/b.jpg/", "a/b.jpg\0",
        ] {
            #expect(content(served, path) == nil, "\(path)")
        }
        for path in ["up", "slash", "proc", "rootless"] {
            let error = #expect(throws: FolderRoot.Failure.self) { try served.openFolder(Array(path.utf8)) }
            #expect(error?.code == EXDEV, "\(path)")
        }
    }

    @Test func `chains of links have a limit`() throws {
        try scratch.file("root/0/a.jpg", "own")
        for number in 1...50 { try scratch.link("root/\(number)", to: scratch.path("root/\(number - 1)")) }
        let served = try served(true)
        #expect(content(served, "40/a.jpg") == "own" && content(served, "41/a.jpg") == nil)
    }

    @Test func `a link to a folder that contains the link is a cycle, others are not`() throws {
        try scratch.folder("root/a/b")
        try scratch.folder("root/c")
        for (name, target) in [
            ("a/b/up", "../.."), ("a/b/self", "."), ("a/b/c", "../../c"), ("c/a", "../a"), ("c/ab", "../a/b"),
        ] {
            try scratch.link("root/" + name, to: target)
        }
        let served = try served(true)
        func isCycle(_ path: String) throws -> Bool { try served.place(of: Array(path.utf8)).isCycle }
        for path in ["a/b/up", "a/b/self", "c/a/b/c", "a/b/c/a", "a/b/c/ab"] { #expect(try isCycle(path), "\(path)") }
        for path in ["a/b/c", "c/a", "c/a/b", "c/ab"] { #expect(try !isCycle(path), "\(path)") }
    }

    /// Folders and links on the way are swapped for links that lead outside while files are opened.
    @Test(arguments: [true, false]) func `links swapped during an open never lead outside`(usesOpenAt2: Bool) throws {
        try scratch.file("root/a/b.jpg", "in")
        try scratch.file("outside/b.jpg", "outside")
        try scratch.link("root/link", to: scratch.path("root/a"))
        try scratch.link("root/trap", to: scratch.path("outside"))
        let served = try served(usesOpenAt2)
        let isDone = Atomic(false)
        let swapped = DispatchSemaphore(value: 0)
        let names = ["root/a", "root/trap", "root/aside", "root/link"].map(scratch.path)
        DispatchQueue(label: "swapper").async {
            while !isDone.load(ordering: .relaxed) {
                for place in [names[0], names[3]] {
                    _ = rename(place, names[2])
                    _ = rename(names[1], place)
                    _ = rename(place, names[1])
                    _ = rename(names[2], place)
                }
            }
            swapped.signal()
        }
        var opened = 0
        for _ in 0..<3000 {
            guard let content = content(served, "link/b.jpg") else { continue }
            opened += 1
            #expect(content == "in")
        }
        isDone.store(true, ordering: .relaxed)
        swapped.wait()
        #expect(content(served, "link/b.jpg") == "in")
        #expect(opened > 0)
    }
}
