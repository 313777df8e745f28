import Accounts
import ArgumentParser
import Catalog
import Foundation
import GalleryServer
import HTTPServer
import Loading
import Logging
import Origins
import Redis
import RenderWorkers
import Renditions
import Traces

/// The options shared by all commands that run a gallery. Nil means "not on the command line"; then the environment
/// decides, and then the default.
struct ServerOptions: ParsableArguments {
    @Option(help: "The address to listen on. (TESSERA_HOST; 127.0.0.1, reachable from this machine only)")
    var host: String?

    @Option(help: "The port to listen on; 0 picks a free one. (TESSERA_PORT; 8080)")
    var port: UInt16?

    @Option(help: "Where the index and the caches are kept. (TESSERA_DATA; a folder in the user's cache)")
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The file of the accounts. Back it up: it cannot be rebuilt. (TESSERA_LIBRARY; library.sqlite in --data, or in the user's data folder; not with --database)",
            valueName: "file"))
    var library: String?

    @Flag(
        help:
            "Let everybody who reaches the port see everything, without accounts. (TESSERA_OPEN=1; on loopback, until there is an owner)"
    )
    var open = false

    @Flag(help: "Require people to sign in on loopback, too. (TESSERA_ACCOUNTS=1)")
    var accounts = false

    @Option(
        help: ArgumentHelp(
            "Leave out files and folders, or bucket keys, that match this pattern, in the syntax of .gitignore and relative to each source. Repeatable. (TESSERA_EXCLUDE)",
            valueName: "pattern"))
    var exclude: [String] = []

    @Option(
        name: .customLong("allow-address"),
        help: ArgumentHelp(
            "Allow fetching from origins at these addresses; loopback and private ones are refused by default. Repeatable. (TESSERA_ALLOW_ADDRESS)",
            valueName: "cidr"))
    var allowAddress: [String] = []

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Also accept this host name when listening on loopback, where only localhost is accepted by default. Repeatable. (TESSERA_ALLOW_HOST)",
            valueName: "name"))
    var allowHost: [String] = []

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "Allow pages of this web origin to use the API (CORS). Repeatable. (TESSERA_ALLOW_ORIGIN)",
            valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "Allow pages of this web origin to show the gallery in a frame. Repeatable. (TESSERA_EMBED)",
            valueName: "origin"))
    var embed: [String] = []

    @Option(
        name: .customLong("trusted-proxy"),
        help: ArgumentHelp(
            "Trust X-Forwarded-For from a reverse proxy at these addresses. Repeatable. (TESSERA_TRUSTED_PROXY)",
            valueName: "cidr"))
    var trustedProxy: [String] = []

    @Option(
        name: .customLong("client-connections"),
        help: "The maximum number of open connections per client address. (TESSERA_CLIENT_CONNECTIONS; 2500)")
    var clientConnections: Int?

    @Option(
        name: .customLong("client-streams"),
        help: "The maximum number of open pages per client. (TESSERA_CLIENT_STREAMS; 250)")
    var clientStreams: Int?

    @Option(
        name: .customLong("memory-cache"),
        help: ArgumentHelp(
            "The size of the memory cache for renditions. (TESSERA_MEMORY_CACHE; 48MiB)", valueName: "bytes"))
    var memoryCache: ByteCount?

    @Option(
        name: .customLong("tile-cache"),
        help: ArgumentHelp("The size of the disk cache for renditions. (TESSERA_TILE_CACHE; 2GiB)", valueName: "bytes"))
    var tileCache: ByteCount?

    @Option(
        name: .customLong("original-cache"),
        help: ArgumentHelp(
            "The size of the disk cache for fetched originals. (TESSERA_ORIGINAL_CACHE; 4GiB)", valueName: "bytes"))
    var originalCache: ByteCount?

    @Option(
        help: ArgumentHelp(
            "The minimum interval in seconds between rescans of sources that cannot be watched. (TESSERA_RESCAN; 60)",
            valueName: "seconds"))
    var rescan: Seconds?

    @Option(
        help: ArgumentHelp(
            "The Redis or Valkey that coordinates the nodes of one gallery: redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], rediss:// for TLS, redis-sentinel:// or unix://. (TESSERA_REDIS; none: a single node)",
            valueName: "url"))
    var redis: String?

    @OptionGroup
    var database: DatabaseOption

    @OptionGroup
    var forwardAuth: ForwardAuthOptions

    @OptionGroup
    var openID: OpenIDOptions

    @OptionGroup
    var originLimits: OriginLimitOptions

    @OptionGroup
    var originHeaders: OriginHeaderOptions

    @Option(help: "The number of render workers. (TESSERA_WORKERS; one for each core)")
    var workers: Int?

    @Option(
        name: .customLong("worker-memory"),
        help: ArgumentHelp("The memory limit of one worker. (TESSERA_WORKER_MEMORY; 512MiB)", valueName: "bytes"))
    var workerMemory: ByteCount?

    @Flag(
        name: .customLong("allow-unconfined"),
        help: "Decode even if the workers cannot be sandboxed (seccomp). (TESSERA_ALLOW_UNCONFINED=1)")
    var allowUnconfined = false

    @Flag(
        name: .customLong("no-examine"),
        help: "Do not index metadata in the background. (TESSERA_NO_EXAMINE=1)")
    var noExamine = false

    @Flag(
        name: .customLong("no-name-dates"),
        help: "Do not take dates from the names of images without any other. (TESSERA_NO_NAME_DATES=1)")
    var noNameDates = false

    @Flag(
        name: .customLong("no-tiles-ahead"),
        help: "Do not prefill tiles in the background. (TESSERA_NO_TILES_AHEAD=1)")
    var noTilesAhead = false

    @Option(
        name: .customLong("public"),
        help: ArgumentHelp(
            "The browser front, built or plain modules. (TESSERA_PUBLIC; found beside the program)", valueName: "dir"))
    var publicFolder: String?

    @Option(
        name: .customLong("base-path"),
        help: ArgumentHelp(
            "The path prefix under which a proxy serves the gallery, such as /gallery. (TESSERA_BASE_PATH)",
            valueName: "path"))
    var basePath: String?

    @Option(
        name: .customLong("log-level"),
        help: "The log level: trace, debug, info, notice, warning, error. (TESSERA_LOG_LEVEL; notice)")
    var logLevel: Logger.Level?

    @Option(
        name: .customLong("log-format"),
        help: "How log events are written: logfmt (key=value) or json. (TESSERA_LOG_FORMAT; logfmt)")
    var logFormat: LogFormat?

    @Flag(
        name: .customLong("access-log"),
        help: "Log every request, including the client's address. (TESSERA_ACCESS_LOG=1)")
    var accessLog = false
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

