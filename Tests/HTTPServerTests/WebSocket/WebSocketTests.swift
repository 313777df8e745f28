import EventLoops
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct WebSocketTests {
    private let other = "GET /other HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test func `messages of all lengths are echoed unchanged`() async throws {
        let handler = ScriptedHandler(echoes: true)
        try await withServer(webSocketResponder { handler }) { server in
            let client = try await server.openWebSocket()
            try await client.send(ClientFrame.text("Hello, wörld"))
            #expect(try await client.receive() == .text("Hello, wörld"))
            for length in [0, 1, 125, 126, 127, 65_535, 65_536] {
                let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                try await client.send(ClientFrame.bytes(2, payload))
                #expect(try await client.receive() == ServerFrame(opcode: 2, payload: payload))
            }
            #expect(handler.mistakes.isEmpty)
        }
    }

    @Test func `a fragmented message with a ping in between is assembled from single bytes`() async throws {
        let handler = ScriptedHandler(echoes: true)
        try await withServer(webSocketResponder { handler }) { server in
            let client = try await server.openWebSocket()
            let bytes =
                ClientFrame.text("€u", isFinal: false) + ClientFrame.bytes(9, [7])
                + ClientFrame.bytes(0, Array("ro".utf8))
            for byte in bytes { try await client.send([byte]) }
            #expect(try await client.receive() == ServerFrame(opcode: 10, payload: [7]))
            #expect(try await client.receive() == .text("€uro"))
        }
    }

    @Test func `bytes sent together with the handshake belong to the WebSocket`() async throws {
        let handler = ScriptedHandler(echoes: true)
        try await withServer(webSocketResponder { handler }) { server in
            // Bytes that look like a request are not taken for one.
            let client = try await server.openWebSocket(more: ClientFrame.text("early") + ClientFrame.text(other))
            #expect(try await client.receive() == .text("early"))
            #expect(try await client.receive() == .text(other))
        }
    }

    @Test func `earlier requests are answered first, and early frames wait for the handshake`() async throws {
        let held = HeldReplies(["/first", "/"])
        let handler = ScriptedHandler(echoes: true)
        let responder = Answering { request, reply in
            let answer = Response.webSocket(for: request, handler: handler)
            guard request.path == "/" else { return held.hold(reply, for: request.path) }
            Task {
                await held.take("/first")?.send(Response(text: "first"))
                reply.send(answer)
            }
        }
        try await withServer(responder) { server in
            let client = try server.connect()
            let first = "GET /first HTTP/1.1\r\nHost: h\r\n\r\n"
            try await client.send(Array((first + WebSocketClient.request + "\r\n").utf8) + ClientFrame.text("early"))
            #expect(try await client.receive().text == "first")
            #expect(try await client.receiveHead().status == 101)
            #expect(try await WebSocketClient(connection: client).receive() == .text("early"))
        }
    }

    @Test func `a handler whose client leaves before the handshake is told so, and is never opened`() async throws {
        let held = HeldReplies(["/"])
        let handler = ScriptedHandler()
        let gone = Signal<Void>()
        let responder = Answering { request, reply in
            reply.onDisconnect { gone.give() }
            held.hold(reply, for: "/")
        }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(WebSocketClient.request + "\r\n")
            let reply = await held.take("/")
            client.reset()
            await gone.value
            var answer = Response(status: .switchingProtocols)
            answer.upgrade = WebSocketUpgrade(subprotocol: nil, configuration: .init(), handler: handler)
            reply?.send(answer)
            #expect(await handler.end.value == .disconnected)
            #expect(handler.opening.count == 0)
        }
    }

    @Test func `a handshake response that is replaced opens no WebSocket`() async throws {
        let handler = ScriptedHandler()
        let responder = Answering { request, reply in
            guard request.path == "/" else { return reply.send(Response(text: "other")) }
            var answer = Response.webSocket(for: request, handler: handler)
            answer.instead = { Response(text: "instead") }
            reply.send(answer)
        }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(WebSocketClient.request + "\r\n" + other)
            #expect(try await client.receive().text == "instead")
            #expect(try await client.receive().text == "other")
            #expect(await handler.end.value == .disconnected)
            #expect(handler.opening.count == 0)
        }
    }

    @Test func `head and body are sent as one frame, and messages keep their order`() async throws {
        let handler = ScriptedHandler()
        let body = [UInt8](repeating: 9, count: 300_000)
        try await withServer(webSocketResponder { handler }) { server in
            let client = try await server.openWebSocket()
            _ = await handler.opening.value
            handler.give([.text("first"), .binary(head: [1, 2], body: body), .binary(head: [], body: []), .text("")])
            #expect(try await client.receive() == .text("first"))
            #expect(try await client.receive() == ServerFrame(opcode: 2, payload: [1, 2] + body))
            #expect(try await client.receive() == ServerFrame(opcode: 2, payload: []))
            #expect(try await client.receive() == .text(""))
        }
    }

    @Test func `a handler with nothing to send is not asked until woken, and many wakes count as one`() async throws {
        let handler = ScriptedHandler()
        try await withServer(webSocketResponder { handler }) { server in
            let client = try await server.openWebSocket()
            let socket = await handler.opening.value
            // Called once when it was opened.
            try await waitUntil { handler.asked == 1 }
            let asked = await withCheckedContinuation { continuation in
                socket.loop.execute {
                    for _ in 0..<1_000 { socket.wake() }
                    socket.loop.execute { socket.loop.execute { continuation.resume(returning: handler.asked) } }
                }
            }
            #expect(asked == 2)
            handler.give([.text("late")])
            #expect(try await client.receive() == .text("late"))
        }
    }

    @Test func `a hundred clients exchange messages on two loops`() async throws {
        try await withServer(
            webSocketResponder { ScriptedHandler(echoes: true) }, configure: { $0.loops = 2 }
        ) { server in
            try await withThrowingTaskGroup { group in
                for number in 0..<100 {
                    group.addTask {
                        let client = try await server.openWebSocket()
                        for round in 0..<10 {
                            let text = "\(number) \(round) " + String(repeating: "x", count: number * 40)
                            try await client.send(ClientFrame.text(text))
                            guard try await client.receive() == .text(text) else {
                                throw TestError(description: "another client's message")
                            }
                        }
                        try await client.send(ClientFrame.close(1000))
                        guard try await client.receive() == .close(1000), try await client.expectEnd() else {
                            throw TestError(description: "the connection did not end")
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await waitUntil { server.server.connectionCount == 0 }
        }
    }

    @Test func `a WebSocket counts towards the connection limit until it ends`() async throws {
        try await withServer(
            webSocketResponder { ScriptedHandler() }, configure: { $0.maximumConnections = 1 }
        ) { server in
            let client = try await server.openWebSocket()
            #expect(try await server.connect().receive().status == 503)
            client.connection.reset()
            try await waitUntil { server.server.connectionCount == 0 }
            _ = try await server.openWebSocket()
        }
    }

    @Test func `faulty and disconnecting clients each end once, and leave no connection behind`() async throws {
        let handlers = (0..<120).map { _ in ScriptedHandler(echoes: true) }
        let next = Counter()
        try await withServer(webSocketResponder { handlers[next.take()] }) { server in
            try await withThrowingTaskGroup { group in
                for number in handlers.indices {
                    group.addTask {
                        var random = SeededRandom(seed: UInt64(number))
                        let client = try await server.openWebSocket(receiveBuffer: 8_192)
                        var bytes = (0..<20).flatMap { _ in
                            ClientFrame.bytes(
                                [1, 2, 9, 10][random.number(below: 4)],
                                [UInt8](repeating: 65, count: random.number(below: 120)))
                        }
                        for _ in 0..<random.number(below: 3) {
                            bytes[random.number(below: bytes.count)] ^= UInt8(truncatingIfNeeded: random.next())
                        }
                        // The server may have closed by then.
                        try? await client.send(bytes)
                        if random.number(below: 2) == 0 {
                            client.connection.reset()
                        } else {
                            client.connection.finish()
                        }
                    }
                }
                try await group.waitForAll()
            }
            for handler in handlers {
                _ = await handler.end.value
                #expect(handler.end.count == 1)
                #expect(handler.opening.count == 1)
                #expect(handler.mistakes.isEmpty)
            }
            try await waitUntil { server.server.connectionCount == 0 }
        }
    }
}
