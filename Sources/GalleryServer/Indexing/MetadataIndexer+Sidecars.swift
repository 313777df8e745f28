import BlockingIO
import Catalog
import Images
import Loading
import Renditions

/// Reads the sidecars of pictures with the render workers, before the pictures themselves.
extension MetadataIndexer {
    /// What the sidecars of one picture say.
    typealias SidecarMetadata = [SidecarFormat: ImageMetadata]

    private struct Sidecar: Sendable {
        let file: UnindexedFile
        let format: SidecarFormat
    }

    private struct OpenSidecar: Sendable {
        let sidecar: Sidecar
        let descriptor: OwnedDescriptor
    }

    /// Reads the sidecars of files in one folder. A sidecar that is not what its name says, or may not be read, says
    /// nothing.
    ///
    /// - Returns: What they say. Files of which a sidecar cannot be read now are missing, and have been postponed.
    func readSidecars(of files: [UnindexedFile]) async -> [UnindexedFile: SidecarMetadata] {
        var known: [UnindexedFile: SidecarMetadata] = [:]
        for file in files { known[file] = [:] }
        let sidecars = files.flatMap { file in file.sidecars.formats.map { Sidecar(file: file, format: $0) } }
        for start in stride(from: 0, to: sidecars.count, by: RenderJob.maximumFilesPerJob) {
            await read(sidecars[start..<min(start + RenderJob.maximumFilesPerJob, sidecars.count)], into: &known)
        }
        postpone(files.filter { known[$0] == nil })
        return known
    }

    /// Adds what these sidecars say. Removes the files whose sidecars cannot be read now.
    private func read(_ sidecars: ArraySlice<Sidecar>, into known: inout [UnindexedFile: SidecarMetadata]) async {
        guard let folder = sidecars.first?.file.folder else { return }
        let opened: [OpenSidecar]
        do throws(BlockingPool.Failure) {
            (opened, known) = try await open(sidecars, in: folder, known)
        } catch {
            if error == .hangs { skip(folder) }
            for sidecar in sidecars { known[sidecar.file] = nil }
            return
        }
        guard let first = opened.first else { return }
        let job = RenderJob(
            readingSidecars: opened.map(\.sidecar.format), from: opened.map(\.descriptor.number), in: folder)
        switch await render(job, of: first.sidecar.file, holding: opened.map(\.descriptor)) {
        case .success(let answer)? where answer.fileResults.count == opened.count:
            for (one, result) in zip(opened, answer.fileResults) {
                switch result {
                case .metadata(let metadata, _): known[one.sidecar.file]?[one.sidecar.format] = metadata
                case .failed(let error) where error.isPermanent: break
                case .failed, .skipped: known[one.sidecar.file] = nil
                }
            }
        case .failure(let error)? where opened.count == 1 && error.isPermanent: break
        // One of them is to blame: read each by itself to find it.
        case .failure(let error)? where error.isPermanent:
            for one in opened { await read([one.sidecar], into: &known) }
        case .failure(let error)? where error.reason == .unavailable:
            isBlocked = true
            for sidecar in sidecars { known[sidecar.file] = nil }
        case .failure(let error)? where error.reason == .sourceHangs:
            skip(folder)
            for sidecar in sidecars { known[sidecar.file] = nil }
        case nil, .success?, .failure?: for sidecar in sidecars { known[sidecar.file] = nil }
        }
    }

    /// - Returns: Those that could be opened; and `known` without the files whose sidecars cannot be opened now.
    private func open(
        _ sidecars: ArraySlice<Sidecar>, in folder: Int, _ known: [UnindexedFile: SidecarMetadata]
    ) async throws(BlockingPool.Failure) -> ([OpenSidecar], [UnindexedFile: SidecarMetadata]) {
        var known = known
        let results = try await runner.pool.value(in: folder) { [catalog] in
            sidecars.map { sidecar -> Result<OwnedDescriptor, CatalogError> in
                do throws(CatalogError) {
                    let open = try catalog.openSidecar(sidecar.format, of: sidecar.file)
                    return .success(OwnedDescriptor(open.release()))
                } catch {
                    return .failure(error)
                }
            }
        }.get()
        var opened: [OpenSidecar] = []
        for (sidecar, result) in zip(sidecars, results) {
            switch result {
            case .success(let descriptor): opened.append(OpenSidecar(sidecar: sidecar, descriptor: descriptor))
            // It is gone, which the next scan will find, or is not for this user.
            case .failure(.fileUnavailable(.gone, _)), .failure(.fileUnavailable(.forbidden, _)): break
            case .failure: known[sidecar.file] = nil
            }
        }
        return (opened, known)
    }
}
