import HTTPTypes

/// What an answer with status 101 turns its connection into.
struct WebSocketUpgrade: Sendable {
    let subprotocol: String?
    let configuration: WebSocketConfiguration
    let handler: any WebSocketHandler
}

extension Response {
    /// The answer that makes a WebSocket of the request's connection (101), or the ``Problem`` that says why it cannot
    /// be one, of which the handler learns nothing: 405 for another method than GET, 426 for a request that asks for no
    /// WebSocket or for another version than 13, 400 for a handshake that breaks RFC 6455 §4.1 or offers none of
    /// `subprotocols`.
    ///
    ///     router.get("/api/v1/stream") { request in
    ///         Response.webSocket(for: request, subprotocols: ["tessera.v1"], handler: Stream())
    ///     }
    ///
    /// A browser lets any page of any site open a WebSocket, with the user's cookies: check `Origin` first
    /// (RFC 6455 §10.2). Requests that came before this one on its connection are answered first. What the client sends
    /// after it waits until it is answered, and is then the WebSocket's. No extension is negotiated.
    ///
    /// - Parameter subprotocols: Those that are spoken here, the best first; of these the client must offer one. Empty:
    ///   none is chosen, whatever is offered.
    public static func webSocket(
        for request: Request, subprotocols: [String] = [], configuration: WebSocketConfiguration = .init(),
        handler: any WebSocketHandler
    ) -> Response {
        do {
            let handshake = try WebSocketHandshake(request, subprotocols: subprotocols)
            var response = Response(status: .switchingProtocols, headers: handshake.headers)
            response.upgrade = WebSocketUpgrade(
                subprotocol: handshake.subprotocol, configuration: configuration, handler: handler)
            return response
        } catch {
            return error.response
        }
    }
}
