import Glibc
import HTTPServer
import HTTPTypes
import Images
import Loading
import Redaction
import Renditions
import Time

/// Turns what the loader returned into the response to one request.
struct Delivery: Sendable {
    let request: Request
    let rendition: Rendition
    /// The version in the URL, if there is one.
    var asked: ContentVersion?
    /// The picture's name, for saving the original.
    var name: String?
    /// Whether caches that several people share must not keep the response.
    var isPrivate = false
    /// The request's token, and the object that decides whether it may still be sent.
    var token: (token: Token, sending: any TokenSending)?

    func response(with content: LoadedContent) -> Response {
        switch content {
        case .bytes(let rendered): admitted(response(with: rendered))
        case .file(let file): admitted(response(with: file))
        case .partial(let original): admitted(response(with: original))
        }
    }

    private func response(with rendered: RenditionBytes) -> Response {
        var headers = headers(version: rendered.version, isStale: rendered.isStale)
        if rendered.isIncomplete { headers[.tesseraIncomplete] = "1" }
        return Representation(
            .bytes(rendered.bytes), mediaType: rendered.mediaType,
            entityTag: EntityTag(of: rendered),
            lastModified: rendered.modified.map { HTTPDate(seconds: $0) }, headers: headers
        ).response(to: request)
    }

    /// The original without its metadata. It has its own entity tag, so clients never combine its ranges with the original's.
    func response(with original: RedactedOriginal) -> Response {
        admitted(response(with: original.file, redaction: original))
    }

    private func response(with file: OriginalFile, redaction: RedactedOriginal? = nil) -> Response {
        let descriptor = dup(file.descriptor.number)
        guard descriptor >= 0 else { return Problem(.serviceUnavailable, headers: [.retryAfter: "1"]).response }
        var headers = headers(version: file.version, isStale: file.isStale)
        // Browsers draw it only if they know that it is compressed.
        if file.mediaType == ImageMetadata.compressedDrawing { headers[.contentEncoding] = "gzip" }
        return Representation(
            .file(
                FileRegion(
                    descriptor: descriptor, length: file.length, group: file.folder ?? -1,
                    edit: redaction?.edit)),
            mediaType: mediaType(file.mediaType),
            entityTag: EntityTag(
                entityTag(of: file) + (redaction.map { "-keeps-\($0.keeping.rawValue)-\(Redactor.revision)" } ?? "")),
            lastModified: file.modified.map { HTTPDate(seconds: $0) },
            headers: headers
        ).response(to: request)
    }

    /// The tag includes the length, because an evicted pyramid is generated again, perhaps by a later version of the
    /// program: ranges of two different files must not be combined.
    private func entityTag(of file: OriginalFile) -> String {
        rendition == .pyramid
            ? "\(file.version)-pyramid-\(String(file.length, radix: 36))" : file.version.description
    }

    /// An original that is still arriving supports no ranges: it is sent from its first byte. Conditional requests
    /// work if its version is already known.
    private func response(with original: PartialOriginal) -> Response {
        var headers = headers(version: original.version, isStale: false)
        let tag = original.version.flatMap { EntityTag("\($0)") }
        headers[.eTag] = tag?.description
        switch ConditionalRequest(request).evaluate(entityTag: tag, lastModified: nil) {
        case .proceed: break
        case .notModified:
            original.close()
            return Response(status: .notModified, headers: headers)
        case .preconditionFailed:
            original.close()
            return Problem(.preconditionFailed).response
        }
        headers[.contentType] = mediaType(original.mediaType)
        return Response(headers: headers, body: .stream(PartialOriginalBody(original), length: original.declaredLength))
    }

    /// Content that isn't known to be an image is not labelled as one.
    private func mediaType(_ known: String?) -> String {
        if known == ImageMetadata.compressedDrawing { return ImageMetadata.drawing }
        return known.flatMap { $0.hasPrefix("image/") || $0 == PyramidLayout.mediaType ? $0 : nil }
            ?? "application/octet-stream"
    }

    private func headers(version: ContentVersion?, isStale: Bool) -> HTTPFields {
        var headers = SecurityHeaders.picture
        headers[.cacheControl] = cacheControl(version: version, isStale: isStale)
        if rendition == .original {
            headers[.contentDisposition] = name.map(ContentDisposition.inline)
        } else if !rendition.isFile {
            headers[.vary] = "Accept"
        }
        return headers
    }

    /// Immutable if the URL names exactly this version; otherwise each use is revalidated by the entity tag. A
    /// response to a token is not cached.
    private func cacheControl(version: ContentVersion?, isStale: Bool) -> String {
        if token != nil { return "no-store" }
        // A browser's cache does not know who is signed in; with a link, the URL does.
        let isForReader = isPrivate && rendition.isFile && request.query.values(of: "r").isEmpty
        let isNamed = version != nil && version == asked && !isStale && !isForReader
        return Self.cacheControl(isNamed: isNamed, isPrivate: isPrivate)
    }

    /// - Parameter isNamed: Whether the URL names the version of the response.
    static func cacheControl(isNamed: Bool, isPrivate: Bool) -> String {
        (isPrivate ? "private, " : "") + (isNamed ? "max-age=31536000, immutable" : "no-cache")
    }

    /// The response, gated by the token if there is one.
    private func admitted(_ response: Response) -> Response {
        guard let (token, sending) = token else { return response }
        var response = response
        // A cancel that arrives before the response is written leaves the connection usable for the next request.
        response.instead = { sending.mayContinue(token) ? nil : .dropped }
        switch response.body {
        case .empty:
            response.instead = nil
            sending.finish(token, .delivered)
        case .bytes(let bytes):
            response.body = .stream(
                TokenBody(BytesBody(bytes), token: token, tokens: sending), length: Int64(bytes.count))
        case .file(let region):
            response.body = .stream(TokenBody(FileStream(region), token: token, tokens: sending), length: region.length)
        case .stream(let stream, let length):
            response.body = .stream(TokenBody(stream, token: token, tokens: sending), length: length)
        }
        return response
    }
}

extension HTTPField.Name {
    /// Set on a rendition of a picture whose file is truncated.
    static let tesseraIncomplete = Self("Tessera-Incomplete")!
}
