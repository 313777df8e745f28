import HTTPTypes

/// Files that are served from memory, compressed once.
///
/// Paths are looked up among those that are there, so there is nothing to traverse.
public struct StaticFiles: Responder {
    private let files: [String: StaticFile]

    /// - Parameter files: By the paths they are served at, each beginning with `/`.
    init(_ files: [String: StaticFile]) { self.files = files }

    /// Loads the folder at `path`, at most `limit` bytes of it. Blocks; throws ``StaticFilesError``. `index.html`
    /// answers for its folder's path with a slash at the end. Changes on disk are not seen.
    ///
    /// `cacheControl` is given each file's path and returns its `Cache-Control`. `no-cache` lets clients keep a file
    /// and ask each time whether it is still the same.
    public init(
        folder path: String, limit: Int = 64 << 20, headers: HTTPFields = [:],
        cacheControl: (String) -> String = { _ in "no-cache" }
    ) throws {
        var files: [String: StaticFile] = [:]
        for (name, bytes) in try Folder.read(path, limit: limit) {
            let file = try StaticFile(
                name, bytes, headers: headers, cacheControl: cacheControl(name), brotli: nil)
            files[name] = file
            if name.hasSuffix("/index.html") { files[String(name.dropLast("index.html".count))] = file }
        }
        self.init(files)
    }

    /// The paths that are served, sorted.
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