extension ServerOptions {
    /// Call once, before creating the first logger.
    func startLog() throws {
        LogOutput.start(
            level: try logLevel ?? Environment.value("log-level") ?? .notice,
            format: try logFormat ?? Environment.value("log-format") ?? .logfmt)
    }

    /// The data folder given by the user, if any.
    func namedData() throws -> String? {
        try data ?? Environment.value("data")
    }

    /// - Parameter standardData: The data folder to use if none is given.
    func configuration(standardData: @autoclosure () -> String) throws -> Gallery.Configuration {
        var configuration = Gallery.Configuration(
            dataFolder: try namedData() ?? standardData(),
            publicFolder: try PublicFolder.find(named: publicFolder ?? Environment.value("public")))
        configuration.version = Release.version
        if try accessLog || Environment.value("access-log") == 1 {
            configuration.accessLog = Logger(label: LogOutput.accessLabel)
        }
        configuration.http.host = try host ?? Environment.value("host") ?? "127.0.0.1"
        if let path = try basePath ?? Environment.value("base-path") {
            configuration.http.basePath = path.hasSuffix("/") ? String(path.dropLast()) : path
            guard !Gallery.Configuration.ownPaths.contains(where: { configuration.http.basePath.hasPrefix("/" + $0) })
            else {
                throw ValidationError(
                    "--base-path is “\(path)”, but Tessera's own paths begin like that. Choose another.")
            }
            do throws(ServerError) { try configuration.http.validate() } catch {
                throw ValidationError("--base-path is “\(path)”, but must be a path such as /gallery.")
            }
        }
        if let text: String = try Environment.value("secret") {
            guard text.utf8.count >= 16 else { throw ValidationError("TESSERA_SECRET needs at least 16 bytes.") }
            configuration.sharedSecret = InstallationSecret(text: text)
        }
        configuration.http.port = try port ?? Environment.value("port") ?? 8080
        configuration.origins.allowedAddresses = allowAddress + Environment.values("allow-address")
        try originLimits.apply(to: &configuration.origins)
        try originHeaders.apply(to: &configuration.origins)
        do {
            try configuration.origins.validate()
        } catch let error as Origins.Configuration.Invalid {
            throw ValidationError("--allow-address: \(error.problem).")
        }
        do {
            configuration.catalog.excluded = try SkipPatterns(exclude + Environment.values("exclude"))
        } catch {
            throw ValidationError("--exclude: \(error).")
        }
        configuration.allowedHosts = allowHost + Environment.values("allow-host")
        configuration.allowedOrigins = allowOrigin + Environment.values("allow-origin")
        configuration.embedders = embed + Environment.values("embed")
        try apply(to: &configuration.http, streams: &configuration.maximumStreamsPerClient)
        configuration.trustedProxies = trustedProxy + Environment.values("trusted-proxy")
        configuration.openID = try openID.value(ownerGroups: forwardAuth.allOwnerGroups)
        configuration.forwardAuth = try forwardAuth.value(hasProvider: configuration.openID != nil)
        guard configuration.forwardAuth == nil || !configuration.trustedProxies.isEmpty else {
            throw ValidationError(
                "--forward-auth needs --trusted-proxy; otherwise any client could impersonate anyone.")
        }
        configuration.access = try access(on: configuration)
        configuration.indexesMetadata = try !(noExamine || Environment.value("no-examine") == 1)
        configuration.catalog.datesFromNames = try !(noNameDates || Environment.value("no-name-dates") == 1)
        configuration.prefillsTiles = try !(noTilesAhead || Environment.value("no-tiles-ahead") == 1)
        if let interval = try rescan ?? Environment.value("rescan") {
            guard interval.duration >= .seconds(1) else { throw ValidationError("--rescan must be 1 or more.") }
            configuration.catalog.rescanInterval = interval.duration
        }
        if let budget = try memoryCache ?? Environment.value("memory-cache") {
            configuration.loading.memoryBytes = budget.bytes
        }
        if let budget = try tileCache ?? Environment.value("tile-cache") {
            configuration.loading.tileBytes = Int64(budget.bytes)
            configuration.loading.pyramidBytes = Int64(budget.bytes / 4)
        }
        if let budget = try originalCache ?? Environment.value("original-cache") {
            configuration.loading.originalBytes = Int64(budget.bytes)
        }
        if let text = try redis ?? Environment.value("redis") {
            do {
                let address = try RedisAddress(text)
                try address.checkFiles()
                configuration.redis = address
            } catch {
                throw ValidationError("--redis: \(error).")
            }
        }
        if let address = try database.address() {
            configuration.database = address
            guard try namedLibrary() == nil else {
                throw ValidationError(
                    "Use either --library or --database, not both: with --database, the accounts are in the database.")
            }
        }
        do throws(Traces.Configuration.Invalid) {
            configuration.traces = try Traces.Configuration(environment: ProcessInfo.processInfo.environment)
        } catch {
            throw ValidationError("\(error)")
        }
        try apply(to: &configuration.rendering)
        return configuration
    }

