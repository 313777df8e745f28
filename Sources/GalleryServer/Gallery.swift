import Catalog
import Cluster
import FactsLog
import Foundation
import HTTPServer
import Loading
import Logging
import Origins
import RenderWorkers

/// A whole gallery: the rooms put together, from sources to a listening server.
public final class Gallery: Sendable {
    private let catalog: Catalog
    private let loader: Loader
    private let origins: OriginFetcher
    private let server: HTTPServer
    private let streams: StreamCensus
    private let examiner: Examiner?
    private let ahead: TilesAhead?
    private let cluster: Cluster?
    private let log: PostgresFactsLog?
    private let traces: TraceExport?
    private let responder: GalleryResponder

    private init(
        catalog: Catalog, loader: Loader, origins: OriginFetcher, server: HTTPServer, streams: StreamCensus,
        examiner: Examiner?, ahead: TilesAhead?, cluster: Cluster?, log: PostgresFactsLog?,
        traces: TraceExport?, responder: GalleryResponder
    ) {
        self.cluster = cluster
        self.log = log
        self.traces = traces
        self.responder = responder
        self.streams = streams
        self.examiner = examiner
        self.ahead = ahead
        self.catalog = catalog
        self.loader = loader
        self.origins = origins
        self.server = server
    }

    /// What one node is asked, the others hear within this time at most: what it has begun to list for that serves them.
    private static let newsTime = Duration.seconds(2)

    /// Opens the data folder and begins to read the sources.
    ///
    /// - Parameter workers: Decode and draw; whoever made them stops them after the gallery.
    /// - Throws: errors whose description tells the person at the command line what to do.
    public static func open(
        _ configuration: Configuration, sources: [Source], workers: RenderPool, logger: Logger
    ) async throws -> Gallery {
        let origins = try OriginFetcher(configuration: configuration.origins, logger: logger)
        var cataloguing = configuration.catalog
        if configuration.origins.objectStore != nil { cataloguing.objectStore = ObjectStoreAccess(origins: origins) }
        let log = try configuration.database.map { address in
            try PostgresFactsLog(address, gallery: ClusterName.of(sources), logger: logger)
        }
        cataloguing.sharing = log
        cataloguing.listings = log
        let catalog: Catalog
        do {
            catalog = try await Catalog.open(cataloguing, sources: sources, logger: logger)
        } catch {
            await log?.stop()
            throw error
        }
        do {
            let access = CatalogAccess(catalog: catalog)
            var loading = configuration.loading
            loading.logger = logger
            let node = NodeTag()
            let traces = try configuration.traces.map { traces in
                try TraceExport(traces, version: configuration.version, node: node, logger: logger)
            }
            loading.tracer = traces?.tracer
            let cluster = try configuration.redis.map { address in
                try Cluster(
                    address, node: node, gallery: ClusterName.of(sources), origins: origins, logger: logger
                ) {
                    logger.notice("Reading the sources again, as another node was told to.")
                    catalog.rescan(orReadListedWithin: Self.newsTime)
                } onObjects: { bucket, keys in
                    catalog.heed(keys.compactMap { ObjectHint(bucket: bucket, encodedKey: $0) })
                }
            }
            let bucket = configuration.tileBucket.map { folder in
                BucketRenditionTier(
                    origins: origins, folder: folder, gallery: ClusterName.of(sources), logger: logger)
            }
            let loader = try Loader(
                configuration: loading, origins: origins, renderer: workers, files: access, learner: access,
                coordination: cluster?.coordination ?? Alone(), tier: tier(near: cluster?.tier, far: bucket))
            let relay = cluster?.relay ?? Alone()
            let tokens = TokenBook(node: node, loader: loader, relay: relay)
            let figures = ServerFigures()
            let streams = StreamCensus(
                limit: configuration.maximumStreams, perClient: configuration.maximumStreamsPerClient)
            let examiner =
                configuration.examinesFiles
                ? Examiner(catalog: catalog, renderer: workers, sharing: log, logger: logger)
                : nil
            let ahead =
                configuration.examinesFiles && configuration.makesTilesAhead && configuration.loading.tileBytes > 0
                ? TilesAhead(
                    catalog: catalog, loader: loader, atOnce: configuration.rendering.places / 2, logger: logger)
                : nil
            let responder = try GalleryResponder(
                configuration: configuration, catalog: catalog, loader: loader, tokens: tokens, relay: relay,
                origins: origins, workers: workers, streams: streams, examiner: examiner, ahead: ahead,
                cluster: cluster, log: log, bucket: bucket, traces: traces, figures: figures, logger: logger)
            let server = HTTPServer(
                configuration: configuration.serving, responder: responder,
                clients: try ProxyTrust(configuration.trustedProxies), figures: figures, logger: logger)
            return Gallery(
                catalog: catalog, loader: loader, origins: origins, server: server, streams: streams,
                examiner: examiner, ahead: ahead, cluster: cluster, log: log, traces: traces, responder: responder)
        } catch {
            await log?.stop()
            await catalog.close()
            throw error
        }
    }

    private static func tier(near: (any RenditionTier)?, far: (any RenditionTier)?) -> any RenditionTier {
        guard let near, let far else { return near ?? far ?? Alone() }
        return RenditionTiers(near: near, far: far)
    }

    /// Listens, and from then on looks into the files and makes their tiles behind what is
    /// asked for.
    ///
    /// - Returns: The address for a browser on this machine.
    public func start() async throws -> String {
        cluster?.serve(responder.host, borrowed: responder.borrowed)
        cluster?.start()
        await log?.start(catalog, hearing: catalog)
        let address = try await server.start()
        examiner?.start()
        ahead?.start()
        return "http://\(address)/"
    }

    /// Reads the sources again; what has changed is seen when a source has been read to its end. Returns at once.
    public func rescan() {
        catalog.rescan()
        ahead?.tryAgain()
        cluster?.tellLook()
    }

    /// Whether no page is open and nothing is loaded for anybody: the moment for housekeeping that would delay somebody.
    public var isAtRest: Bool {
        streams.figures.open == 0 && loader.statistics.jobs <= (ahead?.mostUnderWay ?? 0)
    }

    /// Lets go of what is not needed now. Any thread, never waits.
    public func rest() { catalog.forgetIdleOrders() }

    /// What is left of a stop's time when whoever still waits for a picture is told to come back: that has to be sent, and
    /// the caches are to be left whole.
    private static let lastWords = Duration.seconds(3)
    /// How long a collector has to take the last spans.
    private static let lastTraces = Duration.seconds(1)

    /// Stops accepting, and finishes within the limit what is loaded and sent, here or by other nodes for this one; whoever
    /// still waits shortly before its end is told to come back. Then all work ends and the caches are left whole.
    public func stop(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        await examiner?.stop()
        ahead?.stop()
        await withTaskGroup { group in
            group.addTask {
                await self.server.stop(within: max(.zero, ContinuousClock.now.duration(to: end)))
                await self.cluster?.finish(within: max(.zero, ContinuousClock.now.duration(to: end)))
            }
            group.addTask {
                // Cut short when nobody waits any more.
                try? await Task.sleep(until: end - Self.lastWords)
                await self.loader.shutdown()
            }
            await group.next()
            group.cancelAll()
        }
        await cluster?.stop()
        await log?.stop()
        await origins.shutDown()
        await catalog.close()
        await traces?.stop(within: Self.lastTraces)
    }
}
