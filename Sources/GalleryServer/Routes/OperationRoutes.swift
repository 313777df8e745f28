import Catalog
import Cluster
import Dispatch
import FactsLog
import HTTPServer
import HTTPTypes
import Loading
import Origins
import RenderWorkers
import Renditions
import Traces

/// What an operator and a supervisor ask: status, metrics, health and readiness.
struct OperationRoutes {
    let version: String
    let catalog: Catalog
    let loader: Loader
    let tokens: TokenBook
    let origins: OriginFetcher
    let workers: RenderPool
    let streams: StreamCensus
    let examiner: Examiner?
    let ahead: TilesAhead?
    let cluster: Cluster?
    let log: PostgresFactsLog?
    let bucket: BucketRenditionTier?
    let traces: TraceExport?
    /// Whether stores may tell of their objects.
    let hearsEvents: Bool
    let figures: ServerFigures
    private let started = DispatchTime.now()

    init(
        version: String, catalog: Catalog, loader: Loader, tokens: TokenBook, origins: OriginFetcher,
        workers: RenderPool, streams: StreamCensus, examiner: Examiner?, ahead: TilesAhead?,
        cluster: Cluster?, log: PostgresFactsLog?, bucket: BucketRenditionTier?, traces: TraceExport?,
        hearsEvents: Bool, figures: ServerFigures
    ) {
        self.version = version
        self.catalog = catalog
        self.loader = loader
        self.tokens = tokens
        self.origins = origins
        self.workers = workers
        self.streams = streams
        self.examiner = examiner
        self.ahead = ahead
        self.cluster = cluster
        self.log = log
        self.bucket = bucket
        self.traces = traces
        self.hearsEvents = hearsEvents
        self.figures = figures
    }

    /// Those that supervisors ask every second or so.
    static let askedByMachines: Set<String> = ["/metrics", "/healthz", "/readyz"]

    func add(to router: inout Router) {
        router.get("/api/v1/status") { [self] request in try await JSONBody.response(to: request, status) }
        router.get("/metrics") { [self] _ in
            Response(text: await metrics(), mediaType: MetricsText.mediaType)
        }
        router.get("/healthz") { _, reply in reply.send(Response(text: "ok\n")) }
        router.get("/readyz") { [self] _, reply in
            guard let reason = unreadiness else { return reply.send(Response(text: "ready\n")) }
            reply.send(Problem(.serviceUnavailable, detail: reason, headers: [.retryAfter: "5"]).response)
        }
    }

    /// What keeps the gallery from answering as it should, if anything does.
    private var unreadiness: String? {
        if figures.isStopping { return "The server is stopping." }
        if !workers.statistics.isAvailable { return "No render worker can be started." }
        if catalog.isHealing { return "The index of the pictures is being repaired." }
        return nil
    }

    private var uptime: Double {
        Double(DispatchTime.now().uptimeNanoseconds - started.uptimeNanoseconds) / 1e9
    }

    /// Where the owner keeps the pictures is not for everybody who looks at them: of a source's path, its last part.
    static func publicText(_ problem: CatalogState.Problem) -> String {
        var problem = problem
        problem.source = problem.source.map { source in source.split(separator: "/").last.map(String.init) ?? source }
        return problem.description
    }

    private var status: StatusBody {
        let state = catalog.state
        let loading = loader.statistics
        let origins = origins.statistics
        let tokens = tokens.statistics
        return StatusBody(
            version: version, uptime: uptime, revision: Int(clamping: state.revision), total: state.total,
            scanning: state.isScanning, examined: examiner?.progress, tilesAhead: ahead?.progress,
            problems: .init(count: state.problems.count, first: state.problems.first.map(Self.publicText)),
            sessions: tokens.sessions,
            tokens: [
                "issued": tokens.issued, "live": tokens.live, "delivered": tokens.delivered,
                "cancelled": tokens.cancelled, "failed": tokens.failed,
            ],
            loading: [
                "waiting": loading.waiting, "jobs": loading.jobs, "fetches": loading.fetches,
                "fetchesBegun": loading.fetchesBegun, "rendersBegun": loading.rendersBegun,
                "rendersOfRenditions": loading.rendersOfRenditions, "pyramidsKept": loading.pyramidsKept,
                "glimpsesBegun": loading.glimpsesBegun,
                "failures": loading.failures, "memoryHits": loading.memoryHits,
                "memoryMisses": loading.memoryMisses, "memoryBytes": loading.memoryBytes,
                "diskHits": loading.diskHits, "refused": loading.refused,
                "sharedHits": loading.sharedHits, "wishes": loading.wishes,
                "rememberedFailures": loading.rememberedFailures,
                "rememberedHarmful": loading.rememberedHarmful,
            ],
            origins: [
                "fetches": origins.fetches, "waiting": origins.waiting, "inFlight": origins.inFlight,
                "attempts": origins.attempts, "retries": origins.retries, "finished": origins.finished,
                "notModified": origins.notModified, "failed": origins.failed, "aborted": origins.aborted,
                "bytes": Int(origins.bytes), "connections": origins.connections,
                "suspended": origins.suspendedOrigins,
            ],
            connections: figures.named, streams: streams.figures.named, workers: workers.statistics.named,
            cluster: cluster.map { ClusterBody($0.status) }, database: log.map { DatabaseBody($0.status) },
            tileBucket: bucket?.figures.named, events: hearsEvents ? catalog.hintFigures : nil)
    }

