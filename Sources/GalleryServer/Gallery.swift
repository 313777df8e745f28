import Accounts
import Catalog
import Cluster
import MetadataLog
import Foundation
import HTTPServer
import Loading
import Logging
import Origins
import RenderWorkers

/// A complete gallery, from its sources to a listening server.
public final class Gallery: Sendable {
    private let catalog: Catalog
    private let loader: Loader
    private let origins: OriginFetcher
    private let server: HTTPServer
    private let streams: StreamLimiter
    private let indexer: MetadataIndexer?
    private let prefiller: TilePrefiller?
    private let cluster: Cluster?
    private let log: PostgresMetadataLog?
    private let traces: TraceExport?
    private let responder: GalleryResponder
    private let library: GalleryLibrary

    private init(
        catalog: Catalog, loader: Loader, origins: OriginFetcher, server: HTTPServer, streams: StreamLimiter,
        indexer: MetadataIndexer?, prefiller: TilePrefiller?, cluster: Cluster?, log: PostgresMetadataLog?,
        traces: TraceExport?, responder: GalleryResponder, library: GalleryLibrary
    ) {
        self.library = library
        self.cluster = cluster
        self.log = log
        self.traces = traces
        self.responder = responder
        self.streams = streams
        self.indexer = indexer
        self.prefiller = prefiller
        self.catalog = catalog
        self.loader = loader
        self.origins = origins
        self.server = server
    }

    /// The longest time until a rescan that was requested on one node reaches the others. A listing that began within
    /// this time is recent enough.
    private static let announcementTime = Duration.seconds(2)

