import Clients
import HTTPServer
import HTTPTypes

/// Which pages of other origins may use the API: the server's side of CORS (the Fetch standard, §3.3).
struct CrossOriginPolicy: Sendable {
    private let allowed: Set<String>

    init(_ origins: [WebOrigin]) { allowed = Set(origins.map(\.text)) }

    var allowsNobody: Bool { allowed.isEmpty }

    /// The fields that let the page at `origin` read a response. Without an origin, only `Vary`, which says that
    /// responses differ.
    func fields(for origin: String?) -> HTTPFields {
        var fields: HTTPFields = [.vary: "Origin"]
        guard let origin, allows(origin) else { return fields }
        fields[.accessControlAllowOrigin] = origin
        fields[.accessControlExposeHeaders] = "ETag, Link, Retry-After, Tessera-Dropped, Tessera-Incomplete"
        return fields
    }

    /// The fields of the response to a preflight request.
    func preflightFields(for origin: String) -> HTTPFields {
        var fields = fields(for: origin)
        guard fields[.accessControlAllowOrigin] != nil else { return fields }
        fields[.accessControlAllowMethods] = "GET, HEAD, POST"
        fields[.accessControlAllowHeaders] =
            "Authorization, Content-Type, Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range"
        fields[.accessControlMaxAge] = "600"
        return fields
    }

    /// Whether pages of this origin may use the API.
    func allows(_ origin: String) -> Bool { allowed.contains(origin) || allowed.contains("*") }

    /// Whether the page at `origin` may open a WebSocket, to which CORS does not apply: a page of this server under
    /// the requested name, or one of an allowed origin.
    func admitsSocket(from origin: String, to authority: String?) -> Bool {
        allows(origin) || isSame(origin, as: authority)
    }

    /// Whether `origin` is that of a page of this server under the requested name.
    func isSame(_ origin: String, as authority: String?) -> Bool {
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
}

/// Wraps another responder, and tells browsers which pages may read its responses.
struct CrossOriginAccess: Responder {
    let policy: CrossOriginPolicy
    let inner: any Responder

    /// If other origins are allowed, the response depends on the request's origin.
    func respondImmediately(to request: PlainRequest, from client: ClientAddress) -> ImmediateResponse? {
        policy.allowsNobody ? inner.respondImmediately(to: request, from: client) : nil
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
            reply: reply.transforming { response in
                var response = response
                response.headers.append(contentsOf: fields)
                return response
            })
    }
}
