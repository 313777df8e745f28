import ArgumentParser
import Catalog
import GalleryServer
import Origins

/// `tessera serve SOURCE…`: a gallery of the user's own pictures.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a gallery of folders, lists of image URLs, URL templates, or buckets.",
        discussion: """
            A SOURCE is a folder (read with all its subfolders), a file of URLs (.txt, .csv, .tsv, .jsonl), a URL \
            with {index} in it, together with --count, or a bucket of an S3-compatible store:

              tessera serve ~/Pictures
              tessera serve catalogue.csv
              tessera serve 'https://picsum.photos/seed/{index}/800/600' --count 1000000
              tessera serve s3://photos/2024 --endpoint https://minio.example
            """)

    @Argument(
        help: ArgumentHelp(
            "A folder, a file of URLs, a URL template, or s3://bucket/prefix. (TESSERA_SOURCE)", valueName: "source"))
    var sources: [String] = []

    @Option(help: "How many pictures a URL template has. (TESSERA_COUNT)")
    var count: Int?

    @Option(help: "The number in the first URL of a URL template. (TESSERA_FIRST; 0)")
    var first: Int?

    @OptionGroup var store: ObjectStoreOptions

    @OptionGroup var server: ServerOptions

    func run() async throws {
        try server.startLog()
        let words = sources.isEmpty ? Environment.values("source") : sources
        guard !words.isEmpty else {
            throw ValidationError(
                "Name a SOURCE: a folder, a file of URLs, a URL template with --count, or s3://bucket.")
        }
        let count = try count ?? Environment.value("count")
        let first = try first ?? Environment.value("first") ?? 0
        let sources = try Source.parse(words, count: count, first: first, store: store.store())
        var configuration = try server.configuration(standardData: DataFolder.standard(for: words))
        configuration.library =
            try server.namedLibrary()
            ?? (server.namedData().map { $0 + "/library.sqlite" }
                ?? DataFolder.standardLibrary(for: words, createsFolder: configuration.database == nil))
        let tiles = try store.tileBucket()
        configuration.tileBucket = tiles?.folder
        configuration.eventsSecret = try store.secretOfEvents()
        configuration.origins.objectStore = try store.signing(of: sources, tiles)
        let workers = try RendererProgram.pool(configuration.rendering)
        try await GalleryRun(
            configuration: configuration, sources: sources, workers: workers, named: server.namedClientLimits()
        ).runUntilSignal()
    }
}
