public import Clients
import HTTPTypes
import Logging
import Tracing

/// Dispatches requests by method and path.
///
///     var router = Router(logger: logger)
///     router.get("/images/{id}/{rendition}") { request, reply in … }
///     router.post("/api/v1/tokens") { request in try await … }
///
/// Each segment of a pattern is literal, or `{name}` for any non-empty segment; literals take precedence. An unknown
/// path gets a 404, a known path with another method a 405 with `Allow`, and a method that neither HTTP nor a route
/// knows a 501 everywhere. The route for GET also answers HEAD unless there is one for HEAD, and `OPTIONS` gets a 204
/// with `Allow`. A path without a route for GET has no representation, so `If-Match` fails with a 412.
public struct Router: Responder {
    /// Responds on the loop, at once or later. Must not block.
    public typealias Direct = @Sendable (Request, Reply) -> Void
    /// Responds in a task on the loop's executor, which is cancelled if the client disconnects. A thrown ``Problem``
    /// or ``RequestError`` becomes the response; any other error is logged, and the client gets a 500.
    public typealias Asynchronous = @Sendable (Request) async throws -> Response

    private enum Handler: Sendable {
        case direct(Direct)
        case asynchronous(Asynchronous)
    }

    /// A route, and who may use it.
    public struct Entry: Hashable, Sendable {
        public let method: HTTPRequest.Method
        public let pattern: String
        public let rule: AccessRule?
    }

    private struct Route: Sendable {
        let handler: Handler
        let rule: AccessRule?
    }

    private var routes = RouteTree<Route>()
    /// All routes, in the sequence in which they were added.
    public private(set) var table: [Entry] = []
    private let logger: Logger?

    /// The immediate response of a route; nil to leave the request to its handler.
    public typealias Immediate = @Sendable (PlainRequest, ClientAddress) -> ImmediateResponse?

    /// Called before any path is looked up.
    public var immediate: Immediate?

    /// Answers requests that match no route. Without it, they get a 404.
    public var fallback: (any Responder)?
    /// The pattern by which requests to the fallback are counted.
    public var fallbackRoute = "/{file}"

    /// Records a span for each request; nil for no tracing.
    public var tracer: (any Tracer)?
    /// Patterns of routes without spans, because machines poll them constantly.
    public var untraced: Set<String> = []

    /// Decides whether a request may use a route with this rule, and returns the request with what it has found out about
    /// its sender. Called on the loop; must not block.
    public typealias Admission = @Sendable (Request, AccessRule) throws(Problem) -> Request
    private let admission: Admission?

    /// - Parameters:
    ///   - logger: Logs the errors that handlers throw.
    ///   - admission: With it, every route needs a rule: adding one without traps.
    public init(logger: Logger? = nil, admission: Admission? = nil) {
        self.logger = logger
        self.admission = admission
    }

    /// Adds a route. Traps if the pattern is malformed or already has this method.
    public mutating func on(
        _ method: HTTPRequest.Method, _ pattern: String, for rule: AccessRule? = nil, _ handler: @escaping Direct
    ) {
        add(.direct(handler), method, pattern, rule)
    }

    /// Adds a route. Traps if the pattern is malformed or already has this method.
    public mutating func on(
        _ method: HTTPRequest.Method, _ pattern: String, for rule: AccessRule? = nil, _ handler: @escaping Asynchronous
    ) {
        add(.asynchronous(handler), method, pattern, rule)
    }

    private mutating func add(
        _ handler: Handler, _ method: HTTPRequest.Method, _ pattern: String, _ rule: AccessRule?
    ) {
        precondition(admission == nil || rule != nil, "a route without a rule: \(method) \(pattern)")
        routes.insert(Route(handler: handler, rule: rule), method: method, pattern: pattern)
        table.append(Entry(method: method, pattern: pattern, rule: rule))
    }

    /// Redirects the base path (``HTTPServer/Configuration/basePath``) without a trailing slash to the same path with
    /// one, so that the page's relative references resolve.
    public mutating func redirectToBasePath(_ path: String, for rule: AccessRule? = nil) {
        guard !path.isEmpty else { return }
        get(path, for: rule) { request, reply in
            let query = request.head.query.map { "?" + String(decoding: request.head.bytes[$0], as: UTF8.self) } ?? ""
            reply.send(Response(status: .permanentRedirect, headers: [.location: "\(path)/\(query)"]))
        }
    }

