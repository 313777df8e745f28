import Images
import Origins
import Renditions

/// The blocking steps of a load. Each runs on a pool, and knows nothing of waiters.
struct LoadStages: Sendable {
    let tiles: TileCache
    let memory: MemoryCache
    /// Cameras' thumbnails of remote originals, as previews for those who accept them.
    let thumbnails = MemoryCache(budget: 8 << 20)
    let originals: OriginalCache
    let pyramids: PyramidStore
    let files: any FileOpening
    let metadataReceiver: any MetadataReceiving
    let time: any TimeKeeping

    enum Found: Sendable {
        case tile(RenditionBytes, freshUntil: Int64?)
        /// A remote original or its pyramid, stored as a file that is still current.
        case file(OriginalFile)
        /// A remote original that need not be fetched.
        case remoteOriginal(RemoteOriginal, CachedOriginal)
        /// Nothing that can be used as it is. The cached original, if any, can be revalidated.
        case nothing(CachedOriginal?)
    }

    enum Prepared: Sendable {
        case tile(RenditionBytes)
        /// An original, or its pyramid, as a file.
        case file(OriginalFile)
        /// A render worker has to make the rendition.
        case toRender(OriginalSource)
        /// The origin says the content is unchanged, but neither the original nor this rendition is cached any more.
        case mustFetchAgain
        case failed(LoadFailure, version: ContentVersion?)
    }

    enum Rendered: Sendable {
        case content(LoadedContent, ImageMetadata?)
        /// A finished pyramid for the store.
        case pyramid(PyramidDraft)
        /// An original that could not be decoded, to be sent unchanged.
        case undecodable(LoadedContent, RenderError.Reason)
        /// The file changed while it was being read.
        case changed
        /// The rendition source could not be used in place of the original.
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
            // The load already looked for this version in memory when it began.
            guard let version = image.version, let tile = stored(request, version)
            else { return .nothing(nil) }
            return .tile(tile, freshUntil: nil)
        case .object(_, _, let url):
            if let version = image.version, let tile = stored(request, version) { return .tile(tile, freshUntil: nil) }
            guard let kept = originals.find(image.id, url: url) else { return .nothing(nil) }
            // If the cached version is the one in the bucket listing, it is current whatever its age; otherwise it must
            // be revalidated.
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

    /// Finds what is cached of a remote original that is current.
    private func find(_ request: LoadRequest, _ kept: CachedOriginal) -> Found {
        if request.rendition == .pyramid,
            let pyramid = pyramids.open(request.image.id, version: kept.version, modified: kept.validators.modified)
        {
            return .file(pyramid)
        }
        // Without the original, a larger rendition of it may serve.
        let original = originals.open(kept)
        let renditionSource = original == nil ? renditionSource(for: request, version: kept.version) : nil
        guard let descriptor = original ?? renditionSource?.descriptor else { return .nothing(nil) }
        return .remoteOriginal(
            .source(
                OriginalSource(
                    descriptor: descriptor, version: kept.version, length: kept.length,
                    modified: kept.validators.modified, renditionSource: renditionSource)), kept)
    }

    private func tile(_ request: LoadRequest, _ version: ContentVersion) -> RenditionBytes? {
        guard !request.rendition.isFile else { return nil }
        return memory.rendition(TileKeyCandidates(of: request, version: version), version: version)
            ?? stored(request, version)
    }

    private func stored(_ request: LoadRequest, _ version: ContentVersion) -> RenditionBytes? {
        guard !request.rendition.isFile else { return nil }
        return TileKeyCandidates(of: request, version: version).first { tiles.rendition($0, version: version) }
    }

    // MARK: - Preparing

    /// - Parameter needsOriginal: Whether to ignore rendition sources, because one failed.
    func prepare(_ request: LoadRequest, on remoteOriginal: RemoteOriginal?, needsOriginal: Bool) -> Prepared {
        let image = request.image
        do throws(LoadFailure) {
            var source: OriginalSource
            switch (image.location, remoteOriginal) {
            case (.file(let folder, let path), _):
                source = try open(folder, path)
                if source.version != image.version {
                    metadataReceiver.learned(ImageMetadata(), version: source.version, of: image.id)
                    // The version believed to be current was already looked up on disk.
                    if let tile = tile(request, source.version) { return .tile(tile) }
                }
            case (_, .source(let fetched)?):
                if needsOriginal, fetched.isRenditionSourceOnly { return .mustFetchAgain }
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
            // An earlier load has already read the media type of this original.
            if request.rendition == .original, source.version == image.version,
                let mediaType = image.metadata.mediaType
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
                source.renditionSource = nil
            } else if source.renditionSource == nil {
                source.renditionSource = renditionSource(for: request, version: source.version)
            }
            return .toRender(source)
        } catch {
            return .failed(error, version: nil)
        }
    }

    func open(_ folder: Int, _ path: String) throws(LoadFailure) -> OriginalSource {
        let descriptor = OwnedDescriptor(try files.openFile(folder: folder, path: path))
        let status: FileStatus
        do throws(DescriptorError) { status = try descriptor.status() } catch { throw .notNow(error.description) }
        guard status.isRegular else {
            throw LoadFailure(status: 404, publicMessage: "The picture is not a file.", isPermanent: true)
        }
        return OriginalSource(
            descriptor: descriptor,
            version: ContentVersion(
                fileSize: status.size, modifiedSeconds: status.modifiedSeconds, nanoseconds: status.nanoseconds),
            length: status.size, modified: status.modifiedSeconds, status: status, folder: folder)
    }

