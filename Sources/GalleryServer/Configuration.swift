public import Accounts
public import Catalog
public import HTTPServer
public import Loading
public import Logging
public import Origins
public import Postgres
public import Redis
public import RenderWorkers
public import Traces

extension Gallery {
    /// How a gallery is served: the settings of each module, and the server's own.
    public struct Configuration: Sendable {
        /// How the paths begin that the server answers itself. A base path like them could not be told apart from them.
        public static let ownPaths = ["api", "assets", "healthz", "icons", "images", "metrics", "readyz"]

        /// The settings of the HTTP server itself.
        public var http = HTTPServer.Configuration()
        /// The settings of the catalog, with the data folder.
        public var catalog: Catalog.Configuration
        /// The settings of loads and caches.
        public var loading: Loader.Configuration
        /// The settings of fetches from origins and object stores.
        public var origins = Origins.Configuration()
        /// The settings of the worker pool.
        public var rendering = RenderPool.Configuration()
        /// The Redis server that coordinates several nodes of this gallery; nil for a single node.
        public var redis: RedisAddress?
        /// The PostgreSQL server in which several nodes of this gallery share metadata and accounts; nil for none.
        public var database: PostgresAddress?
        /// The URL, with a slash at its end, below which renditions are also stored in an object store; nil for none.
        public var tileBucket: String?
        /// The secret that object stores need to post events; nil if events are not accepted.
        public var eventsSecret: String?
        /// Where the spans of requests and loads are sent; nil for nowhere.
        public var traces: Traces.Configuration?
        /// The file of accounts, and of the secret that keys ids; created if it does not exist. Nil for none: then ids
        /// are not keyed. With a ``database`` it is not used; a warning is
        /// logged if it has accounts and the database has no owner.
        public var library: String?
        /// Who may see the gallery.
        public var access = Access.everybody
        /// The secret that keys ids on all nodes of a gallery; nil for that of the library.
        public var sharedSecret: InstallationSecret?
        /// Logs each request; nil for no access log.
        public var accessLog: Logger?
        /// The folder with the files of the browser front.
        public var publicFolder: String
        /// Host names that the server answers to in addition to its own while it listens on loopback.
        public var allowedHosts: [String] = []
        /// Web origins whose pages may use the API (the Fetch standard's CORS protocol): `https://example.org`.
        public var allowedOrigins: [String] = []
        /// Web origins whose pages may show the gallery in a frame: `https://example.org`.
        public var embedders: [String] = []
        /// Reverse proxies that are trusted to name the client of a request (`X-Forwarded-For`): addresses, or networks
        /// in CIDR notation. For all other peers the client is the peer itself.
        public var trustedProxies: [String] = []

        /// How a proxy tells whom it has signed in; nil if none does.
        public var forwardAuth: ForwardAuth?
        /// The OpenID provider that signs people in; nil if none does.
        public var openID: OpenIDSettings?
        /// The most open viewport streams; one more is asked to try again later.
        public var maximumStreams = 1_000
        /// The most open viewport streams of one client.
        public var maximumStreamsPerClient = 250
        /// Whether the metadata of local files is indexed in the background.
        public var indexesMetadata = true
        /// Whether tiles of local files are prefilled in the background. Has an effect only with ``indexesMetadata``.
        public var prefillsTiles = true
        /// The version of the program.
        public var version = "0"

        /// Who may see a gallery.
        public enum Access: Sendable {
            /// Everybody who reaches the port.
            case everybody
            /// Everybody, until there is an owner; from then on, those who sign in.
            case openUntilOwner
            /// Those who sign in. Until there is an owner, nobody.
            case accounts
        }

        /// Whether the gallery can be reached from this machine only. Blocks while looking up a name.
        public var isForThisMachine: Bool { HostPolicy.reachesOnlyThisMachine(http.host) }

        /// Whether several nodes serve the gallery.
        public var isCluster: Bool { redis != nil || database != nil }

        /// - Parameters:
        ///   - dataFolder: the folder of the index and the caches; created if it does not exist.
        ///   - publicFolder: the folder with the files of the browser front.
        public init(dataFolder: String, publicFolder: String) {
            catalog = Catalog.Configuration(dataFolder: dataFolder)
            loading = Loader.Configuration()
            loading.directory = dataFolder + "/cache"
            self.publicFolder = publicFolder
        }

        /// Whether the text is long enough for a secret, and can be sent in a header field unchanged.
        public static func isEventsSecret(_ text: String) -> Bool { SharedSecret(text) != nil }

        /// The settings of the HTTP server, with those that follow from other modules.
        var serving: HTTPServer.Configuration {
            var serving = http
            // The server gives up on the origin of an original before it gives up on a client that has shut down its
            // sending side and waits for it.
            let rest = max(origins.firstByteTimeout, origins.lowSpeedWindow)
            serving.halfCloseTimeout = max(serving.halfCloseTimeout, min(rest + .seconds(5), .seconds(86_399)))
            return serving
        }
    }
}
