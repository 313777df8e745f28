import EventLoops
import TestSupport
import Testing

@testable import Postgres

@Suite(.serialized, .timeLimit(.minutes(2))) struct HostileServerTests {
    private static func message(_ kind: Character, _ body: [UInt8]) -> [UInt8] {
        let length = UInt32(body.count + 4)
        return [kind.asciiValue ?? 0] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + body
    }

    private static let welcome =
        message("R", [0, 0, 0, 0]) + message("K", [0, 0, 0, 1, 0, 0, 0, 2]) + message("Z", [UInt8(ascii: "I")])

    /// What a query comes to, of a server that says this after it has let one in.
    private func outcome(_ answer: [UInt8]) async throws -> PostgresError? {
        let server = FakeRedis { conversation in
            conversation.say(bytes: Self.welcome + answer)
            conversation.ignoreBytes()
        }
        defer { server.close() }
        let speaker = try Speaker("postgres://a@127.0.0.1:\(server.port)/x?sslmode=disable")
        do {
            try await speaker.connect()
            _ = try await speaker.ask("SELECT 1", within: .milliseconds(200))
            await speaker.stop()
            return nil
        } catch {
            await speaker.stop()
            return error as? PostgresError
        }
    }

    @Test func `what is no answer ends the connection, and nothing else`() async throws {
        let copy = Self.message("G", [0, 0, 0])
        for answer in [copy, Self.message("W", [0, 0, 0]), Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [0xff], []] {
            #expect(try await outcome(answer) != nil)
        }
    }

    @Test func `whatever a server says, a query comes to an end`() async throws {
        var random = SeededRandom(seed: 7)
        var ends = 0
        for _ in 0..<60 {
            var answer: [UInt8] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let kind = "12CDEGHINRSTVWZcdnstv".randomElement(using: &random) ?? "D"
                let body = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                    Bool.random(using: &random) ? UInt8.random(in: .min ... .max, using: &random) : 0
                }
                answer += Self.message(kind, body)
            }
            if try await outcome(answer) != nil { ends += 1 }
        }
        #expect(ends > 30)
    }
}
