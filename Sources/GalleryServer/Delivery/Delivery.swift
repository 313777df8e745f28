import Glibc
import HTTPDates
import HTTPServer
import HTTPTypes
import Images
import Loading
import Renditions

/// Turns what the loader brought into the answer to one request.
struct Delivery: Sendable {
    let request: Request
    let rendition: Rendition
    /// The version that the URL names, if it names one.
    var asked: ContentVersion?
    /// What the picture is called, for the one who saves the original.
    var name: String?
    /// The token that the request bears, and what lets it be sent.
    var token: (token: Token, sending: any TokenSending)?

    func response(with content: LoadedContent) -> Response {
        switch content {
        case .bytes(let rendered): admitted(response(with: rendered))
        case .file(let file): admitted(response(with: file))
        case .growing(let original): admitted(response(with: original))
        }
    }

    private func response(with rendered: RenditionBytes) -> Response {
        var headers = headers(version: rendered.version, isStale: rendered.isStale)
        if rendered.isIncomplete { headers[.tesseraIncomplete] = "1" }
        return Representation(
            .bytes(rendered.bytes), mediaType: rendered.mediaType,
            entityTag: EntityTag(RenditionTag.text(of: rendered, rendition)),
            lastModified: rendered.modified.map { HTTPDate(seconds: $0) }, headers: headers
        ).response(to: request)
    }

    private func response(with file: OriginalFile) -> Response {
        let descriptor = dup(file.descriptor.number)
        guard descriptor >= 0 else { return Problem(.serviceUnavailable, headers: [.retryAfter: "1"]).response }
        return Representation(
            .file(FileRegion(descriptor: descriptor, length: file.length)), mediaType: mediaType(file.mediaType),
            entityTag: EntityTag(entityTag(of: file)),
            lastModified: file.modified.map { HTTPDate(seconds: $0) },
            headers: headers(version: file.version, isStale: file.isStale)
        ).response(to: request)
    }

    /// A pyramid is made anew once it was evicted, by a later version of the program perhaps: pieces of two that differ must
    /// not be put together.
    private func entityTag(of file: OriginalFile) -> String {
        rendition == .pyramid
            ? "\(file.version)-pyramid-\(String(file.length, radix: 36))" : file.version.description
    }

    /// An original still on its way has no ranges: it is sent from its first byte on. Conditions it can be asked for, as
    /// far as its name is known already.
    private func response(with original: GrowingOriginal) -> Response {
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
        return Response(headers: headers, body: .stream(GrowingBody(original), length: original.declaredLength))
    }

    /// What is not known to be a picture is not offered as one.
    private func mediaType(_ known: String?) -> String {
        known.flatMap { $0.hasPrefix("image/") || $0 == PyramidLayout.mediaType ? $0 : nil }
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

    /// For ever where the URL names just this content; otherwise each use is revalidated by the entity tag. What was
    /// had with a token is the token's alone.
    private func cacheControl(version: ContentVersion?, isStale: Bool) -> String {
        if token != nil { return "no-store" }
        return version != nil && version == asked && !isStale ? Self.forEver : Self.revalidated
    }

    static let forEver = "max-age=31536000, immutable"
    static let revalidated = "no-cache"

    /// The answer, gated by the token if there is one.
    private func admitted(_ response: Response) -> Response {
        guard let (token, sending) = token else { return response }
        var response = response
        // A cancel that comes before the answer's turn leaves the connection to the next request.
        response.instead = { sending.mayStillSend(token) ? nil : .dropped }
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
    /// On a rendition of a picture whose file ends before the picture does.
    static let tesseraIncomplete = Self("Tessera-Incomplete")!
}
