import ArgumentParser
import Catalog
import DemoOrigin
import Foundation
import GalleryServer
import Logging
import Origins

/// `tessera demo`: a gallery of numbered pictures that an origin in the same program draws, with the requested
/// latency and faults. The gallery fetches them like any remote pictures.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a gallery of numbered pictures from a slow, unreliable built-in origin.")

    @Option(help: "How many pictures. (TESSERA_COUNT; 10000)")
    var count: Int?

    @Option(
        help: ArgumentHelp(
            "The origin's mean latency in milliseconds. (TESSERA_LATENCY; 200)", valueName: "milliseconds"))
    var latency: Double?

    @Option(
        help: ArgumentHelp("How much the latency varies, as a share of it. (TESSERA_JITTER; 0.5)", valueName: "share"))
    var jitter: Double?

    @Option(help: ArgumentHelp("The share of requests that fail. (TESSERA_FAIL; 0.02)", valueName: "share"))
    var fail: Double?

    @Option(
        help: ArgumentHelp("The share of requests that are never answered. (TESSERA_HANG; 0.001)", valueName: "share"))
    var hang: Double?

    @Option(help: "The random seed. (TESSERA_SEED; 1)")
    var seed: UInt64?

    @OptionGroup var server: ServerOptions
}

extension Demo {
    /// The host name of the demo's origin, which nobody else can have (RFC 2606 §2).
    private static let host = "demo.invalid"

    func run() async throws {
        try server.startLog()
        let count = try count ?? Environment.value("count") ?? 10_000
        let logger = Logger(label: "tessera.demo")
        // A demo starts with an empty cache each time, unless a data folder is named.
        let temporary = try server.namedData() == nil ? DataFolder.temporary() : nil
        defer { if let temporary { try? FileManager.default.removeItem(atPath: temporary) } }
        var configuration = try server.configuration(standardData: temporary ?? "")
        if try server.needsAccounts() {
            configuration.library = try server.namedLibrary() ?? configuration.catalog.dataFolder + "/library.sqlite"
        } else {
            // Drawn pictures are nobody's secret, and have the same addresses after every start.
            configuration.access = .everybody
        }
        // The workers encode what the origin draws, and also render it for the gallery.
        let workers = try RendererProgram.pool(configuration.rendering)
        let drawn = try originConfiguration()
        configuration.catalog.templateSize = { [seed = drawn.seed] _, index in
            DemoOrigin.size(ofPicture: index, seed: seed)
        }
        let origin = try DemoOrigin(configuration: drawn, encoder: workers, logger: logger)
        configuration.origins.allowedAddresses.append("127.0.0.1/32")
        // URLs identify pictures: if they contained this run's port, all pictures would be new after a restart.
        let address = try await origin.start()
        logger.notice("The demo's origin is at http://\(address)")
        configuration.origins.routes["\(Self.host):80"] = address
        let sources = [Source.template(try URLTemplate("http://\(Self.host)\(DemoOrigin.pathTemplate)", count: count))]
        try await GalleryRun(
            configuration: configuration, sources: sources, workers: workers, named: server.namedClientLimits()
        ).runUntilSignal()
        await origin.stop()
    }

    private func originConfiguration() throws -> DemoOrigin.Configuration {
        var configuration = DemoOrigin.Configuration()
        configuration.seed = try seed ?? Environment.value("seed") ?? 1
        configuration.conditions = DemoOrigin.Conditions(
            latency: try latency ?? Environment.value("latency") ?? 200,
            jitter: try jitter ?? Environment.value("jitter") ?? 0.5,
            fail: try fail ?? Environment.value("fail") ?? 0.02,
            hang: try hang ?? Environment.value("hang") ?? 0.001)
        return configuration
    }
}
