import Glibc

/// The root of a folder source among the roots of all sources. Links are followed as long as they lead beneath one of
/// these roots, by whatever path.
///
/// The kernel follows links that stay beneath the source's own root (``FolderRoot``). For others, this type reads the
/// links, one by one, and finds the place that they lead to: a root, and a path beneath it without any link. That place
/// is then opened without following links. So a link or folder that is swapped meanwhile can lead to another place
/// beneath a root, or fail, but never outside. Nothing outside the roots is ever touched, not even to see what it is.
struct ServedFolders: Sendable {
    typealias Failure = FolderRoot.Failure

    /// The most links on the way to one place, as in the kernel (`path_resolution(7)`).
    private static let maximumLinks = 40

    let root: FolderRoot
    private let all: [FolderRoot?]

    /// - Parameters:
    ///   - root: The source's root.
    ///   - all: The roots of all sources that are folders.
    init(root: FolderRoot, among all: [FolderRoot?] = []) {
        self.root = root
        self.all = all
    }

    /// Where a path really leads.
    struct Place {
        let root: FolderRoot
        /// Beneath the root, without links; empty for the root itself.
        let path: [UInt8]
        /// The real folders of the links that are part of the path itself, as absolute paths.
        fileprivate let folders: [[[UInt8]]]

        /// Whether the path leads through its own end: a link to a folder that contains the link. Whoever entered it
        /// would come to the same link again.
        var isCycle: Bool {
            let end = root.place.real + FolderPlace.parts(path)
            return folders.contains { $0.starts(with: end) }
        }

        /// Whether the path has links in it.
        var isLinked: Bool { !folders.isEmpty }
    }

    /// Opens a regular file for reading; follows links.
    func openFile(_ path: [UInt8]) throws(Failure) -> OpenFile {
        try following(path) { root, path, links throws(Failure) in try root.openFile(path, following: links) }
    }

    /// The status of what a path leads to; follows links.
    func status(_ path: [UInt8]) throws(Failure) -> stat {
        try following(path) { root, path, links throws(Failure) in try root.status(path, following: links) }
    }

    /// Opens a folder for reading its names; follows links. The empty path is the root itself.
    ///
    /// - Returns: Its descriptor, and whether there are links in the path.
    func openFolder(_ path: [UInt8]) throws(Failure) -> (descriptor: Int32, isLinked: Bool) {
        do throws(Failure) {
            return (try root.openFolder(path), false)
        } catch {
            guard Self.mayBeLink(error) else { throw error }
            let place = try place(of: path)
            guard place.isLinked else { throw error }
            return (try place.root.openFolder(place.path), true)
        }
    }

    /// Finds where a path leads.
    func place(of path: [UInt8]) throws(Failure) -> Place {
        guard FolderRoot.isPlain(path) else { throw Failure(code: EINVAL) }
        var root = self.root
        var real: [[UInt8]] = []
        var folders: [[[UInt8]]] = []
        var links = 0
        // The remaining components of the path, and of the links that were read; the next one is last.
        var rest = Array(FolderPlace.parts(path).reversed())
        var pending: [[UInt8]] = []
        while true {
            let isOfPath = pending.isEmpty
            guard let part = pending.popLast() ?? rest.popLast() else { break }
            if part.elementsEqual("..".utf8) {
                if real.popLast() == nil {
                    (root, pending) = try enter(Array(root.place.real.dropLast()) + pending.reversed())
                }
                continue
            }
            real.append(part)
            guard let link = try root.link(Self.joined(real)) else { continue }
            real.removeLast()
            links += 1
            guard links <= Self.maximumLinks else { throw Failure(code: ELOOP) }
            if isOfPath { folders.append(root.place.real + real) }
            if link.first == UInt8(ascii: "/") {
                (root, pending) = try enter(FolderPlace.parts(link) + pending.reversed())
                real = []
            } else {
                pending += FolderPlace.parts(link).reversed()
            }
        }
        return Place(root: root, path: Self.joined(real), folders: folders)
    }

    /// The root that contains an absolute path, and the components beneath it, with the next one at the end.
    private func enter(_ path: [[UInt8]]) throws(Failure) -> (FolderRoot, [[UInt8]]) {
        for path in [path, Self.withoutParents(path)] {
            for root in [root] + all.compactMap(\.self) {
                if let parts = root.place.parts(ofAbsolute: path) { return (root, parts.reversed()) }
            }
        }
        throw Failure(code: EXDEV)
    }

    /// The path with each `..` taken from its text. Where a link comes before `..`, the kernel would go elsewhere; all
    /// the same, the opened file lies beneath a root.
    private static func withoutParents(_ path: [[UInt8]]) -> [[UInt8]] {
        path.reduce(into: []) { parts, part in
            if part.elementsEqual("..".utf8) { _ = parts.popLast() } else { parts.append(part) }
        }
    }

    private func following<Opened: ~Copyable>(
        _ path: [UInt8], _ open: (FolderRoot, [UInt8], FolderRoot.Links) throws(Failure) -> Opened
    ) throws(Failure) -> Opened {
        do throws(Failure) {
            return try open(root, path, .beneath)
        } catch {
            guard Self.mayBeLink(error) else { throw error }
            let place = try place(of: path)
            guard place.isLinked else { throw error }
            return try open(place.root, place.path, .none)
        }
    }

    /// Whether the kernel may have failed at a link that it was not to follow. Without `openat2`, it reports a link in
    /// the place of a folder as ENOTDIR.
    private static func mayBeLink(_ failure: Failure) -> Bool { [EXDEV, ELOOP, ENOTDIR].contains(failure.code) }

    private static func joined(_ parts: [[UInt8]]) -> [UInt8] {
        Array(parts.joined(separator: CollectionOfOne(UInt8(ascii: "/"))))
    }
}
