import ArgumentParser
import Catalog
import Foundation
import GalleryServer
import HTTPServer
import Loading
import Logging
import Origins
import Postgres
import Redis
import RenderWorkers
import Renditions
import Traces

/// The options that every command that runs a gallery shares. A plain optional here means "not on the command line";
/// the environment and then the default decide.
struct ServerOptions: ParsableArguments {
    @Option(help: "The address to listen on. (TESSERA_HOST; 127.0.0.1, so that only this machine can look)")
    var host: String?

    @Option(help: "The port to listen on; 0 picks a free one. (TESSERA_PORT; 8080)")
    var port: UInt16?

    @Option(help: "Where the index and the caches are kept. (TESSERA_DATA; a folder in the user's cache)")
    var data: String?

    @Option(
        name: .customLong("allow-address"),
        help: ArgumentHelp(
            "Let origins on these addresses be fetched; loopback and private ones are refused otherwise. Repeatable. (TESSERA_ALLOW_ADDRESS)",
            valueName: "cidr"))
    var allowAddress: [String] = []

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Answer to this name too while listening on loopback, where only localhost is answered otherwise. Repeatable. (TESSERA_ALLOW_HOST)",
            valueName: "name"))
    var allowHost: [String] = []

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "Let pages of this web origin use the API (CORS). Repeatable. (TESSERA_ALLOW_ORIGIN)",
            valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        name: .customLong("trusted-proxy"),
        help: ArgumentHelp(
            "Believe a reverse proxy on these addresses when it says for whom it asks (X-Forwarded-For). Repeatable. (TESSERA_TRUSTED_PROXY)",
            valueName: "cidr"))
    var trustedProxy: [String] = []

    @Option(
        name: .customLong("client-connections"),
        help: "Open connections of one client. (TESSERA_CLIENT_CONNECTIONS; 2500)")
    var clientConnections: Int?

    @Option(
        name: .customLong("client-streams"),
        help: "Open pages of one client. (TESSERA_CLIENT_STREAMS; 250)")
    var clientStreams: Int?

    @Option(
        name: .customLong("memory-cache"),
        help: ArgumentHelp("Memory for encoded renditions. (TESSERA_MEMORY_CACHE; 48MiB)", valueName: "bytes"))
    var memoryCache: ByteCount?

    @Option(
        name: .customLong("tile-cache"),
        help: ArgumentHelp("Disk for encoded renditions. (TESSERA_TILE_CACHE; 2GiB)", valueName: "bytes"))
    var tileCache: ByteCount?

    @Option(
        name: .customLong("original-cache"),
        help: ArgumentHelp("Disk for fetched originals. (TESSERA_ORIGINAL_CACHE; 4GiB)", valueName: "bytes"))
    var originalCache: ByteCount?

    @Option(
        help: ArgumentHelp(
            "Where changes are not seen when they happen: how often sources are read again, at most. (TESSERA_RESCAN; 60)",
            valueName: "seconds"))
    var rescan: Seconds?

    @Option(
        help: ArgumentHelp(
            "The Redis or Valkey by which several nodes of one gallery agree: redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]. (TESSERA_REDIS; none, a node by itself)",
            valueName: "url"))
    var redis: String?

    @Option(
        help: ArgumentHelp(
            "The PostgreSQL in which several nodes of one gallery share what they learn of pictures: postgres://USER:PASSWORD@HOST[:PORT]/DATABASE[?sslmode=…]. (TESSERA_DATABASE; none)",
            valueName: "url"))
    var database: String?

    @OptionGroup
    var originLimits: OriginLimitOptions

    @Option(help: "Pictures that are decoded at once, each by a worker. (TESSERA_WORKERS; one for each core)")
    var workers: Int?

    @Option(
        name: .customLong("worker-memory"),
        help: ArgumentHelp("Memory that one worker may use. (TESSERA_WORKER_MEMORY; 512MiB)", valueName: "bytes"))
    var workerMemory: ByteCount?

    @Flag(
        name: .customLong("allow-unconfined"),
        help: "Decode although the kernel cannot lock the workers in (seccomp). (TESSERA_ALLOW_UNCONFINED=1)")
    var allowUnconfined = false

    @Flag(
        name: .customLong("no-examine"),
        help: "Look into a file only when its picture is asked for. (TESSERA_NO_EXAMINE=1)")
    var noExamine = false

    @Flag(
        name: .customLong("no-tiles-ahead"),
        help: "Make a tile only when it is asked for. (TESSERA_NO_TILES_AHEAD=1)")
    var noTilesAhead = false

    @Option(
        name: .customLong("public"),
        help: ArgumentHelp(
            "The folder of the browser front. (TESSERA_PUBLIC; found beside the program)", valueName: "dir"))
    var publicFolder: String?

    @Flag(
        name: .customLong("keep-cancelled"),
        help: ArgumentHelp("Streams cancel nothing. (TESSERA_KEEP_CANCELLED)", visibility: .private))
    var keepCancelled = false

    @Option(
        name: .customLong("log-level"),
        help: "How much is logged: trace, debug, info, notice, warning, error. (TESSERA_LOG_LEVEL; notice)")
    var logLevel: Logger.Level?
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

