import ArgumentParser
import Catalog
import DemoOrigin
import Foundation

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
    func run() async throws {}
}
