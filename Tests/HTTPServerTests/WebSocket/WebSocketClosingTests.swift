import HTTPTypes
import Testing

@testable import HTTPServer

/// As short as possible without failing on a busy machine.
private let short = Duration.milliseconds(100)

@Suite(.timeLimit(.minutes(1)))
struct WebSocketClosingTests {
    /// With a timeout long enough for a busy machine.
    private static var patient: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.closeTimeout = .seconds(60)
        return configuration
    }

    private func with<Result: Sendable>(
        _ handler: ScriptedHandler, configuration: WebSocketConfiguration = patient,
        configure: (inout HTTPServer.Configuration) -> Void = { _ in }, _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let result = try await withServer(
            webSocketResponder(configuration: configuration) { handler }, configure: configure, body)
        #expect(handler.end.count == 1)
        #expect(handler.mistakes.isEmpty)
        return result
    }

    @Test func `a client's Close is answered with its code, and the server ends the connection`() async throws {
        let handler = ScriptedHandler(echoes: true)
        try await with(handler) { server in
            let client = try await server.openWebSocket()
            try await client.send(ClientFrame.text("last") + ClientFrame.close(1001, "left") + ClientFrame.text("no"))
            #expect(await handler.end.value == .closedByClient(.goingAway, reason: "left"))
            #expect(try await client.receive() == .close(1001))
            #expect(try await client.expectEnd())
            #expect(handler.received == [.text("last")])
            client.connection.finish()
            try await waitUntil { server.server.connectionCount == 0 }
        }
    }

    @Test func `a client that half-closes right after its Close frame is still answered`() async throws {
        let handler = ScriptedHandler()
        try await with(handler) { server in
            let client = try await server.openWebSocket()
            try await client.send(ClientFrame.text("last") + ClientFrame.close(1000))
            client.connection.finish()
            #expect(await handler.end.value == .closedByClient(.normal, reason: ""))
            #expect(handler.received == [.text("last")])
            #expect(try await client.receive() == .close(1000))
        }
    }

    @Test(arguments: [true, false])
    func `a client that leaves without a Close frame counts as disconnected`(resets: Bool) async throws {
        let handler = ScriptedHandler()
        try await with(handler) { server in
            let client = try await server.openWebSocket()
            _ = await handler.opening.value
            if resets { client.connection.reset() } else { client.connection.finish() }
            #expect(await handler.end.value == .disconnected)
            try await waitUntil { server.server.connectionCount == 0 }
        }
    }

    @Test(arguments: [true, false])
    func `the server's close sends a reason, awaits the answer, and delivers no more messages`(fromLoop: Bool)
        async throws
    {
        let code = try #require(WebSocketCloseCode(rawValue: 4_000))
        let handler = ScriptedHandler { socket, _ in
            if fromLoop { socket.close(code, reason: "enough") }
        }
        try await with(handler) { server in
            let client = try await server.openWebSocket()
            let socket = await handler.opening.value
            if fromLoop {
                try await client.send(ClientFrame.text("a") + ClientFrame.text("b"))
            } else {
                socket.close(code, reason: "enough")
            }
            #expect(try await client.receive() == .close(4_000, "enough"))
            try await client.send(ClientFrame.text("c"))
            handler.give([.text("too late")])
            #expect(handler.end.count == 0)
            try await client.send(ClientFrame.close(4_000))
            #expect(try await client.expectEnd())
            #expect(await handler.end.value == .closed(code))
            let heard: [WebSocketMessage] = fromLoop ? [.text("a")] : []
            #expect(handler.received == heard)
            #expect(handler.left == 1)
            // After the end, calls are no-ops.
            socket.close(.normal)
            socket.wake()
        }
    }

    @Test func `a message in flight is completed before the Close frame`() async throws {
        let handler = ScriptedHandler()
        try await with(handler) { server in
            let client = try await server.openWebSocket(receiveBuffer: 8_192)
            let socket = await handler.opening.value
            let body = [UInt8](repeating: 1, count: 3_000_000)
            handler.give([.binary(head: [], body: body), .text("next")])
            try await waitUntil { handler.left == 1 }
            socket.close(.normal)
            #expect(try await client.receive().payload.count == body.count)
            #expect(try await client.receive() == .close(1000))
            try await client.send(ClientFrame.close(1000))
            #expect(try await client.expectEnd())
        }
    }

    @Test func `a client that never answers a Close frame is dropped`() async throws {
        let handler = ScriptedHandler()
        var configuration = WebSocketConfiguration()
        configuration.closeTimeout = short
        try await with(handler, configuration: configuration, configure: { $0.lingerTimeout = short }) { server in
            let client = try await server.openWebSocket()
            await handler.opening.value.close(.normal)
            #expect(try await client.receive() == .close(1000))
            #expect(await handler.end.value == .closed(.normal))
            try await waitUntil { server.server.connectionCount == 0 }
        }
    }

    @Test(
        arguments: [
            (ClientFrame.bytes(1, [65], isMasked: false), 1002), (ClientFrame.bytes(3), 1002),
            (ClientFrame.bytes(1, [0xFF]), 1007), (ClientFrame.bytes(2, [UInt8](repeating: 0, count: 101)), 1009),
            (ClientFrame.close(1005), 1002),
        ] as [([UInt8], UInt16)])
    func `a protocol violation is answered with its close code, and the connection ends`(
        frame: [UInt8], code: UInt16
    ) async throws {
        let handler = ScriptedHandler()
        var configuration = WebSocketConfiguration()
        configuration.maximumMessage = 100
        try await with(handler, configuration: configuration) { server in
            let client = try await server.openWebSocket()
            try await client.send(ClientFrame.text("good") + frame + ClientFrame.text("no"))
            let close = try await client.receive()
            #expect(close.opcode == 8)
            #expect(Array(close.payload.prefix(2)) == [UInt8(code >> 8), UInt8(code & 0xFF)])
            #expect(try await client.expectEnd())
            guard case .failed(let error) = await handler.end.value else {
                Issue.record("the WebSocket did not fail")
                return
            }
            #expect(error.code.rawValue == code)
            #expect(handler.received == [.text("good")])
        }
    }

    // MARK: The server stops

    @Test func `stopping closes WebSockets with 1001 and waits for their answers`() async throws {
        let handler = ScriptedHandler()
        try await with(handler) { server in
            let client = try await server.openWebSocket()
            _ = await handler.opening.value
            let start = ContinuousClock.now
            async let stopped: Void = server.server.stop(within: .seconds(55))
            #expect(try await client.receive().payload.prefix(2) == [0x03, 0xE9])
            try await client.send(ClientFrame.close(1001))
            #expect(try await client.expectEnd())
            client.connection.finish()
            await stopped
            #expect(ContinuousClock.now - start < .seconds(50))
            #expect(await handler.end.value == .closed(.goingAway))
        }
    }

    @Test func `stopping waits no longer than its time limit`() async throws {
        let handler = ScriptedHandler()
        try await with(handler) { server in
            let client = try await server.openWebSocket()
            _ = await handler.opening.value
            await server.server.stop(within: short)
            #expect(await handler.end.value == .closed(.goingAway))
            #expect(try await client.receive().payload.prefix(2) == [0x03, 0xE9])
        }
    }

    @Test func `a WebSocket opened while the server stops is closed at once`() async throws {
        let handler = ScriptedHandler()
        let held = HeldReplies(["/"])
        let answers = Signal<Response>()
        let responder = Answering { request, reply in
            answers.give(.webSocket(for: request, handler: handler))
            held.hold(reply, for: "/")
        }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(WebSocketClient.request + "\r\n")
            let reply = await held.take("/")
            async let stopped: Void = server.server.stop(within: .seconds(55))
            try await waitUntil { (try? server.connect()) == nil }
            reply?.send(await answers.value)
            #expect(try await client.receiveHead().status == 101)
            #expect(try await WebSocketClient(connection: client).receive().payload.prefix(2) == [0x03, 0xE9])
            client.reset()
            await stopped
            #expect(await handler.end.value == .closed(.goingAway))
        }
    }
}
