import Glibc

/// A look at some paths of a folder source, and at all that is in some of its folders: what lies there now.
struct FolderLook {
    /// Paths that are looked at by themselves.
    private let paths: Set<[UInt8]>
    /// Folders whose names are read again.
    private let contents: Set<[UInt8]>
    /// The source's folders, as far as they are known.
    private(set) var folders: [[UInt8]: FolderPrint?]
    private(set) var scopes: [FolderUpdate.Scope] = []
    private let dirt: Dirt
    /// Folders that could not be read before.
    private let closed: Set<[UInt8]>
    /// Folders of which everything that lies beneath them is read.
    private var wholes: Set<[UInt8]> = []

    /// - Parameters:
    ///   - contents: folders that look other than when they were read.
    ///   - paths: what else is looked at.
    ///   - folders: those that are known.
    ///   - closed: those of them that could not be read.
    init(
        contents: Set<[UInt8]>, paths: Set<[UInt8]>, dirt: Dirt, folders: [[UInt8]: FolderPrint?],
        closed: Set<[UInt8]>
    ) {
        self.contents = contents
        self.paths = paths.filter { !contents.contains(FilePath.split($0).folder) }
        self.dirt = dirt
        self.folders = folders
        self.closed = closed
    }

    mutating func read(by walk: FolderWalk) throws {
        let reading = walk.reading
        let former = folders
        try readContents(by: walk)
        var found: [(path: [UInt8], found: FolderWalk.Found)] = []
        for (folder, paths) in Dictionary(grouping: paths, by: { FilePath.split($0).folder }) where !walk.isStopped() {
            walk.look(at: paths.map { FilePath.split($0).name }, in: folder) { found.append(($0, $1)) }
            // Other than it was, and not all of it was looked at. (That it has a link is no news of it.)
            if folders[folder] != nil, paths.contains(where: { dirt.paths[$0] != nil }) {
                folders.updateValue(nil, forKey: folder)
            }
        }
        // Folders that came, went, or are other ones under their name. A known one that was merely touched is as it was.
        for (path, found) in found {
            if case .folder = found {
                if isOther(path) { wholes.insert(path) }
            } else if former[path] != nil {
                wholes.insert(path)
            }
        }
        for (path, found) in found where !isBeneathWhole(path) && !walk.isStopped() {
            var own: [Sighting] = []
            if case .picture(let sighting) = found { own = [sighting] }
            scopes.append(.init(path: path, extent: .file, sightings: own))
        }
        if !wholes.isEmpty {
            folders = folders.filter { !wholes.contains($0.key) && !isBeneathWhole($0.key) }
        }
        for path in wholes where !isBeneathWhole(path) && !walk.isStopped() {
            // What was moved here with its folder is as whole as it was there.
            reading.takesUnfinished = dirt.paths[path] == .changed
            let sightings = try sightings(reading) { try walk.run(from: path) }
            scopes.append(.init(path: path, extent: .tree, sightings: sightings))
        }
        folders.merge(reading.folders(after: former)) { $1 }
    }

    private mutating func readContents(by walk: FolderWalk) throws {
        guard !contents.isEmpty else { return }
        let children = FolderCheck.children(of: folders.keys)
        // A folder before those in it.
        for folder in contents.sorted(by: { $0.count < $1.count }) where !walk.isStopped() {
            guard !wholes.contains(folder), !isBeneathWhole(folder) else { continue }
            var content = FolderWalk.Content.unknown
            let sightings = try sightings(walk.reading) { content = try walk.content(of: folder) }
            switch content {
            case .names(let subfolders, _):
                scopes.append(.init(path: folder, extent: .content, sightings: sightings))
                let present = Set(subfolders.map { FilePath.join(folder, $0) })
                wholes.formUnion(present.filter(isOther))
                wholes.formUnion(Set(children[folder] ?? []).subtracting(present))
            case .absent: wholes.insert(folder)
            case .unknown: break
            }
        }
    }

    private func sightings(_ reading: FolderReading, _ read: () throws -> Void) rethrows -> [Sighting] {
        var sightings: [Sighting] = []
        reading.found = { sightings.append($0) }
        defer { reading.found = { _ in } }
        try read()
        return sightings
    }

    /// Whether a folder is not the one that is known under this path.
    private func isOther(_ path: [UInt8]) -> Bool {
        folders[path] == nil || closed.contains(path) || dirt.paths[path].map { $0 != .touched } == true
    }

    private func isBeneathWhole(_ path: [UInt8]) -> Bool {
        var path = path[...]
        while let slash = path.lastIndex(of: UInt8(ascii: "/")) {
            path = path[..<slash]
            if wholes.contains(Array(path)) { return true }
        }
        return false
    }

    /// What is wrong with the source now: what was wrong at what was looked at is forgotten, and what was met is added.
    /// Of problems that are too many to be named the number is right again when everything is read.
    func problems(
        following before: CatalogState.Problems, _ met: [CatalogState.Problem], emptiness: CatalogState.Problem,
        isEmpty: Bool
    ) -> CatalogState.Problems {
        var looked = UntoldPaths()
        var folders: Set<String> = []
        for scope in scopes {
            let path = FilePath.printable(FilePath.text(of: scope.path))
            if scope.extent == .content { folders.insert(path) } else { looked.insert(path) }
        }
        for path in contents { folders.insert(FilePath.printable(FilePath.text(of: path))) }
        var problems = CatalogState.Problems()
        for problem in before.first where problem != emptiness && !met.contains(problem) {
            if let path = problem.path {
                if looked.contains(path) || folders.contains(path) || folders.contains(FilePath.folder(of: path)) {
                    continue
                }
            }
            problems.add(problem)
        }
        for problem in met { problems.add(problem) }
        if isEmpty { problems.add(emptiness) }
        // Those that are not named may be among what was met again.
        if before.count > before.first.count { problems.count = max(problems.count, before.count) }
        return problems
    }
}
