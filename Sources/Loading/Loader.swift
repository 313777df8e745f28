import Dispatch
import Glibc
import Images
import Origins
import Renditions
import Scheduling
import Synchronization
import Tracing

/// The coalescing loader: from the caches in memory and on disk, from local files, and from origins, once for all who wait.
public final class Loader: RenditionLoading {
    public let configuration: Configuration
    private let time: any TimeKeeping
    private let lanes: LoadLanes
    private let database: CacheDatabase
    private let memory: MemoryCache
    private let tiles: TileStore
    private let pyramids: PyramidStore
    private let directory: String
    let coordinator: LoadCoordinator
    private let lastWaiter = Atomic<UInt64>(0)

    /// Opens the caches. Blocks for as long as that takes.
    ///
    /// - Parameters:
    ///   - coordination: Agrees with other machines on who makes what.
    ///   - tier: What several machines keep together.
    /// - Throws: `InvalidConfiguration`; `LoadFailure` when the folder of the caches cannot be written.
    public init(
        configuration: Configuration = Configuration(), origins: any OriginFetching, renderer: any Rendering,
        files: any FileOpening, learner: any FactsLearning, time: any TimeKeeping = SystemTime(),
        coordination: any Coordinating = Alone(), tier: any RenditionTier = Alone()
    ) throws {
        try configuration.validate()
        self.configuration = configuration
        self.time = time
        directory = try configuration.directory ?? Self.makeTemporaryDirectory()
        try CacheFolder.make(directory)
        database = try CacheDatabase(path: directory + "/renditions.sqlite", logger: configuration.logger)
        let originals = try OriginalStore(
            folder: directory + "/originals", budget: configuration.originalBytes,
            memory: ByteRoom(budget: configuration.originalMemoryBytes), disk: configuration.originalDisk,
            database: database, logger: configuration.logger)
        lanes = LoadLanes()
        memory = MemoryCache(budget: configuration.memoryBytes)
        tiles = TileStore(database: database, budget: configuration.tileBytes, lane: lanes.tiles)
        pyramids = try PyramidStore(
            folder: directory + "/pyramids", budget: configuration.pyramidBytes, lane: lanes.pyramids,
            logger: configuration.logger)
        let stages = LoadStages(
            tiles: tiles, memory: memory, originals: originals, pyramids: pyramids, files: files, learner: learner,
            time: time)
        let harmful = HarmfulPictures(
            database: database, lane: lanes.tiles, capacity: configuration.rememberedHarmful)
        coordinator = LoadCoordinator(
            configuration: configuration, origins: origins, renderer: renderer, lanes: lanes, stages: stages,
            harmful: harmful, time: time, coordination: coordination, tier: tier)
    }

    public func cached(_ request: LoadRequest) -> RenditionBytes? {
        memory.rendition(request, now: time.secondsSince1970)
    }

    /// The rendition of exactly this content, if memory holds it: for whoever names the content and not only the image,
    /// so that it matters to nobody whether it is still the image's present one. Never blocks; any thread.
    public func cached(
        _ image: ImageID, version: ContentVersion, rendition: Rendition, format: OutputFormat
    ) -> RenditionBytes? {
        memory.rendition(KeptNames(of: rendition, image: image, format: format), version: version)
    }

    /// How much of the disk's budget for tiles is used, from 0 on; what was there before counts once something was written.
    public var shareOfTileBudget: Double { tiles.share }

    /// Those of the images of which this rendition, as the catalog knows them, is not kept on disk; none where the disk
    /// does not tell. Blocks.
    public func lacking(_ rendition: Rendition, _ format: OutputFormat, of images: [GalleryImage]) -> [GalleryImage] {
        let names = images.map {
            KeptNames(of: rendition, image: $0.id, format: format, longestSide: $0.facts.longestSide).likely
        }
        guard let versions = tiles.versions(of: names) else { return [] }
        return zip(images, names).filter { $0.version == nil || versions[$1] != $0.version }.map(\.0)
    }

    public func originSilence(of image: ImageID) -> Duration? { coordinator.arrivals.silence(of: image) }

    public func load(
        _ request: LoadRequest, priority: Priority,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
    ) -> any LoadHandle {
        let id = lastWaiter.wrappingAdd(1, ordering: .relaxed).newValue
        let waiter = LoadWaiter(
            id: id, isForLater: request.isForLater, cause: configuration.tracer == nil ? nil : ServiceContext.current,
            coordinator: coordinator, deliver: deliver)
        coordinator.join(waiter, request, priority: priority)
        return waiter
    }

    public var statistics: LoadStatistics {
        var statistics = coordinator.statistics
        let memory = memory.statistics
        statistics.memoryBytes = memory.bytes
        statistics.memoryHits = memory.hits
        statistics.memoryMisses = memory.misses
        statistics.cacheProblem = database.problem
        return statistics
    }

    /// Fails all loads, writes what is still unwritten and ends the threads, within the configured deadline.
    public func shutdown() async {
        await coordinator.stop()
        let seconds = max(1, Int(clamping: configuration.shutdownDeadline.components.seconds))
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            // On a thread of its own, for it waits: once in the life of the loader.
            DispatchQueue(label: "tessera.loading.shutdown").async { [self] in
                for lane in lanes.all { lane.stop() }
                // What a stuck disk keeps busy is left behind; the caches are whole without it.
                if lanes.tiles.join(for: seconds) { tiles.flush() }
                let areDone = lanes.all.allSatisfy { $0.join(for: 1) }
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
        OriginalStore.removeFolder(directory + "/originals")
        PyramidStore.removeFolder(directory + "/pyramids")
        rmdir(directory)
    }
}
