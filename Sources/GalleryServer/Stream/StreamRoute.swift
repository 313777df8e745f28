import HTTPServer
import HTTPTypes

/// `GET /api/v1/stream`: the WebSocket of the viewport; see Documentation/stream.md.
struct StreamRoute {
    static let subprotocol = "tessera.v1"

    let services: StreamServices
    let origins: CrossOriginPolicy

    func add(to router: inout Router) {
        router.get("/api/v1/stream") { request, reply in reply.send(answer(request)) }
    }

    private func answer(_ request: Request) -> Response {
        do {
            // A browser lets any page open a WebSocket to anywhere, and leaves it to the server to look (RFC 6455 §10.2).
            if let origin = request.headers[.origin], !origins.admitsSocket(from: origin, to: request.authority) {
                throw Problem(
                    .forbidden, title: "This page may not open the stream",
                    detail: "The server does not know its origin. Start it with --allow-origin to let it.")
            }
            let accept = try QueryReader(request).text("accept") ?? request.headers[.accept]
            return Response.webSocket(
                for: request, subprotocols: [Self.subprotocol],
                handler: StreamSession(
                    services: services, client: request.client, formats: StreamFormats(accept: accept)))
        } catch {
            return Problem(describing: error).response
        }
    }
}
