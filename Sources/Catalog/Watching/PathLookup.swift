import Glibc
import Images

/// Scans some paths of a folder source, and all names in some of its folders.
struct PathLookup {
    /// All paths that were to be checked.
    let requested: Set<[UInt8]>
    /// Those that are checked individually.
    private let paths: Set<[UInt8]>
    /// Folders whose names are read again.
    private let contents: Set<[UInt8]>
    /// The source's known folders.
    private(set) var folders: [[UInt8]: FolderFingerprint?]
    private(set) var scopes: [FolderUpdate.Scope] = []
    private let dirtySet: DirtySet
    /// Folders that could not be read before.
    private let closed: Set<[UInt8]>
    /// Folders that are scanned with everything beneath them.
    private var wholes: Set<[UInt8]>
    /// Those of them that are known not to be in the gallery any more: removed, or left out.
    private var gone: Set<[UInt8]> = []

    /// - Parameters:
    ///   - wholes: Folders that must be scanned with everything beneath them.
    ///   - contents: Folders whose fingerprints have changed.
    ///   - paths: Other paths to check.
    ///   - folders: The known folders.
    ///   - closed: The known folders that could not be read.
    init(
        wholes: Set<[UInt8]>, contents: Set<[UInt8]>, paths: Set<[UInt8]>, dirtySet: DirtySet,
        folders: [[UInt8]: FolderFingerprint?], closed: Set<[UInt8]>
    ) {
        self.wholes = wholes
        self.contents = contents
        requested = paths
        self.paths = paths.filter { !contents.contains(FilePath.split($0).folder) }
        self.dirtySet = dirtySet
        self.folders = folders
        self.closed = closed
    }

    mutating func read(by walk: FolderWalk) throws {
        let reading = walk.reading
        let former = folders
        try readContents(by: walk)
        var found: [(path: [UInt8], found: FolderWalk.Found)] = []
        for (folder, paths) in Dictionary(grouping: paths, by: { FilePath.split($0).folder }) where !walk.isStopped() {
            walk.inspect(paths.map { FilePath.split($0).name }, in: folder) { found.append(($0, $1)) }
            // The folder has changed, and was only checked in part, so its fingerprint is unknown now. (A link in it is
            // no change.)
            if folders[folder] != nil, paths.contains(where: { dirtySet.paths[$0] != nil }) {
                folders.updateValue(nil, forKey: folder)
            }
        }
        // Folders that were added, removed or replaced. A known folder that was merely touched is unchanged.
        for (path, found) in found {
            if case .folder = found {
                if isOther(path) { wholes.insert(path) }
            } else if former[path] != nil {
                wholes.insert(path)
                gone.insert(path)
            }
        }
        for (path, found) in found where !isBeneathWhole(path) && !walk.isStopped() {
            var own: [ScannedImage] = []
            if case .picture(let scannedImage) = found { own = [scannedImage] }
            scopes.append(.init(path: path, extent: .file, scannedImages: own))
        }
        if !wholes.isEmpty {
            folders = folders.filter { !wholes.contains($0.key) && !isBeneathWhole($0.key) }
        }
        for path in wholes where !isBeneathWhole(path) && !walk.isStopped() {
            // Files that were moved here with their folder are as complete as they were there.
            reading.takesUnfinished = dirtySet.paths[path] == .changed
            let scannedImages =
                gone.contains(path) ? [] : try scannedImages(reading) { try walk.run(from: path) }
            scopes.append(.init(path: path, extent: .tree, scannedImages: scannedImages))
        }
        // Only all names of a folder tell how many of its files are not shown.
        let touched = Set(paths.lazy.filter { UnshownKind(fileName: $0) != nil }.map { FilePath.split($0).folder })
        for folder in touched.subtracting(reading.counted) where !wholes.contains(folder) && !isBeneathWhole(folder) {
            walk.countUnshown(in: folder)
        }
        folders.merge(reading.folders(after: former)) { $1 }
    }

    private mutating func readContents(by walk: FolderWalk) throws {
        guard !contents.isEmpty else { return }
        let children = FolderCheck.children(of: folders.keys)
        // Parents before their sub-folders.
        for folder in contents.sorted(by: { $0.count < $1.count }) where !walk.isStopped() {
            guard !wholes.contains(folder), !isBeneathWhole(folder) else { continue }
            var content = FolderWalk.Content.unknown
            let scannedImages = try scannedImages(walk.reading) { content = try walk.content(of: folder) }
            switch content {
            case .names(let subfolders, _):
                scopes.append(.init(path: folder, extent: .content, scannedImages: scannedImages))
                let present = Set(subfolders.map { FilePath.join(folder, $0) })
                wholes.formUnion(present.filter(isOther))
                let gone = Set(children[folder] ?? []).subtracting(present)
                wholes.formUnion(gone)
                self.gone.formUnion(gone)
            case .absent: wholes.insert(folder)
            case .unknown: break
            }
        }
    }

    private func scannedImages(_ reading: FolderReading, _ read: () throws -> Void) rethrows -> [ScannedImage] {
        var scannedImages: [ScannedImage] = []
        reading.found = { scannedImages.append($0) }
        defer { reading.found = { _ in } }
        try read()
        return scannedImages
    }

    /// Whether the folder at this path is not the known one.
    private func isOther(_ path: [UInt8]) -> Bool {
        folders[path] == nil || closed.contains(path) || dirtySet.paths[path].map { $0 != .touched } == true
    }

    private func isBeneathWhole(_ path: [UInt8]) -> Bool {
        var path = path[...]
        while let slash = path.lastIndex(of: UInt8(ascii: "/")) {
            path = path[..<slash]
            if wholes.contains(Array(path)) { return true }
        }
        return false
    }

    /// The source's present problems: those of everything just scanned are replaced by the ones found now. If there are
    /// too many problems to store, their count is approximate until the next full scan.
    func problems(
        following before: CatalogState.Problems, _ met: CatalogState.Problems, emptyProblem: CatalogState.Problem,
        isEmpty: Bool
    ) -> CatalogState.Problems {
        var checked = UnreadablePaths()
        var folders: Set<String> = []
        for scope in scopes {
            let path = FilePath.printable(FilePath.text(of: scope.path))
            if scope.extent == .content { folders.insert(path) } else { checked.insert(path) }
        }
        for path in contents { folders.insert(FilePath.printable(FilePath.text(of: path))) }
        var problems = CatalogState.Problems()
        for problem in before.first where problem != emptyProblem && !met.first.contains(problem) {
            if let path = problem.path {
                if checked.contains(path) || folders.contains(path) || folders.contains(FilePath.folder(of: path)) {
                    continue
                }
            }
            problems.add(problem)
        }
        for problem in met.first { problems.add(problem) }
        problems.count += met.count - met.first.count
        if isEmpty { problems.add(emptyProblem) }
        // The problems that are not stored may include some of those found again.
        if before.count > before.first.count { problems.count = max(problems.count, before.count) }
        return problems
    }
}
