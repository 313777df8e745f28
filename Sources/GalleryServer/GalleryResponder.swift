import Accounts
import Catalog
import Clients
import Cluster
import MetadataLog
import HTTPServer
import HTTPTypes
import Loading
import Logging
import Origins
import RenderWorkers

/// Responds to all requests: the API, the pictures and the browser front.
struct GalleryResponder: Responder {
    private let responder: any Responder
    /// For the other nodes: answers their requests about this node's sessions, and serves tokens forwarded to this
    /// node.
    let sessionOwner: SessionOwner
    let forwarded: ForwardedTokens
    /// All routes but the front's files, each with the rule for who may use it.
    let routes: [Router.Entry]

    /// - Throws: An error if the front's folder cannot be read, or if an allowed origin is malformed.
    init(
        configuration: Gallery.Configuration, library: GalleryLibrary, catalog: Catalog, loader: Loader,
        tokens: TokenRegistry,
        forwarding: any SessionForwarding, origins: OriginFetcher, workers: RenderPool, streams: StreamLimiter,
        indexer: MetadataIndexer?, prefiller: TilePrefiller?, cluster: Cluster?, log: PostgresMetadataLog?,
        bucket: BucketRenditionTier?, traces: TraceExport?, figures: ServerStatistics, logger: Logger
    ) throws {
        let crossOrigin = CrossOriginPolicy(
            try configuration.allowedOrigins.map { try WebOrigin($0, of: "--allow-origin") })
        let embedders = try configuration.embedders.map { try WebOrigin($0, of: "--embed") }
        let cookies = SessionCookies(secret: library.secret, basePath: configuration.http.basePath)
        let links = library.required.map(SignedLinks.init)
        let access = AccessControl(
            accounts: library.required, links: links, forwardAuth: configuration.forwardAuth, crossOrigin: crossOrigin,
            cookies: cookies)
        let pace = ViewportRateLimiter()
        let admit: Router.Admission = { request, rule throws(Problem) in
            let admitted = try access.admit(request, rule)
            // Only that route knows whose link a picture's URL carries.
            if rule != .picture { pace.note(admitted.client) }
            return admitted
        }
        var router = Router(logger: logger, admission: admit)
        router.tracer = traces?.tracer
        router.untraced = OperationRoutes.monitoringPaths
        let workQueue = FairWorkQueue()
        sessionOwner = SessionOwner(catalog: catalog, tokens: tokens, workQueue: workQueue)
        forwarded = ForwardedTokens(loader: loader, forwarding: forwarding)
        let paths = RenditionPath(basePath: configuration.http.basePath, ids: library.ids, links: links)
        ImagesRoutes(catalog: catalog, workQueue: workQueue, paths: paths).add(to: &router)
        ViewsRoutes(catalog: catalog, workQueue: workQueue, paths: paths).add(to: &router)
        TokensRoutes(
            catalog: catalog, tokens: tokens, workQueue: workQueue, paths: paths, forwarding: forwarding
        ).add(to: &router)
        RenditionRoute(
            catalog: catalog, loader: loader, tokens: tokens, forwarded: forwarded, paths: paths, access: access,
            pace: pace
        ).add(to: &router)
        StreamRoute(
            services: StreamServices(
                catalog: catalog, loader: loader, tokens: tokens, limiter: streams, ids: library.ids,
                workQueue: workQueue,
                pace: pace, accountStreams: library.required.map(AccountStreams.init)),
            origins: crossOrigin
        ).add(to: &router)
        let secret = configuration.eventsSecret.flatMap(SharedSecret.init)
        EventsRoute(catalog: catalog, cluster: cluster, secret: secret, workQueue: workQueue, logger: logger).add(
            to: &router)
        OperationRoutes(
            version: configuration.version, catalog: catalog, loader: loader, tokens: tokens, origins: origins,
            workers: workers, streams: streams, indexer: indexer, prefiller: prefiller, cluster: cluster,
            log: log, bucket: bucket, traces: traces, acceptsEvents: secret != nil, figures: figures,
            access: access
        ).add(to: &router)
        let openID = library.required.flatMap { accounts in
            configuration.openID.map {
                OpenIDSignIn($0, accounts: accounts, fetching: ProviderAccess(origins: origins), logger: logger)
            }
        }
        AccountRoutes(accounts: library.required, cookies: cookies, access: access, openID: openID).add(to: &router)
        OpenIDRoutes(
            openID: openID, cookies: cookies, crossOrigin: crossOrigin, basePath: configuration.http.basePath
        ).add(to: &router)
        PasskeyRoutes(accounts: library.required, cookies: cookies, crossOrigin: crossOrigin).add(to: &router)
        PeopleRoutes(accounts: library.required).add(to: &router)
        SharesRoutes(accounts: library.required, cookies: cookies, catalog: catalog, ids: paths.ids).add(to: &router)
        var files = StaticFiles.Configuration()
        files.headers = { SecurityHeaders.page(inline: $0, embedders: embedders) }
        files.pageState = { catalog.defaultView.description }
        files.completePage = { PageTables.complete($0, defaultView: catalog.defaultView) }
        routes = router.table
        router.redirectToBasePath(configuration.http.basePath, for: .everyone)
        router.fallback = try ReloadingFiles(
            folder: configuration.publicFolder, configuration: files, logger: logger)
        responder = HostGuard(
            policy: HostPolicy(listeningOn: configuration.http.host, allowed: configuration.allowedHosts),
            inner: CrossOriginAccess(
                policy: crossOrigin,
                inner: CredentialCatchUp(
                    access: access,
                    inner: SharePaths(
                        accounts: library.required, cookies: cookies, basePath: configuration.http.basePath,
                        inner: router))))
    }

    func respondImmediately(to request: PlainRequest, from client: ClientAddress) -> ImmediateResponse? {
        responder.respondImmediately(to: request, from: client)
    }

    func respond(to request: Request, reply: Reply) {
        responder.respond(to: request, reply: reply)
    }
}
