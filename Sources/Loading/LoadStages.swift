import Images
import Origins
import Renditions

/// The steps of a load that block: each is called on a lane, and knows nothing of who waits.
struct LoadStages: Sendable {
    let tiles: TileStore
    let memory: MemoryCache
    let originals: OriginalStore
    let pyramids: PyramidStore
    let files: any FileOpening
    let learner: any FactsLearning
    let time: any TimeKeeping

    enum Found: Sendable {
        case tile(RenditionBytes, freshUntil: Int64?)
        /// What is kept as a file of a remote original that need not be fetched.
        case file(OriginalFile)
        /// A remote original that need not be fetched.
        case ground(RemoteGround, KeptOriginal)
        /// Nothing that could be used as it is; what is kept of a remote original can be revalidated.
        case nothing(KeptOriginal?)
    }

    enum Prepared: Sendable {
        case tile(RenditionBytes)
        /// An original, or what was made of it, as a file.
        case file(OriginalFile)
        /// A visit of a render worker is needed.
        case toRender(OriginalSource)
        /// Nothing has changed at the origin, but neither the original nor this rendition is kept any more.
        case mustFetchAgain
        case failed(LoadFailure, version: ContentVersion?)
    }

    enum Rendered: Sendable {
        case content(LoadedContent, ImageFacts?)
        /// A pyramid that the store is to take in.
        case pyramid(PyramidDraft)
        /// An original that could not be looked at, as it is.
        case unexamined(LoadedContent, RenderError.Reason)
        /// The file changed while it was read.
        case changed
        /// What is kept of it could not stand in for it.
        case unfit
        case failed(LoadFailure, RenderError.Reason)
    }

    // MARK: - Finding

    func find(_ request: LoadRequest) -> Found {
        let image = request.image
        if let named = request.named, let pyramid = pyramids.open(image.id, version: named, modified: nil) {
            return .file(pyramid)
        }
        switch image.location {
        case .file:
            // Memory was asked for this version when the load began.
            guard let version = image.version, let tile = stored(request, version)
            else { return .nothing(nil) }
            return .tile(tile, freshUntil: nil)
        case .object(_, _, let url):
            if let version = image.version, let tile = stored(request, version) { return .tile(tile, freshUntil: nil) }
            guard let kept = originals.find(image.id, url: url) else { return .nothing(nil) }
            // What the listing names need not be asked for again, however old it is; anything else must be.
            guard kept.version == image.version else { return .nothing(kept) }
            return find(request, kept)
        case .remote(let url):
            guard let kept = originals.find(image.id, url: url) else { return .nothing(nil) }
            guard time.secondsSince1970() < kept.freshUntil else { return .nothing(kept) }
            if let tile = tile(request, kept.version) {
                return .tile(tile, freshUntil: kept.freshUntil)
            }
            return find(request, kept)
        }
    }

    /// What there is of a fetched original that is current.
    private func find(_ request: LoadRequest, _ kept: KeptOriginal) -> Found {
        if request.rendition == .pyramid,
            let pyramid = pyramids.open(request.image.id, version: kept.version, modified: kept.validators.modified)
        {
            return .file(pyramid)
        }
        // Where the original is gone, what was made of it may do.
        let original = originals.open(kept)
        let standIn = original == nil ? standIn(for: request, version: kept.version) : nil
        guard let descriptor = original ?? standIn?.descriptor else { return .nothing(nil) }
        return .ground(
            .source(
                OriginalSource(
                    descriptor: descriptor, version: kept.version, length: kept.length,
                    modified: kept.validators.modified, standIn: standIn)), kept)
    }

    private func tile(_ request: LoadRequest, _ version: ContentVersion) -> RenditionBytes? {
        guard !request.rendition.isFile else { return nil }
        return memory.rendition(KeptNames(of: request, version: version), version: version) ?? stored(request, version)
    }

    private func stored(_ request: LoadRequest, _ version: ContentVersion) -> RenditionBytes? {
        guard !request.rendition.isFile else { return nil }
        return KeptNames(of: request, version: version).first { tiles.rendition($0, version: version) }
    }

    // MARK: - Preparing

