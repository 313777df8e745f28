import ArgumentParser
import Catalog
import DemoOrigin
import Foundation
import GalleryServer
import Logging
import Origins

/// `tessera demo`: a gallery of numbered pictures drawn by an origin in the same program, as slow and as unreliable
/// as asked for, fetched the way any remote picture is.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a gallery of numbered pictures from a slow, unreliable origin of the program's own.")

    @Option(help: "How many pictures. (TESSERA_COUNT; 10000)")
    var count: Int?

    @Option(help: ArgumentHelp("How long the origin thinks. (TESSERA_LATENCY; 200)", valueName: "milliseconds"))
    var latency: Double?

    @Option(help: ArgumentHelp("How far the latency varies, either way. (TESSERA_JITTER; 0.5)", valueName: "share"))
    var jitter: Double?

    @Option(help: ArgumentHelp("How many requests fail. (TESSERA_FAIL; 0.02)", valueName: "share"))
    var fail: Double?

    @Option(help: ArgumentHelp("How many requests are never answered. (TESSERA_HANG; 0.001)", valueName: "share"))
    var hang: Double?

    @Option(help: "Another seed, other luck. (TESSERA_SEED; 1)")
    var seed: UInt64?

    @OptionGroup var server: ServerOptions
}

extension Demo {
    /// The name by which the gallery fetches from the demo's origin. Nobody else has it (RFC 2606 §2).
    private static let host = "demo.invalid"

    func run() async throws {
        LogOutput.start(level: try server.resolvedLogLevel())
        let count = try count ?? Environment.value("count") ?? 10_000
        let logger = Logger(label: "tessera.demo")
        // A demo starts cold each time, unless a data folder is named.
        let temporary = try server.namedData() == nil ? DataFolder.temporary() : nil
        defer { if let temporary { try? FileManager.default.removeItem(atPath: temporary) } }
        var configuration = try server.configuration(standardData: temporary ?? "")
        // The workers encode what the origin draws, and render it for the gallery.
        let workers = try RendererProgram.pool(configuration.rendering)
        let drawn = try originConfiguration()
        configuration.catalog.templateSize = { [seed = drawn.seed] _, index in
            DemoOrigin.size(ofPicture: index, seed: seed)
        }
        let origin = try DemoOrigin(configuration: drawn, encoder: workers, logger: logger)
        configuration.origins.allowedAddresses.append("127.0.0.1/32")
        // Pictures are known by their URLs: with the port of this run in them, a restart would make others of them all.
        let address = try await origin.start()
        logger.notice("The demo's origin is at http://\(address)")
        configuration.origins.routes["\(Self.host):80"] = address
        let sources = [Source.template(try URLTemplate("http://\(Self.host)\(DemoOrigin.pathTemplate)", count: count))]
        try await GalleryRun(
            configuration: configuration, sources: sources, workers: workers, named: server.namedClientLimits()
        ).untilTold()
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
