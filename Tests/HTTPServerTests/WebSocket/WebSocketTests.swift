import HTTPTypes
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct WebSocketTests {
    @Test func `messages of every length of length come back as they went`() async throws {
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
}
