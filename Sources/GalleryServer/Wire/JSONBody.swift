import Encodings
import HTTPServer
import HTTPTypes

/// Reads and writes JSON off the event loops, with errors that name the field.
enum JSONBody {
    /// A handler's task prefers its loop, and so would a `@concurrent` function called from it (SE-0417).
    private static func offLoop<Result: Sendable>(_ work: @Sendable () throws -> Result) async throws -> Result {
        try await withTaskExecutorPreference(globalConcurrentExecutor) { try work() }
    }

    /// - Throws: A `Problem` with status 400 that names the missing or wrong field.
    static func decode<Body: JSONReadable & Sendable>(_ type: Body.Type, from bytes: [UInt8]) async throws -> Body {
        do {
            return try await offLoop { try Body(JSONField(bytes)) }
        } catch let error as JSONFieldError {
            guard !error.field.isEmpty else {
                throw Problem(
                    .badRequest, title: "The body is not valid JSON", detail: "Send one JSON object in UTF-8.")
            }
            throw Problem.badField(error.field, "\(error.rule).")
        }
    }
}

extension JSONBody {
    /// For a response to a read, which must be revalidated. Caches that several people share must not keep what is for one.
    static func cacheControl(of request: Request) -> String {
        request.requester == nil ? "no-cache" : "private, no-cache"
    }

    /// A response that must be revalidated before each reuse, since the next request may change it. The response to a
    /// read has an entity tag for that; the response to a write is never cached. Compressed if the client accepts it.
    /// Compression is safe although the response may contain tokens: no page of another origin can put text of its
    /// choice beside them, so the compressed length reveals nothing about them.
    ///
    /// Written on the concurrent pool, because a page of 500 images would occupy a loop for too long.
    static func response(
        to request: Request, _ body: some JSONWritable, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let isRead = request.method == .get || request.method == .head
        return try await offLoop {
            var headers = SecurityHeaders.data
            headers[.contentType] = "application/json"
            headers[.cacheControl] = isRead ? cacheControl(of: request) : "no-store"
            // A page of 100 images takes about 40 KB.
            let response = Response(status: status, headers: headers, body: .bytes(body.json(capacity: 1 << 16)))
            return isRead ? response.tagged(for: request) : response.compressed(for: request)
        }
    }
}
