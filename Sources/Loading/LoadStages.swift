import Images
import Origins
import Renditions

/// The steps of a load that block: each is called on a lane, and knows nothing of who waits.
struct LoadStages: Sendable {
    let tiles: TileStore
    let memory: MemoryCache
    let originals: OriginalStore
    let files: any FileOpening
    let renderer: any Rendering
    let learner: any FactsLearning
    let time: any TimeKeeping
    let heavyPixels: Int

    enum Found: Sendable {
        case tile(RenditionBytes, freshUntil: Int64?)
        /// A remote original that need not be fetched.
        case ground(RemoteGround)
        /// Nothing that could be used as it is; what is kept of a remote original can be revalidated.
        case nothing(KeptOriginal?)
    }

    enum Prepared: Sendable {
        case tile(RenditionBytes)
        case original(OriginalFile)
        case toRender(OriginalSource, LoadMachine.RenderLane)
        /// Nothing has changed at the origin, but neither the original nor this rendition is kept any more.
        case mustFetchAgain
        case failed(LoadFailure, version: ContentVersion?)
    }

    enum RenderResult: Sendable {
        case tile(RenditionBytes)
        /// The file changed while it was read.
        case changed
        case stopped
        case failed(LoadFailure, version: ContentVersion)
    }

    // MARK: - Finding

    func find(_ request: LoadRequest) -> Found {
        let image = request.image
        switch image.location {
        case .file:
            guard let version = image.version, let tile = tile(request, version) else { return .nothing(nil) }
            return .tile(tile, freshUntil: nil)
        case .remote(let url):
            guard let kept = originals.find(image.id, url: url) else { return .nothing(nil) }
            guard time.secondsSince1970() < kept.freshUntil else { return .nothing(kept) }
            if request.rendition != .original, let tile = tile(request, kept.version) {
                return .tile(tile, freshUntil: kept.freshUntil)
            }
            guard let descriptor = originals.open(kept) else { return .nothing(nil) }
            return .ground(
                .source(
                    OriginalSource(
                        descriptor: descriptor, version: kept.version, length: kept.length,
                        modified: kept.validators.modified)))
        }
    }

    private func tile(_ request: LoadRequest, _ version: ContentVersion) -> RenditionBytes? {
        guard request.rendition != .original else { return nil }
        let key = TileKey(image: request.image.id, rendition: request.rendition, format: request.format)
        return memory.rendition(key, version: version) ?? tiles.rendition(key, version: version)
    }

    // MARK: - Preparing

    func prepare(_ request: LoadRequest, on ground: RemoteGround?) -> Prepared {
        do throws(LoadFailure) {
            let source: OriginalSource
            switch (request.image.location, ground) {
            case (.file(let folder, let path), _):
                source = try open(folder, path)
                if source.version != request.image.version {
                    learner.learned(ImageFacts(), version: source.version, of: request.image.id)
                }
                if let tile = tile(request, source.version) { return .tile(tile) }
            case (.remote, .source(let fetched)?):
                source = fetched
                if let tile = tile(request, fetched.version) { return .tile(tile) }
            case (.remote, .kept(let kept, let originFailure)?):
                if var tile = tile(request, kept.version) {
                    tile.isStale = originFailure != nil
                    return .tile(tile)
                }
                guard let descriptor = originals.open(kept) else {
                    if let originFailure { throw originFailure }
                    return .mustFetchAgain
                }
                source = OriginalSource(
                    descriptor: descriptor, version: kept.version, length: kept.length,
                    modified: kept.validators.modified, isStale: originFailure != nil)
            case (.remote, nil): return .mustFetchAgain
            }
            return inspect(request, source)
        } catch {
            return .failed(error, version: nil)
        }
    }