    /// - Parameter needsOriginal: Whatever is kept of it cannot stand in.
    func prepare(_ request: LoadRequest, on ground: RemoteGround?, needsOriginal: Bool) -> Prepared {
        let image = request.image
        do throws(LoadFailure) {
            var source: OriginalSource
            switch (image.location, ground) {
            case (.file(let folder, let path), _):
                source = try open(folder, path)
                if source.version != image.version {
                    learner.learned(ImageFacts(), version: source.version, of: image.id)
                    // Of the version that was thought to be current the disk was asked before.
                    if let tile = tile(request, source.version) { return .tile(tile) }
                }
            case (_, .source(let fetched)?):
                if needsOriginal, fetched.isStandInAlone { return .mustFetchAgain }
                source = fetched
                if let tile = tile(request, fetched.version) { return .tile(tile) }
            case (_, .kept(let kept, let originFailure)?):
                if var tile = tile(request, kept.version) {
                    tile.isStale = originFailure != nil
                    return .tile(tile)
                }
                if request.rendition == .pyramid,
                    var pyramid = pyramids.open(image.id, version: kept.version, modified: kept.validators.modified)
                {
                    pyramid.isStale = originFailure != nil
                    return .file(pyramid)
                }
                guard let descriptor = originals.open(kept) else {
                    if let originFailure { throw originFailure }
                    return .mustFetchAgain
                }
                source = OriginalSource(
                    descriptor: descriptor, version: kept.version, length: kept.length,
                    modified: kept.validators.modified, isStale: originFailure != nil)
            case (_, nil): return .mustFetchAgain
            }
            // What an original is was learnt when it was looked into first.
            if request.rendition == .original, source.version == image.version,
                let mediaType = image.facts.mediaType
            {
                return .file(source.file(mediaType))
            }
            if request.rendition == .pyramid {
                if var pyramid = pyramids.open(
                    image.id, version: source.version, modified: source.modified)
                {
                    pyramid.isStale = source.isStale
                    return .file(pyramid)
                }
                source.pyramid = try pyramids.draft(image.id, source)
                return .toRender(source)
            }
            if needsOriginal {
                source.standIn = nil
            } else if source.standIn == nil {
                source.standIn = standIn(for: request, version: source.version)
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
        let descriptor = (source.standIn?.descriptor ?? source.descriptor).number
        guard request.rendition != .original else { return RenderJob(.examine, of: descriptor) }
        if let pyramid = source.pyramid { return RenderJob(pyramidOf: descriptor, in: pyramid.descriptor.number) }
        // What is larger is not to be made of what is smaller.
        var next = source.standIn == nil ? request.next : [:]
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
        let isHeavy =
            source.standIn == nil && (facts.mediaType == ImageFacts.drawing || request.rendition == .full)
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
            if let standIn = source.standIn {
                facts.isIncomplete = standIn.isIncomplete
            } else {
                learner.learned(facts, version: source.version, of: request.image.id)
            }
            if request.rendition == .original { return .content(.file(source.file(facts.mediaType)), nil) }
            if let pyramid = source.pyramid { return .pyramid(pyramid) }
            for (rendition, rendered) in answer.renditions {
                keep(tile(rendered, facts, from: source), rendered.format, of: request, as: rendition, source)
            }
            guard let picture = answer.renditions[request.rendition] else {
                return .failed(LoadFailure(RenderError(.failed, "The picture could not be rendered.")), .failed)
            }
            return .content(
                .bytes(tile(picture, facts, from: source)), source.standIn == nil ? facts : nil)
        case .failure where source.standIn != nil: return .unfit
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

    /// Takes in what was made of a beginning. What a picture is, only the whole tells: nothing is learnt of it.
    func glimpsed(_ answer: RenderAnswer, _ request: LoadRequest, from source: OriginalSource) -> RenditionBytes? {
        guard let rendered = answer.renditions[request.rendition] else { return nil }
        let tile = tile(rendered, ImageFacts(), from: source)
        keep(tile, rendered.format, of: request, as: request.rendition, source)
        return tile
    }

    /// Takes in what another machine has made: learns from it and keeps it. Never blocks.
    func adopt(_ shared: SharedRendition, _ request: LoadRequest) {
        let image = request.image.id
        let key = TileKey(of: shared.tile, as: request.rendition, image: image, format: request.format)
        if !request.isForLater { memory.insert(shared.tile, for: key) }
        tiles.insert(shared.tile, for: key)
        guard let original = shared.original else { return }
        memory.setFreshness(.init(version: original.version, until: original.freshUntil), of: image)
        if let facts = original.facts { learner.learned(facts, version: original.version, of: image) }
    }

    private func keep(
        _ tile: RenditionBytes, _ format: OutputFormat, of request: LoadRequest, as rendition: Rendition,
        _ source: OriginalSource
    ) {
        guard source.mayStore else { return }
        var tile = tile
        tile.isStale = false
        let key = TileKey(of: tile, as: rendition, image: request.image.id, format: format)
        if !request.isForLater { memory.insert(tile, for: key) }
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
