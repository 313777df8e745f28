import BlockingIO
import Dispatch
import Glibc
import Images
import Locking
import Origins
import Renditions
import Scheduling
import Tracing

/// The loader: serves renditions from the caches in memory and on disk, from local files and from origins, with one
/// load for all concurrent requests.
public final class Loader: RenditionLoading {
    /// The limit of fetches that wait, with their files open, until somebody needs more than a preview.
    public static let maximumParkedFetches = 64

    public let configuration: Configuration
    private let time: any TimeKeeping
    private let pools: LoadPools
    private let database: CacheDatabase
    private let memory: MemoryCache
    private let tiles: TileCache
    private let pyramids: PyramidStore
    private let harmful: HarmfulImages
    private let stages: LoadStages
    /// How many previews were thumbnails in local files.
    private let thumbnails = Guarded(0)
    private let directory: String
    let coordinator: LoadCoordinator

    /// Opens the caches. Blocks while it does so.
    ///
    /// - Parameters:
    ///   - coordination: Agrees with other nodes on which one makes a rendition.
    ///   - tier: The renditions that several nodes share.
    /// - Throws: `InvalidConfiguration`; `LoadFailure` when the cache folder cannot be written.
    public init(
        configuration: Configuration = Configuration(), origins: any OriginFetching, renderer: any Rendering,
        files: any FileOpening, metadataReceiver: any MetadataReceiving, time: any TimeKeeping = SystemTime(),
        coordination: any Coordinating = SingleNode(), tier: any RenditionTier = SingleNode()
    ) throws {
        try configuration.validate()
        self.configuration = configuration
        self.time = time
        directory = try configuration.directory ?? Self.makeTemporaryDirectory()
        try CacheFolder.make(directory)
        database = try CacheDatabase(path: directory + "/renditions.sqlite", logger: configuration.logger)
        let originals = try OriginalCache(
            folder: directory + "/originals", budget: configuration.originalBytes,
            memory: ByteQuota(budget: configuration.originalMemoryBytes), disk: configuration.originalDisk,
            database: database, logger: configuration.logger)
        pools = LoadPools(deadline: configuration.diskDeadline)
        memory = MemoryCache(budget: configuration.memoryBytes)
        tiles = TileCache(database: database, budget: configuration.tileBytes, pool: pools.tiles)
        pyramids = try PyramidStore(
            folder: directory + "/pyramids", budget: configuration.pyramidBytes, pool: pools.pyramids,
            logger: configuration.logger)
        stages = LoadStages(
            tiles: tiles, memory: memory, originals: originals, pyramids: pyramids, files: files,
            metadataReceiver: metadataReceiver,
            time: time)
        harmful = HarmfulImages(
            database: database, pool: pools.tiles, capacity: configuration.rememberedHarmful)
        coordinator = LoadCoordinator(
            configuration: configuration, origins: origins, renderer: renderer, pools: pools, stages: stages,
            harmful: harmful, time: time, coordination: coordination, tier: tier)
        pools.tiles.submit { [tiles] in tiles.measure() }
    }

    public func cached(_ request: LoadRequest) -> RenditionBytes? {
        memory.rendition(request, now: time.secondsSince1970)
    }

    /// The rendition of exactly this content, if it is in memory. For a caller that names the content version, so it
    /// does not matter whether that is still the present one. Never blocks; any thread.
    public func cached(
        _ image: ImageID, version: ContentVersion, rendition: Rendition, format: OutputFormat
    ) -> RenditionBytes? {
        memory.rendition(TileKeyCandidates(of: rendition, image: image, format: format), version: version, isHit: true)
    }

    /// Stops serving images that have left the gallery from memory. The disk is read only for images that the catalog
    /// knows. Any thread; takes one lock.
    public func forget(_ images: [ImageID]) { memory.forget(images, now: time.secondsSince1970()) }

    /// The used fraction of the tile budget on disk, from 0 on. Tiles of an earlier run count once something was
    /// written.
    public var shareOfTileBudget: Double { tiles.share }