    // MARK: - Rendering

    /// The job for a render worker. Decoding is the expensive part, so the job also makes the renditions requested next
    /// and, for a grid rendition, the preview, unless they are cached.
    func job(for request: LoadRequest, of source: OriginalSource) -> RenderJob {
        let descriptor = (source.renditionSource?.descriptor ?? source.descriptor).number
        let group = source.renditionSource == nil ? source.folder : nil
        guard request.rendition != .original else { return RenderJob(.readMetadata, of: descriptor, in: group) }
        if let pyramid = source.pyramid {
            var job = RenderJob(pyramidOf: descriptor, in: pyramid.descriptor.number)
            job.group = group
            return job
        }
        // A larger rendition is not made from a smaller one.
        var next = source.renditionSource == nil ? request.next : [:]
        if request.rendition != .preview, !request.rendition.isForScreens {
            next[.preview] = request.format == .jpeg ? .jpeg : .webp
        }
        let isKnown = source.version == request.image.version
        let metadata = isKnown ? request.image.metadata : ImageMetadata()
        var wanted = [request.rendition: request.format]
        for (rendition, format) in next where rendition != request.rendition {
            let names = TileKeyCandidates(
                of: rendition, image: request.image.id, format: format, longestSide: metadata.longestSide)
            if memory.rendition(names, version: source.version) == nil { wanted[rendition] = format }
        }
        // Rendering all pixels needs more memory and time than other jobs.
        let isHeavy =
            source.renditionSource == nil && (metadata.isDrawing || request.rendition == .full)
        return RenderJob(.make(wanted), of: descriptor, in: group, isKnownHeavy: isHeavy)
    }

    /// Stores the result of a render worker and reports its metadata. Never blocks.
    func rendered(
        _ result: Result<RenderResult, RenderError>, _ request: LoadRequest, from source: OriginalSource
    ) -> Rendered {
        switch result {
        case .success(let answer):
            guard !source.hasChanged(answer.source) else { return .changed }
            var metadata = answer.metadata
            metadata.byteCount = source.length
            if let renditionSource = source.renditionSource {
                metadata.isIncomplete = renditionSource.isIncomplete
            } else {
                metadataReceiver.learned(metadata, version: source.version, of: request.image.id)
            }
            if request.rendition == .original { return .content(.file(source.file(metadata.mediaType)), nil) }
            if let pyramid = source.pyramid { return .pyramid(pyramid) }
            for (rendition, rendered) in answer.renditions {
                keep(tile(rendered, metadata, from: source), rendered.format, of: request, as: rendition, source)
            }
            guard let picture = answer.renditions[request.rendition] else {
                return .failed(LoadFailure(RenderError(.failed, "The picture could not be rendered.")), .failed)
            }
            return .content(
                .bytes(tile(picture, metadata, from: source)), source.renditionSource == nil ? metadata : nil)
        case .failure where source.renditionSource != nil: return .unfit
        case .failure(let error):
            // A file that is still being copied must not be remembered as broken.
            if let now = error.source, source.hasChanged(now) { return .changed }
            // An original that cannot be rendered may still be sent unchanged, without a media type.
            if request.rendition == .original, error.isOfPicture {
                return .undecodable(.file(source.file(nil)), error.reason)
            }
            return .failed(LoadFailure(error), error.reason)
        }
    }

    /// Stores the result of a partial decode. Reports no metadata, because only the whole original supplies it.
    func partiallyDecoded(_ answer: RenderResult, _ request: LoadRequest, from source: OriginalSource)
        -> RenditionBytes?
    {
        guard let rendered = answer.renditions[request.rendition] else { return nil }
        let tile = tile(rendered, ImageMetadata(), from: source)
        keep(tile, rendered.format, of: request, as: request.rendition, source)
        return tile
    }

    /// Stores what another node has made and reports its metadata. Never blocks.
    func adopt(_ shared: SharedRendition, _ request: LoadRequest) {
        let image = request.image.id
        let key = TileKey(of: shared.tile, as: request.rendition, image: image, format: request.format)
        if !request.isPrefill { memory.insert(shared.tile, for: key) }
        tiles.insert(shared.tile, for: key)
        guard let original = shared.original else { return }
        memory.setFreshness(.init(version: original.version, until: original.freshUntil), of: image)
        if let metadata = original.metadata { metadataReceiver.learned(metadata, version: original.version, of: image) }
    }

    private func keep(
        _ tile: RenditionBytes, _ format: OutputFormat, of request: LoadRequest, as rendition: Rendition,
        _ source: OriginalSource
    ) {
        guard source.mayStore else { return }
        var tile = tile
        tile.isStale = false
        let key = TileKey(of: tile, as: rendition, image: request.image.id, format: format)
        if !request.isPrefill { memory.insert(tile, for: key) }
        tiles.insert(tile, for: key)
    }

    private func tile(_ rendered: Renditions.Rendered, _ metadata: ImageMetadata, from source: OriginalSource)
        -> RenditionBytes
    {
        RenditionBytes(
            bytes: rendered.bytes, mediaType: rendered.mediaType, version: source.version, width: rendered.width,
            height: rendered.height, modified: source.modified, isStale: source.isStale,
            isIncomplete: metadata.isIncomplete == true)
    }
}