    private func access(on configuration: Gallery.Configuration) throws -> Gallery.Configuration.Access {
        let isOpen = try open || Environment.value("open") == 1
        let needsAccounts = try needsAccounts()
        guard !isOpen || !needsAccounts else { throw ValidationError("Use either --open or --accounts, not both.") }
        guard !isOpen || configuration.forwardAuth == nil else {
            throw ValidationError("Use either --open or --forward-auth, not both.")
        }
        guard !isOpen || configuration.openID == nil else {
            throw ValidationError("Use either --open or --oidc-issuer, not both.")
        }
        if isOpen { return .everybody }
        if needsAccounts || configuration.openID != nil { return .accounts }
        // Behind a proxy on this machine, others reach the gallery, too.
        let isForOthers = !configuration.trustedProxies.isEmpty || !configuration.allowedHosts.isEmpty
        return configuration.isForThisMachine && !isForOthers ? .openUntilOwner : .accounts
    }

    /// Whether the user asks for accounts.
    func needsAccounts() throws -> Bool { try accounts || Environment.value("accounts") == 1 }

    /// The library given by the user, if any.
    func namedLibrary() throws -> String? { try library ?? Environment.value("library") }

    /// Which limits of one client were set explicitly, and so are not fitted to the machine.
    func namedClientLimits() throws -> NamedClientLimits {
        NamedClientLimits(
            connections: try clientConnections != nil || (Environment.value("client-connections") as Int?) != nil,
            streams: try clientStreams != nil || (Environment.value("client-streams") as Int?) != nil)
    }

    private func apply(to http: inout HTTPServer.Configuration, streams: inout Int) throws {
        if let connections = try clientConnections ?? Environment.value("client-connections") {
            guard connections > 0 else { throw ValidationError("--client-connections must be 1 or more.") }
            http.maximumConnectionsPerClient = connections
        }
        if let open = try clientStreams ?? Environment.value("client-streams") {
            guard open > 0 else { throw ValidationError("--client-streams must be 1 or more.") }
            streams = open
        }
    }

    private func apply(to rendering: inout RenderPool.Configuration) throws {
        rendering.permits =
            try workers ?? Environment.value("workers") ?? max(2, ProcessInfo.processInfo.processorCount)
        if let memory = try workerMemory ?? Environment.value("worker-memory") {
            rendering.limits.memory = Int64(memory.bytes)
        }
        rendering.allowsUnconfined = try allowUnconfined || Environment.value("allow-unconfined") == 1
        if let seconds: Int = try Environment.value("render-deadline") {
            rendering.deadlines.tile = .seconds(seconds)
            rendering.deadlines.screen = .seconds(2 * seconds)
            rendering.deadlines.metadata = .seconds(seconds)
        }
        do {
            try rendering.validate()
        } catch {
            throw ValidationError(
                error.field == "permits"
                    ? "--workers: say 1 to 256." : "--worker-memory must be 128MiB or more.")
        }
    }
}