    /// Adds a route for GET.
    public mutating func get(_ pattern: String, for rule: AccessRule? = nil, _ handler: @escaping Direct) {
        on(.get, pattern, for: rule, handler)
    }
    /// Adds a route for GET.
    public mutating func get(_ pattern: String, for rule: AccessRule? = nil, _ handler: @escaping Asynchronous) {
        on(.get, pattern, for: rule, handler)
    }
    /// Adds a route for POST.
    public mutating func post(_ pattern: String, for rule: AccessRule? = nil, _ handler: @escaping Direct) {
        on(.post, pattern, for: rule, handler)
    }
    /// Adds a route for POST.
    public mutating func post(_ pattern: String, for rule: AccessRule? = nil, _ handler: @escaping Asynchronous) {
        on(.post, pattern, for: rule, handler)
    }
    /// Adds a route for DELETE.
    public mutating func delete(_ pattern: String, for rule: AccessRule? = nil, _ handler: @escaping Direct) {
        on(.delete, pattern, for: rule, handler)
    }
    /// Adds a route for DELETE.
    public mutating func delete(_ pattern: String, for rule: AccessRule? = nil, _ handler: @escaping Asynchronous) {
        on(.delete, pattern, for: rule, handler)
    }

    public func respondImmediately(to request: PlainRequest, from client: ClientAddress) -> ImmediateResponse? {
        // A request that is part of a trace needs a span.
        guard tracer == nil || !request.bearsTraceContext else { return nil }
        return immediate?(request, client)
    }

    public func respond(to request: Request, reply: Reply) {
        let found = routes.find(request)
        var pattern: String?
        if case .found(_, _, let known, _) = found { pattern = known }
        if let pattern { reply.matched(pattern) }
        guard let tracer else { return respond(found, to: request, reply: reply) }
        if let pattern, untraced.contains(pattern) { return respond(found, to: request, reply: reply) }
        RequestTracing(tracer: tracer).trace(request, pattern: pattern, reply: reply) { reply in
            respond(found, to: request, reply: reply)
        }
    }

    private func respond(_ found: RouteTree<Route>.Found, to request: Request, reply: Reply) {
        switch found {
        case .found(let route, let parameters, _, let isResource):
            var request = request
            if let admission, let rule = route.rule {
                do throws(Problem) { request = try admission(request, rule) } catch {
                    return reply.send(error.response)
                }
            }
            // RFC 9110 §13.1.1.
            guard isResource || !request.headers.contains(.ifMatch) else {
                return reply.send(Problem(.preconditionFailed).response)
            }
            request.parameters = parameters
            call(route.handler, request, reply)
        case .otherMethods(let allowed): respondWithoutRoute(to: request, reply: reply, allowing: allowed)
        case .none: respondWithoutRoute(to: request, reply: reply, allowing: nil)
        }
    }

    /// The methods of RFC 9110 §9.1 and RFC 5789, and QUERY, the latest general-purpose method: known, even where
    /// they are not allowed.
    private static let standardMethods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch, .query,
    ]

    /// - Parameter allowed: The methods of the path's routes; nil if the path is unknown.
    private func respondWithoutRoute(to request: Request, reply: Reply, allowing allowed: [HTTPRequest.Method]?) {
        guard Self.standardMethods.contains(request.method) || routes.methods.contains(request.method) else {
            return reply.send(Problem(.notImplemented, detail: "This method is not supported.").response)
        }
        if let allowed {
            respond(allowing: allowed, to: request, reply: reply)
        } else if request.method == .options, request.path == "*" {
            // RFC 9110 §9.3.7: this concerns the server as a whole.
            respond(allowing: Array(routes.methods), to: request, reply: reply)
        } else if let fallback {
            reply.matched(fallbackRoute)
            fallback.respond(to: request, reply: reply)
        } else {
            reply.send(Problem(.notFound).response)
        }
    }

    private func respond(allowing methods: [HTTPRequest.Method], to request: Request, reply: Reply) {
        var methods = Set(methods)
        if methods.contains(.get) { methods.insert(.head) }
        methods.insert(.options)
        let allow: HTTPFields = [.allow: methods.map(\.rawValue).sorted().joined(separator: ", ")]
        if request.method == .options {
            reply.send(Response(status: .noContent, headers: allow))
        } else {
            reply.send(Problem(.methodNotAllowed, headers: allow).response)
        }
    }

    private func call(_ handler: Handler, _ request: Request, _ reply: Reply) {
        switch handler {
        case .direct(let direct):
            direct(request, reply)
        case .asynchronous(let asynchronous):
            let task = Task(executorPreference: request.loop) { [logger] in
                do {
                    reply.send(try await asynchronous(request))
                } catch {
                    let problem = Problem(describing: error)
                    // A client that disconnects cancels the task; that is no failure.
                    if problem.status.code == 500, !reply.isAbandoned {
                        logger?.error("\(request.method.rawValue) \(request.path): \(error)")
                    }
                    reply.send(problem.response)
                }
            }
            reply.onDisconnect { task.cancel() }
        }
    }
}

extension HTTPRequest.Method {
    fileprivate static let query = Self("QUERY")!
}
