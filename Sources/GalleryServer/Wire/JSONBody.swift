import FoundationEssentials
import HTTPServer
import HTTPTypes

/// Reading and writing JSON off the sockets' loops, with errors that name the field.
enum JSONBody {
    private static func bytes(of body: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return [UInt8](try encoder.encode(body))
    }

    /// A handler's task prefers its loop, and so would a `@concurrent` function that it calls (SE-0417).
    private static func offLoop<Result: Sendable>(_ work: @Sendable () throws -> Result) async throws -> Result {
        try await withTaskExecutorPreference(globalConcurrentExecutor) { try work() }
    }

    /// - Throws: a `Problem` with status 400 that names the field which is missing or wrong.
    static func decode<Body: Decodable & Sendable>(_ type: Body.Type, from bytes: [UInt8]) async throws -> Body {
        do {
            return try await offLoop { try JSONDecoder().decode(type, from: Data(bytes)) }
        } catch let error as DecodingError {
            throw problem(for: error)
        }
    }

    private static func problem(for error: DecodingError) -> Problem {
        switch error {
        case .keyNotFound(let key, let context):
            .badField(name(context.codingPath + [key]), "is missing.")
        case .typeMismatch(let type, let context) where !context.codingPath.isEmpty,
            .valueNotFound(let type, let context) where !context.codingPath.isEmpty:
            .badField(name(context.codingPath), "must be \(word(for: type)).")
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            .badField(name(context.codingPath), "cannot be read.")
        default:
            Problem(.badRequest, title: "The body is not valid JSON", detail: "Send one JSON object in UTF-8.")
        }
    }

    private static func name(_ path: [any CodingKey]) -> String {
        path.reduce(into: "") { name, key in
            if let index = key.intValue {
                name += "[\(index)]"
            } else {
                name += (name.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }

    private static func word(for type: any Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Int.Type: "a whole number"
        case is [Any].Type: "a list"
        default: "of another type"
        }
    }
}

extension JSONBody {
    /// An answer whose next use is asked about first: what it says may change with the next request. What was read has an
    /// entity tag, by which a client learns that it has not; what was done is never kept by caches. Compressed for a
    /// client that takes it so, where it is written. Tokens may be in it: no page of another origin can have text of its
    /// choosing put beside them, so that their length tells nothing.
    static func response(
        to request: Request, _ body: some Encodable & Sendable, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        try await response(to: request, status: status) { try bytes(of: body) }
    }

    static func response(to request: Request, _ body: some JSONWritable) async throws -> Response {
        try await response(to: request, status: .ok) {
            // A page of 100 images has some 40 KB.
            var writer = JSONWriter(capacity: 1 << 16)
            body.write(to: &writer)
            return writer.bytes
        }
    }

    /// Written on the concurrent pool: a page of 500 images takes longer than a loop may be kept.
    private static func response(
        to request: Request, status: HTTPResponse.Status, _ bytes: @Sendable () throws -> [UInt8]
    ) async throws -> Response {
        let isRead = request.method == .get || request.method == .head
        return try await offLoop {
            let headers: HTTPFields = [
                .contentType: "application/json", .cacheControl: isRead ? "no-cache" : "no-store",
                .xContentTypeOptions: "nosniff",
            ]
            let response = Response(status: status, headers: headers, body: .bytes(try bytes()))
            return isRead ? response.tagged(for: request) : response.compressed(for: request)
        }
    }
}
