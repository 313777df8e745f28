import EventLoops
import TestSupport
import Testing

@testable import Postgres

@Suite(.serialized, .timeLimit(.minutes(2))) struct HostileServerTests {
    private static func message(_ kind: Character, _ body: [UInt8]) -> [UInt8] {
        let length = UInt32(body.count + 4)
        return [kind.asciiValue ?? 0] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + body
    }

    private static func welcome(_ facts: [String]) -> [UInt8] {
        message("R", [0, 0, 0, 0]) + facts.flatMap { message("S", Array("\($0)\0off\0".utf8)) }
            + message("K", [0, 0, 0, 1, 0, 0, 0, 2]) + message("Z", [UInt8(ascii: "I")])
    }

    /// libpq need not ask whether this one can be written to.
    private static let wholeWelcome = welcome(["in_hot_standby", "default_transaction_read_only"])

    /// What a query comes to, of a server that says `greeting` to who comes and `answer` to what it is asked then.
    private func outcome(
        of answer: [UInt8], after greeting: [UInt8] = wholeWelcome, within time: Duration = .milliseconds(100)
    ) async throws -> PostgresError? {
        let server = FakeRedis { conversation in
            guard conversation.hear() else { return }
            conversation.say(bytes: greeting)
            guard conversation.hear() else { return }
            conversation.say(bytes: answer)
            conversation.ignoreBytes()
        }
        defer { server.close() }
        var configuration = PostgresConnection.Configuration()
        configuration.greetingTime = time
        let speaker = try Speaker("postgres://a@127.0.0.1:\(server.port)/x?sslmode=disable", configuration)
        do {
            try await speaker.connect()
            _ = try await speaker.ask("SELECT 1", within: time)
            await speaker.stop()
            return nil
        } catch {
            await speaker.stop()
            return error as? PostgresError
        }
    }

    @Test func `what is no answer ends the connection, and nothing else`() async throws {
        let none = "12n".flatMap { Self.message($0, []) } + Self.message("C", Array("SELECT 0\0".utf8))
        let rest = Self.message("Z", [UInt8(ascii: "I")])
        #expect(try await outcome(of: none + rest, within: .seconds(20)) == nil)
        let copy = Self.message("G", [0, 0, 0])
        for answer in [copy, Self.message("W", [0, 0, 0]), Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [0xff], []] {
            #expect(try await outcome(of: answer) != nil)
        }
    }

    @Test(arguments: [false, true]) func `whatever a server says, a query comes to an end`(isLetIn: Bool) async throws {
        var random = SeededRandom(seed: 7)
        var ends = 0
        for _ in 0..<60 {
            var words: [UInt8] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let kind = "12CDEGHINRSTVWZcdnstv".randomElement(using: &random) ?? "D"
                let body = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                    Bool.random(using: &random) ? UInt8.random(in: .min ... .max, using: &random) : 0
                }
                words += Self.message(kind, body)
            }
            let error = try await outcome(of: words, after: isLetIn ? Self.wholeWelcome : Self.welcome([]) + words)
            if error != nil { ends += 1 }
        }
        #expect(ends > 30)
    }
}
