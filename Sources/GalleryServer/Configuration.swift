public import Catalog
public import HTTPServer
public import Loading
public import Origins
public import Postgres
public import Redis
public import RenderWorkers
public import Traces

extension Gallery {
    /// How a gallery is served: the settings of each room below, and the server's own.
    public struct Configuration: Sendable {
        public var http = HTTPServer.Configuration()
        public var catalog: Catalog.Configuration
        public var loading: Loader.Configuration
        public var origins = Origins.Configuration()
        public var rendering = RenderPool.Configuration()
        /// The Redis by which several nodes of this gallery agree; nil for a node by itself.
        public var redis: RedisAddress?
        /// The PostgreSQL in which several nodes of this gallery share what they learn of pictures; nil for none.
        public var database: PostgresAddress?
        /// The URL, with a slash at its end, beneath which renditions are kept in the object store, too; nil for nowhere.
        public var tileBucket: String?
        /// What stores have to know that tell of their objects; nil where nobody may.
        public var eventsSecret: String?
        /// Where spans of requests and loads are sent; nil for nowhere.
        public var traces: Traces.Configuration?
        /// The folder of the browser front.
        public var publicFolder: String
        /// Names that are answered to although the server listens on loopback.
        public var allowedHosts: [String] = []
        /// Web origins whose pages may use the API (the Fetch standard's CORS protocol): `https://example.org`.
        public var allowedOrigins: [String] = []
        /// Reverse proxies that are believed when they say for whom they ask (`X-Forwarded-For`): addresses, or networks
        /// in CIDR notation. Everybody else asks for itself.
        public var trustedProxies: [String] = []
        /// Viewport streams at once; one more is told to come back later.
        public var maximumStreams = 1_000
        /// The same for one client.
        public var maximumStreamsPerClient = 250
        /// Whether files of folders are looked into before anybody asks for their pictures.
        public var examinesFiles = true
        /// Whether tiles of folders are made before anybody asks for them. Only where files are looked into, too.
        public var makesTilesAhead = true
        /// Streams cancel nothing and re-order nothing when the viewport changes. For the benchmark of what that saves, and
        /// for nothing else.
        public var keepsCancelled = false
        /// What the program calls itself.
        public var version = "0"

        /// - Parameter dataFolder: where the index and the caches are kept; made when it does not exist.
        public init(dataFolder: String, publicFolder: String) {
            catalog = Catalog.Configuration(dataFolder: dataFolder)
            loading = Loader.Configuration()
            loading.directory = dataFolder + "/cache"
            self.publicFolder = publicFolder
        }

        /// Whether it is long enough for a secret, and can be sent as it is.
        public static func isEventsSecret(_ text: String) -> Bool { SharedSecret(text) != nil }

        /// How the server is run: with what follows for it from the rooms below.
        var serving: HTTPServer.Configuration {
            var serving = http
            // Who has asked for an original and finished sending is not given up before its origin is.
            let rest = max(origins.firstByteTimeout, origins.lowSpeedWindow)
            serving.halfCloseTimeout = max(serving.halfCloseTimeout, min(rest + .seconds(5), .seconds(86_399)))
            return serving
        }
    }
}