extension ServerOptions {
    func resolvedLogLevel() throws -> Logger.Level {
        try logLevel ?? Environment.value("log-level") ?? .notice
    }

    /// The data folder that was named, if one was.
    func namedData() throws -> String? {
        try data ?? Environment.value("data")
    }

    /// - Parameter standardData: the data folder to use when none is named.
    func configuration(standardData: @autoclosure () -> String) throws -> Gallery.Configuration {
        var configuration = Gallery.Configuration(
            dataFolder: try namedData() ?? standardData(),
            publicFolder: try PublicFolder.find(named: publicFolder ?? Environment.value("public")))
        configuration.version = Release.version
        configuration.http.host = try host ?? Environment.value("host") ?? "127.0.0.1"
        configuration.http.port = try port ?? Environment.value("port") ?? 8080
        configuration.origins.allowedAddresses = allowAddress + Environment.values("allow-address")
        try originLimits.apply(to: &configuration.origins)
        do {
            try configuration.origins.validate()
        } catch let error as Origins.Configuration.Invalid {
            throw ValidationError("--allow-address: \(error.problem).")
        }
        configuration.allowedHosts = allowHost + Environment.values("allow-host")
        configuration.allowedOrigins = allowOrigin + Environment.values("allow-origin")
        try apply(to: &configuration.http, streams: &configuration.maximumStreamsPerClient)
        configuration.trustedProxies = trustedProxy + Environment.values("trusted-proxy")
        configuration.examinesFiles = try !(noExamine || Environment.value("no-examine") == 1)
        configuration.makesTilesAhead = try !(noTilesAhead || Environment.value("no-tiles-ahead") == 1)
        configuration.keepsCancelled = try keepCancelled || Environment.value("keep-cancelled") == 1
        if let interval = try rescan ?? Environment.value("rescan") {
            guard interval.duration >= .seconds(1) else { throw ValidationError("--rescan: say 1 or more.") }
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
                configuration.redis = try RedisAddress(text)
            } catch {
                throw ValidationError("--redis: \(error).")
            }
        }
        if let text = try database ?? Environment.value("database") {
            do {
                configuration.database = try PostgresAddress(text)
            } catch {
                throw ValidationError("--database: \(error).")
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

    /// Which bounds of one client were named, and so are not to be fitted to the machine.
    func namedClientLimits() throws -> NamedClientLimits {
        NamedClientLimits(
            connections: try clientConnections != nil || (Environment.value("client-connections") as Int?) != nil,
            streams: try clientStreams != nil || (Environment.value("client-streams") as Int?) != nil)
    }

    private func apply(to http: inout HTTPServer.Configuration, streams: inout Int) throws {
        if let connections = try clientConnections ?? Environment.value("client-connections") {
            guard connections > 0 else { throw ValidationError("--client-connections: say 1 or more.") }
            http.maximumConnectionsPerClient = connections
        }
        if let open = try clientStreams ?? Environment.value("client-streams") {
            guard open > 0 else { throw ValidationError("--client-streams: say 1 or more.") }
            streams = open
        }
    }

    private func apply(to rendering: inout RenderPool.Configuration) throws {
        rendering.places = try workers ?? Environment.value("workers") ?? max(2, ProcessInfo.processInfo.processorCount)
        if let memory = try workerMemory ?? Environment.value("worker-memory") {
            rendering.limits.memory = Int64(memory.bytes)
        }
        rendering.allowsUnconfined = try allowUnconfined || Environment.value("allow-unconfined") == 1
        if let seconds: Int = try Environment.value("render-deadline") {
            rendering.deadlines.tile = .seconds(seconds)
            rendering.deadlines.screen = .seconds(2 * seconds)
            rendering.deadlines.examination = .seconds(seconds)
        }
        do {
            try rendering.validate()
        } catch {
            throw ValidationError(
                error.field == "places"
                    ? "--workers: say 1 to 256." : "--worker-memory: say 128MiB or more.")
        }
    }
}