    /// Opens the data folder and begins to scan the sources.
    ///
    /// - Parameters:
    ///   - workers: Decode and encode images. Their creator stops them after the gallery.
    /// - Throws: Errors whose descriptions tell the operator what to do.
    public static func open(
        _ configuration: Configuration, sources: [Source], workers: RenderPool, logger: Logger
    ) async throws -> Gallery {
        let origins = try OriginFetcher(configuration: configuration.origins, logger: logger)
        var cataloguing = configuration.catalog
        if configuration.origins.objectStore != nil { cataloguing.objectStore = ObjectStoreAccess(origins: origins) }
        let log = try configuration.database.map { address in
            try PostgresMetadataLog(address, gallery: ClusterName.of(sources), logger: logger)
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
        var opened: GalleryLibrary?
        do {
            let library = try await GalleryLibrary(configuration, sources: sources, logger: logger)
            opened = library
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
                    logger.notice("Rescanning the sources, as requested on another node.")
                    catalog.rescan(orReadListedWithin: Self.announcementTime)
                } onObjects: { bucket, keys in
                    catalog.enqueue(keys.compactMap { ObjectHint(bucket: bucket, encodedKey: $0) })
                }
            }
            let bucket = configuration.tileBucket.map { folder in
                BucketRenditionTier(
                    origins: origins, folder: folder, gallery: ClusterName.of(sources), logger: logger)
            }
            let loader = try Loader(
                configuration: loading, origins: origins, renderer: workers, files: access, metadataReceiver: access,
                coordination: cluster?.coordination ?? SingleNode(), tier: tier(near: cluster?.tier, far: bucket))
            catalog.onDeparture { [weak loader] in loader?.forget($0) }
            let forwarding = cluster?.forwarding ?? SingleNode()
            let tokens = TokenRegistry(node: node, loader: loader, forwarding: forwarding)
            let figures = ServerStatistics()
            let streams = StreamLimiter(
                limit: configuration.maximumStreams, perClient: configuration.maximumStreamsPerClient)
            let indexer =
                configuration.indexesMetadata
                ? MetadataIndexer(catalog: catalog, renderer: workers, sharing: log, logger: logger)
                : nil
            let prefiller =
                configuration.indexesMetadata && configuration.prefillsTiles && configuration.loading.tileBytes > 0
                ? TilePrefiller(
                    catalog: catalog, loader: loader, atOnce: configuration.rendering.permits / 2, logger: logger)
                : nil
            let responder = try GalleryResponder(
                configuration: configuration, library: library, catalog: catalog, loader: loader, tokens: tokens,
                forwarding: forwarding,
                origins: origins, workers: workers, streams: streams, indexer: indexer, prefiller: prefiller,
                cluster: cluster, log: log, bucket: bucket, traces: traces, figures: figures, logger: logger)
            let server = HTTPServer(
                configuration: configuration.serving, responder: responder,
                clients: try ProxyTrust(configuration.trustedProxies), figures: figures, logger: logger,
                accessLog: configuration.accessLog?.accessLog)
            return Gallery(
                catalog: catalog, loader: loader, origins: origins, server: server, streams: streams,
                indexer: indexer, prefiller: prefiller, cluster: cluster, log: log, traces: traces,
                responder: responder,
                library: library)
        } catch {
            await log?.stop()
            await catalog.close()
            await opened?.close()
            throw error
        }
    }

    private static func tier(near: (any RenditionTier)?, far: (any RenditionTier)?) -> any RenditionTier {
        guard let near, let far else { return near ?? far ?? SingleNode() }
        return RenditionTiers(near: near, far: far)
    }

    /// Listens, and then begins to index metadata and to prefill tiles in the background.
    ///
    /// - Returns: The URL for a browser on this machine.
    public func start() async throws -> String {
        cluster?.serve(responder.sessionOwner, forwarded: responder.forwarded)
        cluster?.start()
        await log?.start(catalog, listingReceiver: catalog)
        let address = try await server.start()
        indexer?.start()
        prefiller?.start()
        return "http://\(address)\(server.basePath)/"
    }

    /// Makes the link with which the first owner's account is made, if accounts are needed and there is no owner yet. It
    /// works once; links made earlier no longer do.
    ///
    /// - Parameter address: The URL that ``start()`` has returned.
    public func setUpLink(at address: String) async throws -> String? {
        guard let accounts = library.required, !accounts.hasOwner else { return nil }
        return address + AccountPage.invitation(try await accounts.inviteOwner().text)
    }

    /// Rescans the sources. Changes appear once a source has been scanned to its end. Returns at once.
    public func rescan() {
        catalog.rescan()
        prefiller?.tryAgain()
        cluster?.announceRescan()
    }

    /// Whether no page is open and nothing is loaded for a client: the time for housekeeping that would delay requests.
    public var isAtRest: Bool {
        streams.figures.open == 0 && loader.statistics.jobs <= (prefiller?.maximumInFlight ?? 0)
    }

    /// Releases memory that is not needed now. Callable from any thread; never blocks.
    public func rest() { catalog.forgetIdleOrders() }

    /// How long before the end of a shutdown pending requests are refused: the responses have to be sent, and the
    /// caches have to be closed properly.
    private static let responseTime = Duration.seconds(3)
    /// How long a collector has to accept the last spans.
    private static let traceExportTime = Duration.seconds(1)

    /// Stops accepting connections, and finishes running loads and responses within the limit, including those that
    /// other nodes make for this one. Requests still pending shortly before the end get a 503. Then all work ends, and
    /// the caches are closed properly.
    public func stop(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        await indexer?.stop()
        prefiller?.stop()
        await withTaskGroup { group in
            group.addTask {
                await self.server.stop(within: max(.zero, ContinuousClock.now.duration(to: end)))
                await self.cluster?.finish(within: max(.zero, ContinuousClock.now.duration(to: end)))
            }
            group.addTask {
                // Cancelled once there are no more requests.
                try? await Task.sleep(until: end - Self.responseTime)
                await self.loader.shutdown()
            }
            await group.next()
            group.cancelAll()
        }
        await cluster?.stop()
        await log?.stop()
        await origins.shutDown()
        await catalog.close()
        await traces?.stop(within: Self.traceExportTime)
        await library.close()
    }
}
