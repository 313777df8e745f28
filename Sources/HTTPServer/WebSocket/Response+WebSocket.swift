import HTTPTypes

/// What a response with status 101 turns its connection into.
struct WebSocketUpgrade: Sendable {
    let subprotocol: String?
    let configuration: WebSocketConfiguration
    let handler: any WebSocketHandler
}

extension Response {
    /// The response that turns the request's connection into a WebSocket (101), or a ``Problem`` that explains why it
    /// can't. The handler does not learn of a problem. It is a 405 for a method other than GET, 426 for a request that
    /// asks for no WebSocket or for a version other than 13, 400 for a handshake that violates RFC 6455 §4.1 or offers
    /// none of `subprotocols`.
    ///
    ///     router.get("/api/v1/stream") { request in
    ///         Response.webSocket(for: request, subprotocols: ["tessera.v1"], handler: Stream())
    ///     }
    ///
    /// Browsers let any page of any site open a WebSocket with the user's cookies: check `Origin` first (RFC 6455
    /// §10.2). Earlier requests on the connection are answered first. What the client sends after the handshake is
    /// held back until the handshake is answered, and then belongs to the WebSocket. No extension is negotiated.
    ///
    /// - Parameter subprotocols: The supported subprotocols, the best first; the client must offer one of them. If
    ///   empty, none is chosen, whatever the client offers.
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
