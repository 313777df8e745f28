import Catalog
import Clients
import Cluster
import FactsLog
import HTTPServer
import HTTPTypes
import Loading
import Logging
import Origins
import RenderWorkers

/// Everything this server answers: the API, the pictures, and the front.
struct GalleryResponder: Responder {
    private let responder: any Responder
    private let pace = ViewportPace()
    private let time = SystemTime()
    /// For the other nodes: what they ask of this one's sessions, and what is lent by them.
    let host: SessionHost
    let borrowed: BorrowedTokens

    /// - Throws: when the front's folder cannot be read, or an allowed origin is none.
    init(
        configuration: Gallery.Configuration, catalog: Catalog, loader: Loader, tokens: TokenBook,
        relay: any SessionRelaying, origins: OriginFetcher, workers: RenderPool, streams: StreamCensus,
        examiner: Examiner?, ahead: TilesAhead?, cluster: Cluster?, log: PostgresFactsLog?,
        bucket: BucketRenditionTier?, traces: TraceExport?, figures: ServerFigures, logger: Logger
    ) throws {
        let crossOrigin = try CrossOriginPolicy(configuration.allowedOrigins)
        var router = Router(logger: logger)
        router.tracer = traces?.tracer
        router.untraced = OperationRoutes.askedByMachines
        let turns = WorkTurns()
        host = SessionHost(catalog: catalog, tokens: tokens, turns: turns)
        borrowed = BorrowedTokens(loader: loader, relay: relay)
        ImagesRoutes(catalog: catalog, turns: turns).add(to: &router)
        ViewsRoutes(catalog: catalog, turns: turns).add(to: &router)
        TokensRoutes(catalog: catalog, tokens: tokens, turns: turns, relay: relay).add(to: &router)
        RenditionRoute(catalog: catalog, loader: loader, tokens: tokens, borrowed: borrowed).add(to: &router)
        StreamRoute(
            services: StreamServices(
                catalog: catalog, loader: loader, tokens: tokens, census: streams, pace: pace,
                keepsCancelled: configuration.keepsCancelled),
            origins: crossOrigin
        ).add(to: &router)
        let secret = configuration.eventsSecret.flatMap(SharedSecret.init)
        EventsRoute(catalog: catalog, cluster: cluster, secret: secret, turns: turns, logger: logger).add(to: &router)
        OperationRoutes(
            version: configuration.version, catalog: catalog, loader: loader, tokens: tokens, origins: origins,
            workers: workers, streams: streams, examiner: examiner, ahead: ahead, cluster: cluster,
            log: log, bucket: bucket, traces: traces, hearsEvents: secret != nil, figures: figures
        ).add(to: &router)
        var page = AssembledFiles.Configuration(headers: SecurityHeaders.page)
        page.scripts = ["/service-worker.js"]
        router.fallback = try AssembledFiles(folder: configuration.publicFolder, configuration: page, logger: logger)
        responder = HostGuard(
            policy: HostPolicy(listeningOn: configuration.http.host, allowed: configuration.allowedHosts),
            inner: CrossOriginAccess(policy: crossOrigin, inner: router))
    }

    func answerOnTheSpot(to request: PlainRequest, from client: Client) -> AnswerOnTheSpot? {
        guard let answer = responder.answerOnTheSpot(to: request, from: client) else { return nil }
        pace.note(client, now: time.uptime().inSeconds)
        return answer
    }

    func respond(to request: Request, reply: Reply) {
        pace.note(request.client, now: time.uptime().inSeconds)
        responder.respond(to: request, reply: reply)
    }
}
