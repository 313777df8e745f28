import Glibc

/// The absolute paths of a served folder, as components: the real one, and the one by which the operator named it. Links
/// with absolute paths are recognised by them.
struct FolderPlace: Sendable {
    /// Without any link in it.
    let real: [[UInt8]]
    private let named: [[UInt8]]

    init(of path: String) {
        // Not by `FilePath.real`, which waits for a hung disk on another thread: whoever opens a root does so already.
        let resolved = realpath(path, nil)
        defer { free(resolved) }
        // A path that cannot be resolved matches none.
        real = resolved.map { Self.parts(Array(String(cString: $0).utf8)) } ?? [[0]]
        named = Self.absolute(path).map(Self.parts) ?? self.real
    }

    /// The components of an absolute path beneath the folder; nil if it does not lie there.
    func parts(ofAbsolute path: [[UInt8]]) -> ArraySlice<[UInt8]>? {
        for place in [real, named] where path.starts(with: place) { return path[place.count...] }
        return nil
    }

    /// The components of a path, without empty ones and `.`.
    static func parts(_ path: [UInt8]) -> [[UInt8]] {
        path.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }.map(Array.init)
    }

    /// The path as the operator sees it, in a shell that remembers the links by which it came here.
    private static func absolute(_ path: String) -> [UInt8]? {
        if path.hasPrefix("/") { return Array(path.utf8) }
        guard let folder = getenv("PWD").map({ String(cString: $0) }), folder.hasPrefix("/"),
            let here = FolderIdentity(path: "."), here == FolderIdentity(path: folder)
        else { return nil }
        return Array((folder + "/" + path).utf8)
    }
}