    private func open(_ folder: Int, _ path: String) throws(LoadFailure) -> OriginalSource {
        let descriptor = OwnedDescriptor(try files.openFile(folder: folder, path: path))
        let status: FileStatus
        do throws(DescriptorError) { status = try descriptor.status() } catch { throw .unreadable(error.description) }
        guard status.isRegular else {
            throw LoadFailure(status: 404, publicMessage: "The picture is no file.", isPermanent: true)
        }
        return OriginalSource(
            descriptor: descriptor,
            version: ContentVersion(
                fileSize: status.size, modifiedSeconds: status.modifiedSeconds, nanoseconds: status.nanoseconds),
            length: status.size, modified: status.modifiedSeconds, status: status)
    }

    private func inspect(_ request: LoadRequest, _ source: OriginalSource) -> Prepared {
        do throws(RenderError) {
            let inspection = try renderer.inspect(.descriptor(source.descriptor.number))
            var facts = inspection.facts
            facts.byteCount = source.length
            if request.rendition == .original {
                learner.learned(facts, version: source.version, of: request.image.id)
                return .original(
                    OriginalFile(
                        descriptor: source.descriptor, length: source.length, mediaType: facts.mediaType,
                        version: source.version, modified: source.modified, isStale: source.isStale))
            }
            return .toRender(source, lane(for: inspection, request.rendition))
        } catch {
            return .failed(source.hasChanged ? .changing : LoadFailure(error), version: source.version)
        }
    }

    private func lane(for inspection: Inspection, _ rendition: Rendition) -> LoadMachine.RenderLane {
        if rendition == .preview, inspection.hasThumbnail { return .ordinary }
        // What an SVG costs its size does not tell, and a filter in it cannot be stopped half-way.
        if inspection.isProgressive || inspection.facts.mediaType == "image/svg+xml" { return .heavy }
        let (pixels, isTooMany) = (inspection.facts.width ?? 0).multipliedReportingOverflow(
            by: inspection.facts.height ?? 0)
        return isTooMany || pixels > heavyPixels ? .heavy : .ordinary
    }

    // MARK: - Rendering

    func render(_ request: LoadRequest, from source: OriginalSource, stop: RenderStop) -> RenderResult {
        var wanted = [request.rendition: request.format]
        // The decoding is the dear part: a tile's preview comes with it, unless it is there.
        if request.rendition == .tile {
            let format: OutputFormat = request.format == .jpeg ? .jpeg : .webp
            let key = TileKey(image: request.image.id, rendition: .preview, format: format)
            if memory.rendition(key, version: source.version) == nil { wanted[.preview] = format }
        }
        do throws(RenderError) {
            let rendered = try renderer.render(.descriptor(source.descriptor.number), as: wanted, stop: stop)
            if source.hasChanged { return .changed }
            guard let picture = rendered[request.rendition] else {
                throw RenderError(.failed, "The picture could not be rendered.")
            }
            var facts = picture.facts
            facts.byteCount = source.length
            learner.learned(facts, version: source.version, of: request.image.id)
            for (rendition, result) in rendered {
                keep(result, of: request.image.id, as: rendition, from: source)
            }
            return .tile(tile(picture, from: source))
        } catch {
            if error.reason == .stopped { return .stopped }
            // Half of a copy is no picture, and must not be remembered as one that is broken.
            return source.hasChanged ? .changed : .failed(LoadFailure(error), version: source.version)
        }
    }

    private func keep(_ rendered: Rendered, of image: ImageID, as rendition: Rendition, from source: OriginalSource) {
        guard source.mayStore else { return }
        var tile = tile(rendered, from: source)
        tile.isStale = false
        let key = TileKey(image: image, rendition: rendition, format: rendered.format)
        memory.insert(tile, for: key)
        tiles.insert(tile, for: key)
    }

    private func tile(_ rendered: Rendered, from source: OriginalSource) -> RenditionBytes {
        RenditionBytes(
            bytes: rendered.bytes, mediaType: rendered.mediaType, version: source.version, width: rendered.width,
            height: rendered.height, modified: source.modified, isStale: source.isStale)
    }
}