    /// The images whose rendition, at the version in the catalog, is not on disk. Empty when the disk cannot be read.
    /// Blocks.
    public func lacking(_ rendition: Rendition, _ format: OutputFormat, of images: [GalleryImage]) -> [GalleryImage] {
        let names = images.map {
            TileKeyCandidates(of: rendition, image: $0.id, format: format, longestSide: $0.metadata.longestSide).likely
        }
        guard let versions = tiles.versions(of: names) else { return [] }
        return zip(images, names).filter { $0.version == nil || versions[$1] != $0.version }.map(\.0)
    }

    public func originSilence(of image: ImageID) -> Duration? { coordinator.inFlightOriginals.silence(of: image) }

    public func load(
        _ request: LoadRequest, priority: Priority,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
    ) -> LoadStart {
        if !request.rendition.isFile {
            if let bytes = cached(request) { return .cached(bytes) }
            if !request.isPrefill { memory.countMiss() }
        }
        let cause = configuration.tracer == nil ? nil : ServiceContext.current
        let mayHaveThumbnail = request.mayHaveThumbnail
        var request = request
        // A remote thumbnail arrives in the course of a load.
        request.acceptsThumbnail = mayHaveThumbnail && request.image.location.isFetched
        if request.acceptsThumbnail, let bytes = stages.thumbnails.rendition(request, now: time.secondsSince1970) {
            return .cached(bytes)
        }
        let join = { @Sendable [coordinator, request] (priority: Priority) -> any LoadHandle in
            let waiter = LoadWaiter(
                isPrefill: request.isPrefill, cause: cause, coordinator: coordinator, deliver: deliver)
            coordinator.join(waiter, request, priority: priority)
            return waiter
        }
        guard mayHaveThumbnail, let folder = request.image.location.folder else { return .loading(join(priority)) }
        let load = ThumbnailLoad(priority: priority)
        load.begin(on: pools.files, in: folder) { [stages, thumbnails, request] in
            let thumbnail = stages.thumbnail(of: request.image)
            if thumbnail != nil { thumbnails.withLock { $0 += 1 } }
            return thumbnail
        } deliver: {
            deliver($0)
        } orElse: {
            join($0)
        }
        return .loading(load)
    }

    public var statistics: LoadStatistics {
        var statistics = coordinator.statistics
        let memory = memory.statistics
        statistics.memoryBytes = memory.bytes
        statistics.memoryHits = memory.hits
        statistics.memoryMisses = memory.misses
        statistics.tileBytes = Int(tiles.bytes)
        statistics.originalBytes = Int(stages.originals.bytes)
        statistics.pyramidBytes = Int(pyramids.bytes)
        statistics.thumbnails += thumbnails.withLock { $0 }
        statistics.cacheProblem = database.problem
        return statistics
    }

    /// Fails all loads, writes what is still unwritten and ends the threads, within the configured deadline.
    public func shutdown() async {
        await coordinator.stop()
        let seconds = max(1, Int(clamping: configuration.shutdownDeadline.components.seconds))
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            // On a thread of its own, because it blocks. This happens once in the life of a loader.
            DispatchQueue(label: "tessera.loading.shutdown").async { [self] in
                for pool in pools.all { pool.stop() }
                // Threads stuck at a hung disk are left behind; the caches stay intact without them.
                if pools.tiles.join(for: seconds) {
                    tiles.flush()
                    harmful.flush()
                }
                let areDone = pools.all.allSatisfy { $0.join(for: 1) }
                if areDone {
                    database.close()
                    pyramids.removeDrafts()
                }
                if configuration.directory == nil { removeTemporaryDirectory() }
                continuation.resume()
            }
        }
    }

    private static func makeTemporaryDirectory() throws(LoadFailure) -> String {
        var template = Array("/tmp/tessera-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw LoadFailure(
                status: 500, publicMessage: "The cache cannot be opened.",
                logDetail: "mkdtemp: \(String(cString: strerror(errno)))")
        }
        return template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? "/tmp/tessera"
        }
    }

    private func removeTemporaryDirectory() {
        for suffix in ["", "-wal", "-shm", ".broken", ".broken-wal", ".broken-shm"] {
            unlink(directory + "/renditions.sqlite" + suffix)
        }
        OriginalCache.removeFolder(directory + "/originals")
        PyramidStore.removeFolder(directory + "/pyramids")
        rmdir(directory)
    }
}
