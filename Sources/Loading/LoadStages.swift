import Images
import Origins
import Renditions

/// The steps of a load that block: each is called on a lane, and knows nothing of who waits.
struct LoadStages: Sendable {
    let tiles: TileStore
    let memory: MemoryCache
    let originals: OriginalStore
    let files: any FileOpening
    let learner: any FactsLearning
    let time: any TimeKeeping

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
        /// A visit of a render worker is needed.
        case toRender(OriginalSource)
        /// Nothing has changed at the origin, but neither the original nor this rendition is kept any more.
        case mustFetchAgain
        case failed(LoadFailure, version: ContentVersion?)
    }

    enum Rendered: Sendable {
        case content(LoadedContent)
        /// An original that could not be looked at, as it is.
        case unexamined(LoadedContent, RenderError.Reason)
        /// The file changed while it was read.
        case changed
        case failed(LoadFailure, RenderError.Reason)
    }

    // MARK: - Finding

    func find(_ request: LoadRequest) -> Found {
        let image = request.image
        switch image.location {
        case .file:
            // Memory was asked for this version when the load began.
            guard request.rendition != .original, let version = image.version,
                let tile = stored(request, version)
            else { return .nothing(nil) }
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
        return memory.rendition(KeptNames(of: request, version: version), version: version) ?? stored(request, version)
    }

    private func stored(_ request: LoadRequest, _ version: ContentVersion) -> RenditionBytes? {
        KeptNames(of: request, version: version).first { tiles.rendition($0, version: version) }
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
                    // Of the version that was thought to be current the disk was asked before.
                    if let tile = tile(request, source.version) { return .tile(tile) }
                }
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
            // What an original is was learnt when it was looked into first.
            if request.rendition == .original, source.version == request.image.version,
                let mediaType = request.image.facts.mediaType
            {
                return .original(source.file(mediaType))
            }
            return .toRender(source)
        } catch {
            return .failed(error, version: nil)
        }
    }

    private func open(_ folder: Int, _ path: String) throws(LoadFailure) -> OriginalSource {
        let descriptor = OwnedDescriptor(try files.openFile(folder: folder, path: path))
        let status: FileStatus
        do throws(DescriptorError) { status = try descriptor.status() } catch { throw .notNow(error.description) }
        guard status.isRegular else {
            throw LoadFailure(status: 404, publicMessage: "The picture is no file.", isPermanent: true)
        }
        return OriginalSource(
            descriptor: descriptor,
            version: ContentVersion(
                fileSize: status.size, modifiedSeconds: status.modifiedSeconds, nanoseconds: status.nanoseconds),
            length: status.size, modified: status.modifiedSeconds, status: status)
    }

    // MARK: - Rendering

    /// What a render worker is to do. The decoding is the dear part: what is wanted next comes with it, and the preview of
    /// what is made for a grid, unless they are there.
    func job(for request: LoadRequest, of source: OriginalSource) -> RenderJob {
        let descriptor = source.descriptor.number
        guard request.rendition != .original else { return RenderJob(.examine, of: descriptor) }
        var next = request.next
        if request.rendition != .preview, !request.rendition.isForScreens {
            next[.preview] = request.format == .jpeg ? .jpeg : .webp
        }
        let isKnown = source.version == request.image.version
        let facts = isKnown ? request.image.facts : ImageFacts()
        var wanted = [request.rendition: request.format]
        for (rendition, format) in next where rendition != request.rendition {
            let names = KeptNames(
                of: rendition, image: request.image.id, format: format, longestSide: facts.longestSide)
            if memory.rendition(names, version: source.version) == nil { wanted[rendition] = format }
        }
        // All pixels are a matter of more memory than others, and of more time.
        let isHeavy = facts.mediaType == ImageFacts.drawing || request.rendition == .full
        return RenderJob(.make(wanted), of: descriptor, isKnownHeavy: isHeavy)
    }

    /// Takes in what a render worker has made: learns from it and keeps it. Never blocks.
    func rendered(
        _ result: Result<RenderAnswer, RenderError>, _ request: LoadRequest, from source: OriginalSource
    ) -> Rendered {
        switch result {
        case .success(let answer):
            guard !source.hasChanged(answer.source) else { return .changed }
            var facts = answer.facts
            facts.byteCount = source.length
            learner.learned(facts, version: source.version, of: request.image.id)
            if request.rendition == .original { return .content(.file(source.file(facts.mediaType))) }
            for (rendition, rendered) in answer.renditions {
                keep(tile(rendered, facts, from: source), rendered.format, of: request.image.id, as: rendition, source)
            }
            guard let picture = answer.renditions[request.rendition] else {
                return .failed(LoadFailure(RenderError(.failed, "The picture could not be rendered.")), .failed)
            }
            return .content(.bytes(tile(picture, facts, from: source)))
        case .failure(let error):
            // Half of a copy is no picture, and must not be remembered as one that is broken.
            if let now = error.source, source.hasChanged(now) { return .changed }
            // A picture that cannot be shown may be had as it is; what it is, nobody says.
            if request.rendition == .original, error.isOfPicture {
                return .unexamined(.file(source.file(nil)), error.reason)
            }
            return .failed(LoadFailure(error), error.reason)
        }
    }

    private func keep(
        _ tile: RenditionBytes, _ format: OutputFormat, of image: ImageID, as rendition: Rendition,
        _ source: OriginalSource
    ) {
        guard source.mayStore else { return }
        var tile = tile
        tile.isStale = false
        let key = TileKey(of: tile, as: rendition, image: image, format: format)
        memory.insert(tile, for: key)
        tiles.insert(tile, for: key)
    }

    private func tile(_ rendered: Renditions.Rendered, _ facts: ImageFacts, from source: OriginalSource)
        -> RenditionBytes
    {
        RenditionBytes(
            bytes: rendered.bytes, mediaType: rendered.mediaType, version: source.version, width: rendered.width,
            height: rendered.height, modified: source.modified, isStale: source.isStale,
            isIncomplete: facts.isIncomplete == true)
    }
}
