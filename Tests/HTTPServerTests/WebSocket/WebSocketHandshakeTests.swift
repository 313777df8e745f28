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

    @Test func `the example of RFC 6455 §1·3`() async throws {
        let answer = try await answer()
        #expect(answer.status == .switchingProtocols)
        #expect(answer.headers[.secWebSocketAccept] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(answer.headers[.upgrade] == "websocket")
        #expect(answer.headers[.secWebSocketProtocol] == nil)
        #expect(answer.headers[.secWebSocketExtensions] == nil)
    }

    @Test func `the fields are lists, in any case`() async throws {
        let answer = try await answer {
            $0[.connection] = "keep-alive , UPGRADE"
            $0[.upgrade] = "h2c, WebSocket"
            $0[.secWebSocketExtensions] = "permessage-deflate; client_max_window_bits"
        }
        #expect(answer.status == .switchingProtocols)
        #expect(answer.headers[.secWebSocketExtensions] == nil)
    }

    @Test(arguments: ["connection", "upgrade"])
    func `who asks for no WebSocket is told that it is one`(missing: String) async throws {
        let name = try #require(HTTPField.Name(missing))
        for value in [nil, "close", "websocket2"] {
            let answer = try await answer { $0[name] = value }
            #expect(answer.status == .upgradeRequired)
            #expect(answer.headers[.upgrade] == "websocket")
            #expect(answer.headers[.secWebSocketVersion] == "13")
        }
    }

    @Test(arguments: [nil, "8", "13, 8", "", "013"])
    func `another version is 426 with the one that is known`(version: String?) async throws {
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
    func `another method than GET is 405`(method: String) async throws {
        let answer = try await answer(try #require(HTTPRequest.Method(method)))
        #expect(answer.status == .methodNotAllowed)
        #expect(answer.headers[.allow] == "GET, HEAD")
    }

    @Test func `HEAD, which the path allows as it allows GET, is told how to ask`() async throws {
        let answer = try await answer(.head)
        #expect(answer.status == .upgradeRequired)
        #expect(answer.headers[.upgrade] == "websocket")
        #expect(answer.upgrade == nil)
    }

    @Test func `a body is 400`() async throws {
        #expect(try await answer(body: [1]).status == .badRequest)
        #expect(try await answer { $0[.contentLength] = "0" }.status == .switchingProtocols)
    }

    @Test func `of the subprotocols that both know the best is chosen`() async throws {
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
    func `none that is known, or no list of names, is 400`(offer: String?) async throws {
        let answer = try await answer(subprotocols: ["tessera.v1"]) { $0[.secWebSocketProtocol] = offer }
        #expect(answer.status == .badRequest)
        #expect(answer.upgrade == nil)
    }

    // MARK: On the wire

    @Test func `the answer on the wire is that of the example, and the handler knows the choice`() async throws {
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

    @Test func `HTTP 1·0, HEAD and a body get an answer of HTTP, and what follows is HTTP`() async throws {
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

    @Test func `a response with status 101 and nothing behind it is 500`() async throws {
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
