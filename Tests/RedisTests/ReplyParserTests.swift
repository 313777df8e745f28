import TestSupport
import Testing

@testable import Redis

@Suite struct ReplyParserTests {
    private let bounds = ReplyParser.Bounds(bytes: 1_000, elements: 20, depth: 3, line: 100)

    private func read(_ text: String, inPiecesOf length: Int = .max) throws -> [RedisReply] {
        var parser = ReplyParser(bounds: bounds)
        var replies: [RedisReply] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            parser.append(rest.prefix(length))
            rest = rest.dropFirst(length)
            while let reply = try parser.next() { replies.append(reply) }
        }
        return replies
    }

    @Test(arguments: [1, 2, 3, 7, .max]) func `every type of reply is parsed, however it is split`(length: Int) throws {
        let text =
            "+OK\r\n-ERR no\r\n:-42\r\n$5\r\na\r\nbc\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n*3\r\n:1\r\n*2\r\n+a\r\n$-1\r\n$1\r\nz\r\n"
        #expect(
            try read(text, inPiecesOf: length) == [
                .bytes(Array("OK".utf8)), .error("ERR no"), .integer(-42), .bytes(Array("a\r\nbc".utf8)), .bytes([]),
                .nothing, .nothing, .list([]),
                .list([.integer(1), .list([.bytes([0x61]), .nothing]), .bytes([0x7a])]),
            ])
    }

    @Test(arguments: [
        "OK\r\n", "\r\n", "\n", "+OK\n", "+O\nK\r\n", "+OK\rx", ":\r\n", ":+1\r\n", ":1x\r\n",
        ":99999999999999999999\r\n",
        "$\r\n", "$-2\r\n", "$1\r\nab\r\n", "$1\r\na\rb", "*-2\r\n", "*x\r\n", "*1\r\n_\r\n", "_\r\n", "#t\r\n",
        ",1.5\r\n", "(1\r\n",
        "!3\r\nERR\r\n", "=5\r\ntxt:a\r\n", "%1\r\n+a\r\n+b\r\n", "~1\r\n+a\r\n", ">1\r\n+a\r\n", "|1\r\n+a\r\n+b\r\n",
        "HTTP/1.1 400 Bad Request\r\n",
    ]) func `malformed input is rejected`(text: String) {
        #expect(throws: ReplyError.malformed) { try read(text) }
        #expect(throws: ReplyError.malformed) { try read(text, inPiecesOf: 1) }
    }

    @Test func `an oversized reply is rejected before it has arrived`() {
        for text in [
            "$1000\r\n", "$9223372036854775807\r\n", "*21\r\n", "*9223372036854775807\r\n",
            "*2\r\n*10\r\n" + String(repeating: ":1\r\n", count: 10) + "*9\r\n",
            "+" + String(repeating: "a", count: 100),
        ] {
            #expect(throws: ReplyError.self, "\(text)") { try read(text) }
        }
        let long = String(repeating: "a", count: 200)
        #expect(throws: ReplyError.tooLarge) {
            try read("*9\r\n" + String(repeating: "$200\r\n\(long)\r\n", count: 9))
        }
    }

    @Test func `limits apply to each reply, not to all together`() throws {
        let long = String(repeating: "a", count: 900)
        #expect(
            try read(
                String(repeating: "$900\r\n\(long)\r\n*15\r\n" + String(repeating: ":1\r\n", count: 15), count: 50)
            ).count == 100)
    }

    @Test func `nested lists are read up to the maximum depth`() throws {
        #expect(try read("*1\r\n*1\r\n*1\r\n:1\r\n") == [.list([.list([.list([.integer(1)])])])])
        #expect(throws: ReplyError.tooDeep) { try read("*1\r\n*1\r\n*1\r\n*1\r\n") }
        #expect(try read("*1\r\n*1\r\n*1\r\n*0\r\n") == [.list([.list([.list([.list([])])])])])
    }

    @Test func `random bytes never crash the parser, and the result does not depend on how they are split`() {
        var random = SeededRandom(seed: 5)
        let signs = Array("+-:$*\r\n\r\n0123a_>".utf8)
        for _ in 0..<20_000 {
            let text = String(
                decoding: (0..<random.number(below: 40)).map { _ in signs[random.number(below: signs.count)] },
                as: UTF8.self)
            let (whole, cut) = (try? read(text), try? read(text, inPiecesOf: 1))
            #expect(whole == cut, "\(text)")
        }
    }
}
