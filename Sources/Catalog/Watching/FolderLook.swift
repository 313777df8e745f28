import Glibc

/// A look at some paths of a folder source: what lies there now.
struct FolderLook {
    /// What is looked at.
    var paths: Set<[UInt8]>
    /// The source's folders, as far as they are known.
    private(set) var folders: Set<[UInt8]>
    private(set) var scopes: [FolderUpdate.Scope] = []
    private(set) var untold = UntoldPaths()
    /// Whether something could not be told that may be told later.
    private(set) var isTroubled = false

    private let source: NamedSource
    private let record: SourceRecord
    private let dirt: Dirt
    private var met: [CatalogState.Problem] = []

    init(source: NamedSource, record: SourceRecord, dirt: Dirt, folders: Set<[UInt8]>) {
        self.source = source
        self.record = record
        self.dirt = dirt
        self.folders = folders
        paths = Set(dirt.paths.keys).union(record.unfinished.paths)
    }

    mutating func read(_ root: FolderRoot, avoided: FolderIdentity?, isStopped: @escaping () -> Bool) {
        let collector = Collector(source: source, record: record, dirt: dirt)
        let walk = collector.walk(root, avoided: avoided, isStopped: isStopped)
        var found: [(path: [UInt8], found: FolderWalk.Found)] = []
        for (folder, paths) in Dictionary(grouping: paths, by: { FilePath.split($0).folder }) where !isStopped() {
            walk.look(at: paths.map { FilePath.split($0).name }, in: folder) { found.append(($0, $1)) }
        }
        let (folders, dirt) = (self.folders, self.dirt)
        // Folders that came, went, or are other ones under their name. A known one that was merely touched is as it was.
        let wholes = Set(
            found.lazy.filter { path, found in
                let isKnown = folders.contains(path)
                if case .folder = found { return !isKnown || dirt.paths[path] != .touched }
                return isKnown
            }.map(\.path))
        func isBeneathWhole(_ path: [UInt8]) -> Bool {
            var path = path[...]
            while let slash = path.lastIndex(of: UInt8(ascii: "/")) {
                path = path[..<slash]
                if wholes.contains(Array(path)) { return true }
            }
            return false
        }
        if !wholes.isEmpty { self.folders = folders.filter { !wholes.contains($0) && !isBeneathWhole($0) } }
        for (path, found) in found where !isBeneathWhole(path) && !isStopped() {
            var own: [Sighting] = []
            switch found {
            case .picture(let sighting): own = [sighting]
            case .folder, .nothing: break
            }
            scopes.append(.init(path: path, isFolder: false, sightings: own))
            guard wholes.contains(path) else { continue }
            collector.sightings = []
            // What was moved here with its folder is as whole as it was there.
            collector.isMoved = dirt.paths[path] == .changed
            if case .folder = found { _ = try? walk.run(from: path) }
            scopes.append(.init(path: path, isFolder: true, sightings: collector.sightings))
        }
        self.folders.formUnion(collector.folders)
        if let watch = record.watch { for path in folders where !self.folders.contains(path) { watch.remove(path) } }
        for path in record.unfinished.paths where !collector.unfinished.contains(path) {
            record.unfinished.forget(path)
        }
        untold = collector.untold
        isTroubled = collector.isTroubled
        met = collector.problems
        if !collector.refusals.isEmpty {
            met.append(source.unwatched(collector.refusals, watched: record.watch?.count ?? 0))
        }
    }

    /// What is wrong with the source now: what was wrong at these paths is forgotten, and what was met is added. Of
    /// problems that are too many to be named the number is right again when everything is read.
    func problems(following before: CatalogState.Problems, isEmpty: Bool) -> CatalogState.Problems {
        var looked = UntoldPaths()
        for scope in scopes where !scope.isFolder { looked.insert(FilePath.printable(FilePath.text(of: scope.path))) }
        let emptiness = source.emptiness
        var problems = CatalogState.Problems()
        for problem in before.first where problem != emptiness && !met.contains(problem) {
            if let path = problem.path, looked.contains(path) { continue }
            problems.add(problem)
        }
        problems.count += before.count - before.first.count
        for problem in met { problems.add(problem) }
        if isEmpty { problems.add(emptiness) }
        return problems
    }
}

/// What a walk meets.
private final class Collector {
    var sightings: [Sighting] = []
    var folders: Set<[UInt8]> = []
    var untold = UntoldPaths()
    var isTroubled = false
    var problems: [CatalogState.Problem] = []
    var refusals: Set<FolderWatch.Refusal> = []
    /// Whether what is walked through was moved to where it is.
    var isMoved = false
    /// Files that are still not whole.
    var unfinished: Set<[UInt8]> = []
    private let source: NamedSource
    private let record: SourceRecord
    private let dirt: Dirt

    init(source: NamedSource, record: SourceRecord, dirt: Dirt) {
        self.source = source
        self.record = record
        self.dirt = dirt
    }

    func walk(_ root: FolderRoot, avoided: FolderIdentity?, isStopped: @escaping () -> Bool) -> FolderWalk {
        FolderWalk(
            root: root, avoided: avoided, isStopped: isStopped,
            entering: { [self] path, descriptor in
                folders.insert(path)
                if let refusal = record.watch?.add(path, folder: descriptor) { refusals.insert(refusal) }
            },
            isWhole: { [self] path, status in
                guard !isMoved, dirt.paths[path] != .changed else {
                    record.unfinished.forget(path)
                    return true
                }
                let isWhole = record.unfinished.isWhole(path, status, isBegun: dirt.paths[path] == .begun)
                if !isWhole { unfinished.insert(path) }
                return isWhole
            },
            found: { [self] in sightings.append($0) },
            untold: { [self] path, failure in
                untold.insert(path)
                // Rights do not come back by themselves.
                if ![EACCES, EPERM].contains(failure.code) { isTroubled = true }
                add(path, FolderWalk.untoldReason(failure))
            },
            undecided: { [self] in untold.insert($0) },
            linked: { [self] in record.links.insert($0) },
            refused: { [self] in add($0, $1) })
    }

    private func add(_ path: String, _ reason: String) {
        problems.append(.init(source: source.name, path: FilePath.printable(path), reason: reason))
    }
}
