import Encodings
import HTTPTypes

/// Serves the files of a folder from memory.
///
/// A file whose name ends in `.br` is the Brotli form of the file next to it, and is not served by itself. Pages
/// (`.html`) are compressed with Brotli here, all other text only with gzip. A folder's path with a trailing slash
/// serves its `index.html`.
///
/// Paths are looked up among the loaded files, so path traversal is impossible.
public struct StaticFiles: Responder {
    /// How files are served.
    public struct Configuration: Sendable {
        /// The most bytes of all files together.
        public var limit = 64 << 20
        /// The `Cache-Control` field by path. With `no-cache` clients store a file and revalidate it before each use.
        public var cacheControl: @Sendable (_ path: String) -> String = { _ in "no-cache" }
        /// Fields of every response. For a page they have to allow its inline styles and scripts.
        public var headers: @Sendable (_ inline: InlineSources) -> HTTPFields = { _ in [:] }
        /// Completes a page before it is compressed and served.
        public var completePage: @Sendable (_ page: [UInt8]) -> [UInt8] = { $0 }
        /// A value that changes when `completePage` would complete pages differently; see ``ReloadingFiles``.
        public var pageState: @Sendable () -> String = { "" }

        public init() {}
    }

    private let files: [String: StaticFile]

    /// Loads the folder at `path`. Blocks. Later changes on disk have no effect; see ``ReloadingFiles``.
    ///
    /// - Throws: ``StaticFilesError``.
    public init(folder path: String, configuration: Configuration = Configuration()) throws {
        let contents = try Folder.read(path, limit: configuration.limit)
        var files: [String: StaticFile] = [:]
        for (name, bytes) in contents where !(name.hasSuffix(".br") && contents[String(name.dropLast(3))] != nil) {
            let isPage = name.hasSuffix(".html")
            let bytes = isPage ? configuration.completePage(bytes) : bytes
            let file = try StaticFile(
                name, bytes, brotli: contents[name + ".br"] ?? (isPage ? Brotli.compress(bytes) : nil),
                headers: configuration.headers(InlineSources(page: isPage ? bytes : [])),
                cacheControl: configuration.cacheControl(name))
            files[name] = file
            if name.hasSuffix("/index.html") { files[String(name.dropLast("index.html".count))] = file }
        }
        self.files = files
    }

    /// The served paths, sorted.
    public var paths: [String] { files.keys.sorted() }

    func has(_ path: String) -> Bool { files[path] != nil }

    public func respond(to request: Request, reply: Reply) {
        guard let path = PercentEncoding.decode(request.path.utf8), let file = files[path] else {
            reply.send(Problem(.notFound).response)
            return
        }
        guard request.method == .get || request.method == .head else {
            let allow: HTTPFields = [.allow: "GET, HEAD, OPTIONS"]
            reply.send(
                request.method == .options
                    ? Response(status: .noContent, headers: allow)
                    : Problem(.methodNotAllowed, headers: allow).response)
            return
        }
        let variant = file.variant(for: request)
        switch ConditionalRequest(request).evaluate(entityTag: variant.entityTag, lastModified: nil) {
        case .proceed: reply.send(.prepared(variant.head, body: .bytes(variant.bytes)))
        case .notModified: reply.send(.prepared(variant.notModified, body: .empty))
        case .preconditionFailed: reply.send(Problem(.preconditionFailed).response)
        }
    }
}