    private func metrics() async -> String {
        var metrics = MetricsText()
        let status = status
        metrics.gauge("images", "Images in the gallery.", status.total)
        metrics.gauge("scanning", "1 while a source is being read.", status.scanning ? 1 : 0)
        if let time = catalog.state.readingTime {
            metrics.gauge("reading_seconds", "How long what had changed in the sources was read last.", time)
        }
        if let examined = status.examined {
            metrics.gauge("files_examined", "Files of folders that have been looked into.", examined.done)
            metrics.gauge("files_to_examine", "Files of folders, looked into or not.", examined.total)
        }
        if let ahead = status.tilesAhead {
            metrics.gauge("tiles_ahead", "Images that the making of tiles ahead has come past.", ahead.done)
            metrics.gauge(
                "tiles_ahead_full", "1 where it has ended early, for the cache of tiles is full.", ahead.isFull ? 1 : 0)
        }
        metrics.gauge(
            "source_problems", "Lines, files and links that were passed over when the sources were read last.",
            status.problems.count)
        metrics.gauge("sessions", "Open sessions.", status.sessions)
        metrics.figures(of: "token", status.tokens, gauges: ["live"])
        metrics.figures(
            of: "loading", status.loading,
            gauges: ["waiting", "jobs", "fetches", "memoryBytes", "rememberedFailures", "rememberedHarmful"])
        metrics.figures(of: "origin", status.origins, gauges: ["waiting", "inFlight", "suspended"])
        metrics.figures(of: "connection", status.connections, gauges: ["open", "clients"])
        metrics.figures(of: "stream", status.streams, gauges: ["open"])
        metrics.figures(
            of: "worker", status.workers,
            gauges: ["alive", "working", "waiting", "memoryBytes", "filesConfined", "callsConfined"])
        if let cluster = status.cluster {
            metrics.figures(
                of: "cluster", cluster.figures,
                gauges: [
                    "connected", "hearing", "full", "nodes", "turnsHeld", "waiting", "tokensLent", "tokensBorrowed",
                ])
        }
        if let database = status.database {
            metrics.figures(of: "database", database.figures, gauges: ["connected", "current", "untold"])
        }
        if let events = status.events { metrics.figures(of: "event", events, gauges: []) }
        if let bucket = status.tileBucket { metrics.figures(of: "tile_bucket", bucket, gauges: []) }
        if let traces { metrics.figures(of: "trace", traces.figures.named, gauges: []) }
        metrics.histogram(
            "loop_turn_seconds", "How long each piece of work kept its event loop.", await figures.turnTimes())
        return metrics.text
    }
}

extension BucketRenditionTier.Figures {
    fileprivate var named: [String: Int] {
        ["found": found, "notFound": notFound, "failed": failed, "kept": kept, "notKept": notKept]
    }
}

extension BatchExporter.Figures {
    fileprivate var named: [String: Int] { ["spansExported": exported, "spansDropped": dropped] }
}

extension ServerFigures {
    fileprivate var named: [String: Int] {
        let (open, clients, refused) = connections
        return ["open": open, "clients": clients, "refused": refused]
    }
}

extension WorkerStatistics {
    fileprivate var named: [String: Int] {
        [
            "alive": alive, "working": working, "waiting": waiting, "memoryBytes": Int(clamping: memory),
            "started": started, "failedStarts": failedStarts, "left": left, "deaths": deaths, "kills": kills,
            "deadlines": deadlines, "recycled": recycled, "refusals": refusals,
            "filesConfined": confinement?.files == true ? 1 : 0, "callsConfined": confinement?.calls == true ? 1 : 0,
        ]
    }
}
