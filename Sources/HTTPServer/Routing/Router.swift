public import Clients
import HTTPTypes
import Logging
import Tracing

/// Answers by method and path.
///
///     var router = Router(logger: logger)
///     router.get("/images/{id}/{rendition}") { request, reply in … }
///     router.post("/api/v1/tokens") { request in try await … }
///
/// A pattern's segments are literal, or `{name}` for any one segment that is not empty; a literal goes before a name.
/// An unknown path is 404, a known path with another method is 405 with `Allow`, and a method that neither HTTP nor a
/// route knows is 501 everywhere. HEAD is answered by the route for GET unless it has one of its own, and `OPTIONS` by 204
/// with `Allow`. A path without a route for GET has no representation: `If-Match` fails there with 412.
public struct Router: Responder {
    /// Answers on the loop, at once or later. Must not block.
    public typealias Direct = @Sendable (Request, Reply) -> Void
    /// Answers in a task on the loop's executor, cancelled if the client goes. A ``Problem`` that is thrown is the
    /// answer; a ``RequestError`` too; any other error is logged, and answered with 500.
    public typealias Asynchronous = @Sendable (Request) async throws -> Response

    private enum Handler: Sendable {
        case direct(Direct)
        case asynchronous(Asynchronous)
    }

    private var routes = RouteTree<Handler>()
    private let logger: Logger?

    /// What a route answers on the spot; nil for what it leaves to its handler.
    public typealias OnTheSpot = @Sendable (PlainRequest, Client) -> AnswerOnTheSpot?

    /// Asked before any path is looked up.
    public var onTheSpot: OnTheSpot?

    /// Answers what no route knows. Without it, that is 404.
    public var fallback: (any Responder)?

    /// Makes a span of each request; nil for none.
    public var tracer: (any Tracer)?
    /// Patterns of routes that are asked all the time by machines, and of which there are no spans.
    public var untraced: Set<String> = []

    public init(logger: Logger? = nil) {
        self.logger = logger
    }

    public mutating func on(_ method: HTTPRequest.Method, _ pattern: String, _ handler: @escaping Direct) {
        routes.insert(.direct(handler), method: method, pattern: pattern)
    }

    public mutating func on(_ method: HTTPRequest.Method, _ pattern: String, _ handler: @escaping Asynchronous) {
        routes.insert(.asynchronous(handler), method: method, pattern: pattern)
    }

    public mutating func get(_ pattern: String, _ handler: @escaping Direct) { on(.get, pattern, handler) }
    public mutating func get(_ pattern: String, _ handler: @escaping Asynchronous) { on(.get, pattern, handler) }
    public mutating func post(_ pattern: String, _ handler: @escaping Direct) { on(.post, pattern, handler) }
    public mutating func post(_ pattern: String, _ handler: @escaping Asynchronous) { on(.post, pattern, handler) }
    public mutating func delete(_ pattern: String, _ handler: @escaping Direct) { on(.delete, pattern, handler) }
    public mutating func delete(_ pattern: String, _ handler: @escaping Asynchronous) { on(.delete, pattern, handler) }

    public func answerOnTheSpot(to request: PlainRequest, from client: Client) -> AnswerOnTheSpot? {
        // Of who asks as part of a trace, there is a span.
        guard tracer == nil || !request.bearsTraceContext else { return nil }
        return onTheSpot?(request, client)
    }

    public func respond(to request: Request, reply: Reply) {
        let found = routes.find(request)
        guard let tracer else { return respond(found, to: request, reply: reply) }
        var pattern: String?
        if case .found(_, _, let known, _) = found { pattern = known }
        if let pattern, untraced.contains(pattern) { return respond(found, to: request, reply: reply) }
        RequestTracing(tracer: tracer).trace(request, pattern: pattern, reply: reply) { reply in
            respond(found, to: request, reply: reply)
        }
    }

    private func respond(_ found: RouteTree<Handler>.Found, to request: Request, reply: Reply) {
        switch found {
        case .found(let handler, let parameters, _, let isResource):
            // RFC 9110 §13.1.1.
            guard isResource || !request.headers.contains(.ifMatch) else {
                return reply.send(Problem(.preconditionFailed).response)
            }
            var request = request
            request.parameters = parameters
            call(handler, request, reply)
        case .otherMethods(let allowed): respondWithoutRoute(to: request, reply: reply, allowing: allowed)
        case .none: respondWithoutRoute(to: request, reply: reply, allowing: nil)
        }
    }

    /// The methods of RFC 9110 §9.1 and RFC 5789, and QUERY, the youngest that is meant for every resource: known, if
    /// allowed nowhere.
    private static let standardMethods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch, .query,
    ]

    /// - Parameter allowed: The methods that the path has; nil if no route knows it.
    private func respondWithoutRoute(to request: Request, reply: Reply, allowing allowed: [HTTPRequest.Method]?) {
        guard Self.standardMethods.contains(request.method) || routes.methods.contains(request.method) else {
            return reply.send(Problem(.notImplemented, detail: "This method is not known here.").response)
        }
        if let allowed {
            respond(allowing: allowed, to: request, reply: reply)
        } else if request.method == .options, request.path == "*" {
            // RFC 9110 §9.3.7: the server as a whole is asked.
            respond(allowing: Array(routes.methods), to: request, reply: reply)
        } else if let fallback {
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
                    // Who is gone has cancelled the task; that is no failure.
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
