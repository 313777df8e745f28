import BlockingIO
import Glibc
import Images
import Locking

/// A file that lists URLs.
struct ListSource: SourceReading {
    let path: String
    let format: Source.ListFormat

    var name: String { path }

    func identity(among namesakes: inout Namesakes) -> SourceIdentity {
        SourceIdentity(key: namesakes.key("list:" + FilePath.real(path)))
    }

    func open(_ configuration: Catalog.Configuration) throws(CatalogError) -> FolderRoot? {
        let code = try? AbandonableWork.value(label: "open", patience: configuration.diskPatience) { _ -> Int32 in
            let descriptor = configuration.fileSystem.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return errno }
            close(descriptor)
            return 0
        }
        // If its disk does not answer, a scan will report and retry it.
        guard let code, code != 0 else { return nil }
        throw .badSource(word: path, reason: Source.unreadable(code))
    }

    /// Only the list itself, in its folder.
    func isOfInterest(_ name: [UInt8]) -> Bool { name == FilePath.split(Array(path.utf8)).name }

    func read(_ source: NamedSource, _ context: ScanContext, into scan: SourceScan) throws -> SourceReport? {
        let catalog = context.catalog
        let configuration = catalog.configuration
        let file = ListFile(
            path: path, format: format, limit: configuration.longestLine, calls: configuration.fileSystem)
        let refusal = catalog.beginWatch(of: source)
        let watch = catalog.records[source.ordinal].watch
        let (watchRefusal, stamp, status) = try catalog.whileItProgresses(source) { _ in
            // Its folder, where it is edited or replaced.
            let refusal = watch?.add([], at: FilePath.systemFolder(of: path))
            let (stamp, status) = try file.status()
            return (refusal, stamp, status)
        }
        catalog.noteWatch(of: source, refusal ?? watchRefusal)
        let sign = context.dirtySet.paths.values.first
        if context.former != nil, sign != .changed, !catalog.isWholeList(source, path, status, sign) { return nil }
        let before = catalog.mutableState.withLock { ($0.stamps[source.ordinal], $0.problemsWhenRead[source.ordinal]) }
        if context.former?.index === context.index, stamp == before.0 {
            catalog.settle(source, before.1)
            return nil
        }
        return try catalog.whileItProgresses(source) { progress in
            var report = SourceReport(stamp: stamp)
            let isStopped = {
                progress.note()
                return catalog.isEnding || progress.isAbandoned
            }
            try file.read(isStopped: isStopped) { entry in
                switch entry {
                case .image(let scannedImage): try progress.unlessAbandoned { try scan.add(scannedImage) }
                case .bad(let line, let reason): report.problems.add(.init(source: name, line: line, reason: reason))
                case .nothing: break
                }
            }
            return report
        }
    }

    func location(of scannedImage: ScannedImage, in ordinal: Int) -> ImageLocation {
        .remote(url: scannedImage.location)
    }
}
