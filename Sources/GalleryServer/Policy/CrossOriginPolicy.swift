import Clients
import HTTPServer
import HTTPTypes

/// Which pages from elsewhere may use the API: the server's side of CORS (the Fetch standard, §3.3).
struct CrossOriginPolicy: Sendable {
    private let allowed: Set<String>

    /// - Parameter origins: as browsers write them: scheme, host and port if it is not the scheme's own
    ///   (`https://example.org`), or `*` for every page there is.
    /// - Throws: `InvalidOrigin` for the first that is not one.
    init(_ origins: [String]) throws(InvalidOrigin) {
        for origin in origins where !Self.isOrigin(origin) { throw InvalidOrigin(text: origin) }
        allowed = Set(origins)
    }

    var allowsNobody: Bool { allowed.isEmpty }

    /// The fields that let the page at `origin` read an answer; without an origin, those that say that there are others.
    func fields(for origin: String?) -> HTTPFields {
        var fields: HTTPFields = [.vary: "Origin"]
        guard let origin, allowed.contains(origin) || allowed.contains("*") else { return fields }
        fields[.accessControlAllowOrigin] = origin
        fields[.accessControlExposeHeaders] = "ETag, Link, Retry-After, Tessera-Dropped, Tessera-Incomplete"
        return fields
    }

    /// What the question before the request is answered with.
    func preflightFields(for origin: String) -> HTTPFields {
        var fields = fields(for: origin)
        guard fields[.accessControlAllowOrigin] != nil else { return fields }
        fields[.accessControlAllowMethods] = "GET, HEAD, POST"
        fields[.accessControlAllowHeaders] =
            "Content-Type, Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range"
        fields[.accessControlMaxAge] = "600"
        return fields
    }

    /// Whether the page at `origin` may open a WebSocket, to which CORS does not apply: a page of this server's own, under
    /// the name that it asked for, or one of those that were allowed.
    func admitsSocket(from origin: String, to authority: String?) -> Bool {
        if allowed.contains(origin) || allowed.contains("*") { return true }
        for (scheme, port) in [("http://", 80), ("https://", 443)] where origin.lowercased().hasPrefix(scheme) {
            guard let page = Authority(String(origin.dropFirst(scheme.count))),
                let own = authority.flatMap(Authority.init),
                !page.host.isEmpty
            else { return false }
            return page.host == own.host && page.isLiteral == own.isLiteral
                && page.port ?? port == own.port ?? port
        }
        return false
    }

    private static func isOrigin(_ text: String) -> Bool {
        if text == "*" { return true }
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
        let host = text.dropFirst(scheme.count)
        return !host.isEmpty
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: ".-:[]".utf8.contains(byte)
                }
            }
    }

    /// What was given as an origin is none.
    struct InvalidOrigin: Error, CustomStringConvertible {
        let text: String

        var description: String {
            "--allow-origin \(text): write it as browsers do, in lower case and without a path: https://example.org"
        }
    }
}

/// Answers through another responder, and tells browsers which pages may read the answers.
struct CrossOriginAccess: Responder {
    let policy: CrossOriginPolicy
    let inner: any Responder

    /// Where pages from elsewhere are told of, each answer depends on who asks.
    func answerOnTheSpot(to request: PlainRequest, from client: Client) -> AnswerOnTheSpot? {
        policy.allowsNobody ? inner.answerOnTheSpot(to: request, from: client) : nil
    }

    func respond(to request: Request, reply: Reply) {
        guard !policy.allowsNobody else { return inner.respond(to: request, reply: reply) }
        let origin = request.headers[.origin]
        if let origin, request.method == .options, request.headers[.accessControlRequestMethod] != nil {
            return reply.send(Response(status: .noContent, headers: policy.preflightFields(for: origin)))
        }
        let fields = policy.fields(for: origin)
        inner.respond(
            to: request,
            reply: reply.relaying { response in
                var response = response
                response.headers.append(contentsOf: fields)
                return response
            })
    }
}
