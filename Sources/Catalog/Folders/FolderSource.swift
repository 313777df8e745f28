import Glibc
import Images

/// A folder with all its sub-folders.
struct FolderSource: SourceReading {
    let path: String

    var name: String { path }
    var folderName: String? { path.split(separator: "/").last.map(String.init) ?? "/" }
    var hasFiles: Bool { true }
    var emptiness: String {
        "holds no picture. Put some into it, or name another folder; in a container, check what is mounted."
    }

    func identity(among namesakes: inout Namesakes) -> SourceIdentity {
        let real = FilePath.real(path)
        let name = String(real.split(separator: "/").last ?? "/")
        let key = namesakes.key("folder:" + real)
        return SourceIdentity(
            key: key, images: Identity(folder: name, namesakes: namesakes.count("name:" + name)))
    }

    func open(_ configuration: Catalog.Configuration) throws(CatalogError) -> FolderRoot? {
        let root: FolderRoot
        do throws(FolderRoot.Failure) {
            root = try FolderRoot(path: path, calls: configuration.fileSystem)
            // A folder may be opened and yet not be entered: reading names is one right, reaching files another.
            close(try root.openFolder([]))
        } catch {
            throw .badSource(word: path, reason: Source.unreadable(error.code))
        }
        if let folder = FolderIdentity(path: path), folder == FolderIdentity(path: configuration.dataFolder) {
            throw .badSource(
                word: path, reason: "is the data folder itself. Choose another one for the data with --data.")
        }
        return root
    }

    func isOfInterest(_ name: [UInt8]) -> Bool { !ImageName.isSkipped(name) }

    func update(_ source: NamedSource, _ visit: SourceVisit) throws -> Bool? {
        try visit.catalog.update(source, at: path, in: visit.index, visit.dirt)
    }

    func read(_ source: NamedSource, _ visit: SourceVisit, into scan: SourceScan) throws -> SourceReport? {
        let reading = try visit.catalog.read(path, of: source, scan, visit.dirt)
        scan.untold = reading.untold
        var report = SourceReport(folders: reading)
        for problem in reading.problems { report.problems.add(problem) }
        return report
    }

    func place(of sighting: Sighting, in ordinal: Int) -> ImageLocation {
        .file(folder: ordinal, path: sighting.location)
    }
}

extension FilePath {
    /// The path without links, or as it is when it cannot be resolved.
    static func real(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
