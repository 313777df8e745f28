import HTTPServer
import HTTPTypes

/// `GET /api/v1/stream`: the WebSocket of the viewport stream; see Documentation/stream.md.
struct StreamRoute {
    static let subprotocol = "tessera.v1"

    let services: StreamServices
    let origins: CrossOriginPolicy

    func add(to router: inout Router) {
        router.get("/api/v1/stream", for: .view) { request, reply in reply.send(answer(request)) }
    }

    private func answer(_ request: Request) -> Response {
        do {
            // Browsers let any page open a WebSocket to any server; the server has to check the origin (RFC 6455
            // §10.2).
            if let origin = request.headers[.origin], !origins.admitsSocket(from: origin, to: request.authority) {
                throw Problem(
                    .forbidden, title: "This page is not allowed to open the stream",
                    detail: "Its origin is not allowed. Start the server with --allow-origin to allow it.")
            }
            // Other pages of the same site send cookies, too. A page of an allowed origin never acts for a person.
            if let origin = request.headers[.origin], request.requester != nil, request.headers.contains(.cookie),
                !origins.isSame(origin, as: request.authority)
            {
                throw Problem.notAllowed
            }
            let accept = try QueryReader(request).text("accept") ?? request.headers[.accept]
            return Response.webSocket(
                for: request, subprotocols: [Self.subprotocol],
                handler: StreamSession(
                    services: services, client: request.client, principal: request.principal, visit: request.visit,
                    formats: StreamFormats(accept: accept)))
        } catch {
            return Problem(describing: error).response
        }
    }
}
