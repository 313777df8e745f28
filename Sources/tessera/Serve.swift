import ArgumentParser
import Catalog
import GalleryServer

/// `tessera serve SOURCE…`: a gallery of the user's own pictures.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a gallery of folders, lists of image URLs, or URL templates.",
        discussion: """
            A SOURCE is a folder (read with all its subfolders), a file of URLs (.txt, .csv, .jsonl), or a URL with \
            {index} in it, together with --count:

              tessera serve ~/Pictures
              tessera serve catalogue.csv
              tessera serve 'https://picsum.photos/seed/{index}/800/600' --count 1000000
            """)

    @Argument(help: ArgumentHelp("A folder, a file of URLs, or a URL template. (TESSERA_SOURCE)", valueName: "source"))
    var sources: [String] = []

    @Option(help: "How many pictures a URL template has. (TESSERA_COUNT)")
    var count: Int?

    @OptionGroup var server: ServerOptions

    func run() async throws {
        LogOutput.start(level: try server.resolvedLogLevel())
        let words = sources.isEmpty ? Environment.values("source") : sources
        guard !words.isEmpty else {
            throw ValidationError("Name a SOURCE: a folder, a file of URLs, or a URL template with --count.")
        }
        let count = try count ?? Environment.value("count")
        let sources = try Source.parse(words, count: count)
        let configuration = try server.configuration(standardData: DataFolder.standard(for: words))
        let workers = try RendererProgram.pool(configuration.rendering)
        try await GalleryRun(
            configuration: configuration, sources: sources, workers: workers, named: server.namedClientLimits()
        ).untilTold()
    }
}
