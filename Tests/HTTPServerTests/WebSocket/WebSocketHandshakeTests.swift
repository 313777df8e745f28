import EventLoops
import HTTPTypes
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct WebSocketHandshakeTests {
    private let good: HTTPFields = [
        .connection: "Upgrade", .upgrade: "websocket", .secWebSocketVersion: "13",
        .secWebSocketKey: "dGhlIHNhbXBsZSBub25jZQ==",
    ]

    private func answer(
        _ method: HTTPRequest.Method = .get, subprotocols: [String] = [], body: [UInt8] = [],
        _ change: (inout HTTPFields) -> Void = { _ in }
    ) async throws -> Response {
        var headers = good
        change(&headers)
        let loop = try EventLoop(label: "test")
        let request = try Request(method, "/", headers: headers, body: body, loop: loop)
        let response = Response.webSocket(for: request, subprotocols: subprotocols, handler: ScriptedHandler())
        await loop.stop()
        return response
    }

    @Test func `the example of RFC 6455 §1·3 is accepted`() async throws {
        let answer = try await answer()
        #expect(answer.status == .switchingProtocols)
        #expect(answer.headers[.secWebSocketAccept] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(answer.headers[.upgrade] == "websocket")
        #expect(answer.headers[.secWebSocketProtocol] == nil)
        #expect(answer.headers[.secWebSocketExtensions] == nil)
    }

    @Test func `Connection and Upgrade are case-insensitive lists`() async throws {
        let answer = try await answer {
            $0[.connection] = "keep-alive , UPGRADE"
            $0[.upgrade] = "h2c, WebSocket"
            $0[.secWebSocketExtensions] = "permessage-deflate; client_max_window_bits"
        }
        #expect(answer.status == .switchingProtocols)
        #expect(answer.headers[.secWebSocketExtensions] == nil)
    }

    @Test(arguments: ["connection", "upgrade"])
    func `a request that does not ask for a WebSocket gets a 426`(missing: String) async throws {
        let name = try #require(HTTPField.Name(missing))
        for value in [nil, "close", "websocket2"] {
            let answer = try await answer { $0[name] = value }
            #expect(answer.status == .upgradeRequired)
            #expect(answer.headers[.upgrade] == "websocket")
            #expect(answer.headers[.secWebSocketVersion] == "13")
        }
    }

    @Test(arguments: [nil, "8", "13, 8", "", "013"])
    func `an unsupported version gets a 426 with the supported one`(version: String?) async throws {
        let answer = try await answer { $0[.secWebSocketVersion] = version }
        #expect(answer.status == .upgradeRequired)
        #expect(answer.headers[.secWebSocketVersion] == "13")
    }

    @Test(
        arguments: [
            nil, "", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ= =", "dGhlIHNhbXBsZSBub25jZSEh",
            "dGhlIHNhbXBsZSBub25j-Q==", "dGhlIHNhbXBsZSBub25jZQ==, dGhlIHNhbXBsZSBub25jZQ==", "ZGhlIHNhbXBsZSBub24=",
        ])
    func `a key that is not 16 bytes in base64 is 400`(key: String?) async throws {
        #expect(try await answer { $0[.secWebSocketKey] = key }.status == .badRequest)
    }

    @Test(arguments: ["POST", "PUT", "OPTIONS"])
    func `a method other than GET is 405`(method: String) async throws {
        let answer = try await answer(try #require(HTTPRequest.Method(method)))
        #expect(answer.status == .methodNotAllowed)
        #expect(answer.headers[.allow] == "GET, HEAD")
    }

    @Test func `HEAD gets a 426 that names the upgrade`() async throws {
        let answer = try await answer(.head)
        #expect(answer.status == .upgradeRequired)
        #expect(answer.headers[.upgrade] == "websocket")
        #expect(answer.upgrade == nil)
    }

    @Test func `a handshake with a body is 400`() async throws {
        #expect(try await answer(body: [1]).status == .badRequest)
        #expect(try await answer { $0[.contentLength] = "0" }.status == .switchingProtocols)
    }

    @Test func `the preferred subprotocol that both sides know is chosen`() async throws {
        let known = ["tessera.v2", "tessera.v1"]
        for (offer, chosen) in [
            ("tessera.v1", "tessera.v1"), ("other, tessera.v1,tessera.v2 ", "tessera.v2"),
            ("\ttessera.v1", "tessera.v1"),
        ] {
            let answer = try await answer(subprotocols: known) { $0[.secWebSocketProtocol] = offer }
            #expect(answer.headers[.secWebSocketProtocol] == chosen)
        }
        #expect(try await answer { $0[.secWebSocketProtocol] = "any" }.headers[.secWebSocketProtocol] == nil)
    }

    @Test(arguments: [nil, "other", "tessera.v10", "TESSERA.V1", "tessera.v1,,", "a b, tessera.v1", "tessera.v1;q=1"])
    func `a malformed offer, or one without a known subprotocol, is 400`(offer: String?) async throws {
        let answer = try await answer(subprotocols: ["tessera.v1"]) { $0[.secWebSocketProtocol] = offer }
        #expect(answer.status == .badRequest)
        #expect(answer.upgrade == nil)
    }

    // MARK: On the wire

    @Test func `the handshake response is sent, and the handler knows the chosen subprotocol`() async throws {
        let handler = ScriptedHandler()
        let responder = Answering { request, reply in
            var response = Response.webSocket(for: request, subprotocols: ["chat"], handler: handler)
            response.headers[.server] = "Tessera"
            reply.send(response)
        }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(WebSocketClient.request + "Sec-WebSocket-Protocol: chat\r\n\r\n")
            let answer = try await client.receiveHead()
            #expect(answer.status == 101)
            #expect(answer.headers[.connection] == "upgrade")
            #expect(answer.headers[.upgrade] == "websocket")
            #expect(answer.headers[.secWebSocketProtocol] == "chat")
            #expect(answer.headers[.server] == "Tessera")
            #expect(answer.headers[.contentLength] == nil)
            #expect(answer.headers[.transferEncoding] == nil)
            #expect(await handler.opening.value.subprotocol == "chat")
        }
    }

    @Test func `a refused handshake gets an HTTP response, and the connection continues with HTTP`() async throws {
        let handler = ScriptedHandler()
        try await withServer(webSocketResponder { handler }) { server in
            let request = WebSocketClient.request
            let old = try server.connect()
            try await old.send(request.replacing("HTTP/1.1", with: "HTTP/1.0") + "\r\n")
            #expect(try await old.receive().status == 400)
            let client = try server.connect()
            let other = "GET /other HTTP/1.1\r\nHost: h\r\n\r\n"
            try await client.send(request.replacing("GET", with: "HEAD") + "\r\n" + other)
            #expect(try await client.receive(isHead: true).status == 426)
            #expect(try await client.receive().text == "other")
            try await client.send(request + "Content-Length: 3\r\n\r\nabc" + other)
            #expect(try await client.receive().status == 400)
            #expect(try await client.receive().text == "other")
            try await client.send(request.replacing(": 13", with: ": 12") + "\r\n" + other)
            let refusal = try await client.receive()
            #expect(refusal.status == 426)
            #expect(refusal.headers[.connection] == "upgrade")
            #expect(refusal.headers[.upgrade] == "websocket")
            #expect(try await client.receive().text == "other")
            #expect(handler.opening.count == 0)
        }
    }

    @Test func `a 101 response without an upgrade becomes a 500`() async throws {
        let responder = Answering { _, reply in reply.send(Response(status: .switchingProtocols)) }
        try await withServer(responder) { server in
            let client = try server.connect()
            for _ in 0..<2 {
                try await client.send(WebSocketClient.request + "\r\n")
                #expect(try await client.receive().status == 500)
            }
        }
    }
}
