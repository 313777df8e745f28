import BlockingIO
import Glibc
import Images

/// A folder with all its sub-folders.
struct FolderSource: SourceReading {
    let path: String

    var name: String { path }
    var folderName: String? { path.split(separator: "/").last.map(String.init) ?? "/" }
    var hasFiles: Bool { true }
    var emptyMessage: String {
        "no pictures found. Add some, or choose another folder; in a container, check the mounts."
    }

    func identity(among namesakes: inout Namesakes) -> SourceIdentity {
        let real = FilePath.real(path)
        let name = String(real.split(separator: "/").last ?? "/")
        let key = namesakes.key("folder:" + real)
        return SourceIdentity(
            key: key, images: ImageIDGenerator(folder: name, namesakes: namesakes.count("name:" + name)))
    }

    func open(_ configuration: Catalog.Configuration) throws(CatalogError) -> FolderRoot? {
        do {
            let root = try AbandonableWork.value(label: "open", patience: configuration.diskPatience) { _ in
                let root = try FolderRoot(path: path, calls: configuration.fileSystem)
                // Opening a folder takes the permission to read its names. Reaching its files takes another one, which
                // this checks.
                close(try root.openFolder([]))
                return root
            }
            guard root.identity != FolderIdentity(path: configuration.dataFolder) else {
                throw CatalogError.badSource(
                    word: path, reason: "is the data folder itself. Choose another data folder with --data.")
            }
            return root
        } catch let error as CatalogError {
            throw error
        } catch let failure as FolderRoot.Failure {
            throw .badSource(word: path, reason: Source.unreadable(failure.code))
        } catch {
            // The disk does not answer, which a scan will report and retry. The other sources can be shown meanwhile.
            return nil
        }
    }

    func isOfInterest(_ name: [UInt8]) -> Bool { !SkippedName.contains(name) || FolderMarker(name) != nil }

    func update(_ source: NamedSource, _ context: ScanContext) throws -> Bool? {
        try context.catalog.update(source, at: path, in: context.index, context.dirtySet)
    }

    func read(_ source: NamedSource, _ context: ScanContext, into scan: SourceScan) throws -> SourceReport? {
        let reading = try context.catalog.read(path, of: source, scan, context.dirtySet)
        scan.unreadable = reading.unreadable
        var report = SourceReport(folders: reading)
        report.problems = reading.problems
        return report
    }

    func location(of scannedImage: ScannedImage, in ordinal: Int) -> ImageLocation {
        .file(folder: ordinal, path: scannedImage.location)
    }
}

extension FilePath {
    /// The path with all links resolved, or unchanged if it cannot be resolved, as when its disk does not answer.
    static func real(_ path: String) -> String {
        let resolved = try? AbandonableWork.value(label: "resolve", patience: Source.patience) { _ -> String? in
            guard let resolved = realpath(path, nil) else { return nil }
            defer { free(resolved) }
            return String(cString: resolved)
        }
        return (resolved ?? nil) ?? path
    }
}
