import HTTPTypes

/// The files of a folder, loaded once, compressed once, and served from memory.
///
/// Paths are looked up among those that were found, so there is nothing to traverse. `index.html` answers for its
/// folder's path with a slash at the end. Changes on disk are not seen.
public struct StaticFiles: Responder {
    /// One coding of a file.
    private struct Variant: Sendable {
        let bytes: [UInt8]
        let entityTag: EntityTag
        let head: PreparedHead
        let notModified: PreparedHead
    }

    private struct Entry: Sendable {
        let plain: Variant
        let compressed: Variant?
    }

    private var entries: [String: Entry] = [:]

    /// Loads the folder at `path`, at most `limit` bytes of it. Blocks; throws ``StaticFilesError``.
    ///
    /// `cacheControl` is given each file's path and returns its `Cache-Control`. `no-cache` lets clients keep a file
    /// and ask each time whether it is still the same.
    public init(
        folder path: String, limit: Int = 64 << 20, headers: HTTPFields = [:],
        cacheControl: (String) -> String = { _ in "no-cache" }
    ) throws {
        for (name, bytes) in try Folder.read(path, limit: limit) {
            let entry = try Self.entry(name, bytes, headers, cacheControl(name))
            entries[name] = entry
            if name.hasSuffix("/index.html") { entries[String(name.dropLast("index.html".count))] = entry }
        }
    }

    /// The paths that are served, sorted.
    public var paths: [String] { entries.keys.sorted() }

    private static func entry(
        _ name: String, _ bytes: [UInt8], _ headers: HTTPFields, _ cacheControl: String
    ) throws(ResponseError) -> Entry {
        let (type, isCompressible) = MediaTypes.of(name)
        var common = headers
        common[.cacheControl] = cacheControl
        common[.xContentTypeOptions] = "nosniff"
        if isCompressible { common[.vary] = "Accept-Encoding" }
        let plain = try variant(bytes, of: bytes, type: type, coding: nil, common)
        guard isCompressible, let compressed = Gzip.compress(bytes, .utmost) else {
            return Entry(plain: plain, compressed: nil)
        }
        return Entry(
            plain: plain,
            compressed: try variant(compressed, of: bytes, type: type, coding: "gzip", common))
    }

    private static func variant(
        _ bytes: [UInt8], of plain: [UInt8], type: String, coding: String?, _ common: HTTPFields
    ) throws(ResponseError) -> Variant {
        let entityTag = EntityTag(digestOf: plain, coding: coding)
        var headers = common
        headers[.eTag] = entityTag.description
        let notModified = try PreparedHead(status: .notModified, headers: headers)
        headers[.contentType] = type
        headers[.contentEncoding] = coding
        return Variant(
            bytes: bytes, entityTag: entityTag, head: try PreparedHead(headers: headers), notModified: notModified)
    }

    public func respond(to request: Request, reply: Reply) {
        guard let path = PercentEncoding.decode(request.path.utf8), let entry = entries[path] else {
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
        let isCompressed = AcceptEncoding.prefers("gzip", in: request.headers[.acceptEncoding])
        let variant = isCompressed ? entry.compressed ?? entry.plain : entry.plain
        switch ConditionalRequest(request).evaluate(entityTag: variant.entityTag, lastModified: nil) {
        case .proceed: reply.send(.prepared(variant.head, body: .bytes(variant.bytes)))
        case .notModified: reply.send(.prepared(variant.notModified, body: .empty))
        case .preconditionFailed: reply.send(Problem(.preconditionFailed).response)
        }
    }
}
