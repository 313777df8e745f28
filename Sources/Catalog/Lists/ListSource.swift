import Glibc
import Images
import Locking

/// A file of URLs.
struct ListSource: SourceReading {
    let path: String
    let format: Source.ListFormat

    var name: String { path }

    func identity(among namesakes: inout Namesakes) -> SourceIdentity {
        SourceIdentity(key: namesakes.key("list:" + FilePath.real(path)))
    }

    func open(_ configuration: Catalog.Configuration) throws(CatalogError) -> FolderRoot? {
        let descriptor = configuration.fileSystem.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .badSource(word: path, reason: Source.unreadable(errno)) }
        close(descriptor)
        return nil
    }

    /// In its folder the list alone.
    func isOfInterest(_ name: [UInt8]) -> Bool { name == FilePath.split(Array(path.utf8)).name }

    func read(_ source: NamedSource, _ visit: SourceVisit, into scan: SourceScan) throws -> SourceReport? {
        let catalog = visit.catalog
        let configuration = catalog.configuration
        let file = ListFile(
            path: path, format: format, limit: configuration.longestLine, calls: configuration.fileSystem)
        catalog.watchList(path, of: source)
        let (stamp, status) = try file.status()
        let sign = visit.dirt.paths.values.first
        if visit.former != nil, sign != .changed, !catalog.isWholeList(source, path, status, sign) { return nil }
        let before = catalog.standing.withLock { ($0.stamps[source.ordinal], $0.problemsWhenRead[source.ordinal]) }
        if visit.former?.index === visit.index, stamp == before.0 {
            catalog.settle(source, before.1)
            return nil
        }
        var report = SourceReport(stamp: stamp)
        try file.read(isStopped: { catalog.isEnding }) { entry in
            switch entry {
            case .image(let sighting): try scan.add(sighting)
            case .bad(let line, let reason): report.problems.add(.init(source: name, line: line, reason: reason))
            case .nothing: break
            }
        }
        return report
    }

    func place(of sighting: Sighting, in ordinal: Int) -> ImageLocation { .remote(url: sighting.location) }
}
