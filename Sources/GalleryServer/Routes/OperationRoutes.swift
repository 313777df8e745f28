import Accounts
import Catalog
import Cluster
import Dispatch
import MetadataLog
import HTTPServer
import HTTPTypes
import Loading
import Metrics
import Origins
import RenderWorkers
import Renditions
import Traces

/// Routes for operators and supervisors: status, metrics, health and readiness.
struct OperationRoutes {
    let version: String
    let catalog: Catalog
    let loader: Loader
    let tokens: TokenRegistry
    let origins: OriginFetcher
    let workers: RenderPool
    let streams: StreamLimiter
    let indexer: MetadataIndexer?
    let prefiller: TilePrefiller?
    let cluster: Cluster?
    let log: PostgresMetadataLog?
    let bucket: BucketRenditionTier?
    let traces: TraceExport?
    /// Whether events of object stores are accepted.
    let acceptsEvents: Bool
    let figures: ServerStatistics
    let access: AccessControl
    private let started = DispatchTime.now()

    init(
        version: String, catalog: Catalog, loader: Loader, tokens: TokenRegistry, origins: OriginFetcher,
        workers: RenderPool, streams: StreamLimiter, indexer: MetadataIndexer?, prefiller: TilePrefiller?,
        cluster: Cluster?, log: PostgresMetadataLog?, bucket: BucketRenditionTier?, traces: TraceExport?,
        acceptsEvents: Bool, figures: ServerStatistics, access: AccessControl
    ) {
        self.version = version
        self.catalog = catalog
        self.loader = loader
        self.tokens = tokens
        self.origins = origins
        self.workers = workers
        self.streams = streams
        self.indexer = indexer
        self.prefiller = prefiller
        self.cluster = cluster
        self.log = log
        self.bucket = bucket
        self.traces = traces
        self.acceptsEvents = acceptsEvents
        self.figures = figures
        self.access = access
    }

    /// The paths that supervisors request every second or so; they are not traced.
    static let monitoringPaths: Set<String> = ["/metrics", "/healthz", "/readyz"]

    func add(to router: inout Router) {
        router.get(
            "/api/v1/status", for: .view,
            answering { [self] request in try await JSONBody.response(to: request, await status(for: request)) })
        router.get("/metrics", for: .operate) { [self] request in
            Response(text: await metrics(), mediaType: MetricsText.mediaType).compressed(for: request)
        }
        router.get("/healthz", for: .everyone) { _, reply in reply.send(Response(text: "ok\n")) }
        router.get("/readyz", for: .everyone) { [self] _, reply in
            guard let reason = unreadiness else { return reply.send(Response(text: "ready\n")) }
            reply.send(Problem(.serviceUnavailable, detail: reason, headers: [.retryAfter: "5"]).response)
        }
    }

    /// Why the gallery is not ready; nil if it is.
    private var unreadiness: String? {
        if figures.isStopping { return "The server is stopping." }
        if let reason = workers.statistics.unavailability { return reason }
        if access.accounts?.isUpToDate == false { return Problem.accountsUnavailable.detail }
        if catalog.isRepairing { return "The index is being repaired." }
        return nil
    }

    private var uptime: Double {
        Double(DispatchTime.now().uptimeNanoseconds - started.uptimeNanoseconds) / 1e9
    }

    /// Users need not know where the owner stores the pictures: of a source's path only the last part is shown.
    static func publicText(_ problem: CatalogState.Problem) -> String {
        var problem = problem
        problem.source = problem.source.map { source in source.split(separator: "/").last.map(String.init) ?? source }
        return problem.description
    }

    /// Anybody who may see pictures gets the values that the page shows; only operators get the rest.
    private func status(for request: Request) async throws -> StatusBody {
        var body = status
        body.isForOperators = access.mayOperate(request)
        if let scope = request.scope {
            let order = try await catalog.order(of: .plain.within(scope))
            body.restrict(revision: order.revision, total: order.count)
        }
        return body
    }

    private var status: StatusBody {
        let state = catalog.state
        let tokens = tokens.statistics
        return StatusBody(
            version: version, uptime: uptime, revision: state.revision, total: state.total,
            isScanning: state.isScanning, defaultView: catalog.defaultView, indexing: indexer?.progress,
            prefilling: prefiller?.progress,
            problems: (state.problems.count, state.problems.first.map(Self.publicText)), unshown: state.unshown,
            sessions: tokens.sessions,
            figures: [
                ("tokens", tokens.readings), ("loading", loader.statistics.readings),
                ("origins", origins.statistics.readings), ("connections", figures.connections.readings),
                ("streams", streams.figures.readings), ("workers", workers.statistics.readings),
                ("tileBucket", bucket?.figures.readings), ("events", acceptsEvents ? catalog.eventReadings : nil),
            ], cluster: (cluster?.status).map(ClusterBody.init), database: (log?.status).map(DatabaseBody.init))
    }

    /// The metrics of each module that runs, by the module's prefix.
    private var readings: [(module: String, readings: [MetricReading])] {
        let always: [(String, [MetricReading])] = [
            ("token", tokens.statistics.readings), ("loading", loader.statistics.readings),
            ("origin", origins.statistics.readings), ("connection", figures.connections.readings),
            ("stream", streams.figures.readings), ("worker", workers.statistics.readings),
        ]
        let optional: [(String, [MetricReading]?)] = [
            ("cluster", cluster?.status.readings), ("database", log?.status.readings),
            ("event", acceptsEvents ? catalog.eventReadings : nil), ("tile_bucket", bucket?.figures.readings),
            ("trace", traces?.figures.readings),
        ]
        return always + optional.compactMap { module, readings in readings.map { (module, $0) } }
    }

    private func metrics() async -> String {
        var metrics = MetricsText()
        let state = catalog.state
        metrics.info("build_info", "1; the label says which version this is.", labels: ["version": version])
        if let process = ProcessReading() { metrics.process(process) }
        metrics.gauge("ready", "1 while the server can serve pictures, as /readyz says.", unreadiness == nil ? 1 : 0)
        metrics.gauge("images", "Images in the gallery.", state.total)
        metrics.gauge("scanning", "1 while a source is being scanned.", state.isScanning ? 1 : 0)
        if let time = state.readingTime {
            metrics.gauge("reading_seconds", "How long the last scan of the sources took.", time)
        }
        if let indexed = indexer?.progress {
            metrics.gauge("files_indexed", "Local files whose metadata is indexed.", indexed.done)
            metrics.gauge("files_to_index", "Local files, indexed or not.", indexed.total)
        }
        if let ahead = prefiller?.progress {
            metrics.gauge("tiles_ahead", "Images that the tile prefiller has passed.", ahead.done)
            metrics.gauge(
                "tiles_ahead_full", "1 if the tile prefiller has stopped because the tile cache is full.",
                ahead.isFull ? 1 : 0)
        }
        metrics.gauge(
            "source_problems", "Lines, files and links that the last scan skipped.",
            state.problems.count)
        metrics.gauge(
            "files_not_shown", "Files and objects that are not shown because of their kind, such as RAW or video.",
            state.unshown.total)
        metrics.gauge("sessions", "Open sessions.", tokens.statistics.sessions)
        for (module, readings) in readings { metrics.readings(of: module, readings) }
        metrics.requests(await figures.requests())
        metrics.callbacks(await figures.callbackTimes())
        return metrics.text
    }
}
