import EventLoops
import Locking
import TestSupport
import Testing

@testable import Postgres

private func message(_ kind: Character, _ body: [UInt8]) -> [UInt8] {
    let length = UInt32(body.count + 4)
    return [kind.asciiValue ?? 0] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + body
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct HostileServerTests {
    private static func welcome(_ facts: [String]) -> [UInt8] {
        message("R", [0, 0, 0, 0]) + facts.flatMap { message("S", Array("\($0)\0off\0".utf8)) }
            + message("K", [0, 0, 0, 1, 0, 0, 0, 2]) + message("Z", [UInt8(ascii: "I")])
    }

    /// libpq need not ask whether this server accepts writes.
    private static let wholeWelcome = welcome(["in_hot_standby", "default_transaction_read_only"])

    /// The response to the client's first query: the backend's process ID, as in the welcome.
    private static let process: [UInt8] = {
        let column = Array("a\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 8, 0, 0, 0, 0, 0, 1]
        return message("1", []) + message("2", []) + message("T", [0, 1] + column)
            + message("D", [0, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1]) + message("C", Array("SELECT 1\0".utf8))
            + message("Z", [UInt8(ascii: "I")])
    }()

    /// The outcome of a query to a server that sends `greeting` to a new connection and then `answer` to the query.
    private func outcome(
        of answer: [UInt8], after greeting: [UInt8] = wholeWelcome, within time: Duration = .milliseconds(100)
    ) async throws -> PostgresError? {
        let server = FakeRedis { conversation in
            guard conversation.hear() else { return }
            conversation.say(bytes: greeting)
            guard conversation.hear() else { return }
            conversation.say(bytes: Self.process)
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

    /// Messages that would fill the memory of a client that believed them.
    enum Lie: String, CaseIterable {
        case row, error, errors, notices, parameters, parses, columns

        /// What to send once, and then for as long as the client takes it.
        var messages: (once: [UInt8], always: [UInt8]) {
            let gigabyte: [UInt8] = [0x3f, 0xff, 0xff, 0xff]
            let column = Array("a\0".utf8) + [UInt8](repeating: 0, count: 18)
            let fields = Array("SNOTICE\0C00000\0M".utf8) + [UInt8](repeating: 0x61, count: 1000) + [0, 0]
            let started = message("1", []) + message("2", [])
            switch self {
            case .row:
                let row: [UInt8] = [0x44] + gigabyte + [0, 1, 0x3f, 0xff, 0xff, 0xf0]
                let description = message("T", [0, 1] + column)
                return (started + description + row, [UInt8](repeating: 0x61, count: 65_536))
            case .error:
                let head: [UInt8] = [0x45] + gigabyte + [0x4d]
                return (head, [UInt8](repeating: 0x61, count: 65_536))
            case .errors: return (started, message("E", fields))
            case .notices: return (started, message("N", fields))
            case .parameters:
                var all: [UInt8] = []
                for number in 0..<100 { all += message("S", Array("\(number)\0x\0".utf8)) }
                return (started, all)
            case .parses:
                var all: [UInt8] = []
                for _ in 0..<1000 { all += message("1", []) }
                return ([], all)
            case .columns:
                let row = [UInt8](repeating: 0xff, count: 2 + 4 * 65_535)
                var head: [UInt8] = [0xff, 0xff]
                for _ in 0..<65_535 { head += column }
                return (started + message("T", head), message("D", row))
            }
        }
    }

    @Test(arguments: Lie.allCases, [true, false])
    func `a server that sends without end is left with a reason, and soon`(lie: Lie, isLetIn: Bool) async throws {
        let (once, always) = lie.messages
        let sent = Guarded(0)
        let server = FakeRedis { conversation in
            guard conversation.hear() else { return }
            if isLetIn {
                conversation.say(bytes: Self.wholeWelcome)
                guard conversation.hear() else { return }
            } else {
                // Authentication has succeeded, but the greeting does not end.
                conversation.say(bytes: message("R", [0, 0, 0, 0]))
            }
            guard conversation.say(bytes: once) else { return }
            while sent.withLock({ $0 }) < 256 << 20, conversation.say(bytes: always) {
                sent.withLock { $0 += always.count }
            }
            conversation.ignoreBytes()
        }
        defer { server.close() }
        var configuration = PostgresConnection.Configuration()
        configuration.greetingTime = .seconds(60)
        let speaker = try Speaker("postgres://a@127.0.0.1:\(server.port)/x?sslmode=disable", configuration)
        let error = await #expect(throws: PostgresError.self) {
            try await speaker.connect()
            _ = try await speaker.ask("SELECT 1", within: .seconds(60))
        }
        guard case .disconnected? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        // A few megabytes, and what the kernel's buffers hold on the way.
        #expect(sent.withLock { $0 } < 40 << 20)
        await speaker.stop()
    }

    @Test func `an invalid response ends the connection and does no other harm`() async throws {
        let none = "12n".flatMap { message($0, []) } + message("C", Array("SELECT 0\0".utf8))
        let rest = message("Z", [UInt8(ascii: "I")])
        #expect(try await outcome(of: none + rest, within: .seconds(20)) == nil)
        let copy = message("G", [0, 0, 0])
        for answer in [copy, message("W", [0, 0, 0]), Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [0xff], []] {
            #expect(try await outcome(of: answer) != nil)
        }
    }

    @Test(arguments: [false, true]) func `a query ends, whatever the server sends`(isLetIn: Bool) async throws {
        var random = SeededRandom(seed: 7)
        var ends = 0
        for _ in 0..<60 {
            var words: [UInt8] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let kind = "12CDEGHINRSTVWZcdnstv".randomElement(using: &random) ?? "D"
                let body = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                    Bool.random(using: &random) ? UInt8.random(in: .min ... .max, using: &random) : 0
                }
                words += message(kind, body)
            }
            let error = try await outcome(of: words, after: isLetIn ? Self.wholeWelcome : Self.welcome([]) + words)
            if error != nil { ends += 1 }
        }
        #expect(ends > 30)
    }
}
