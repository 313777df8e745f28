import HTTPTypes
import TestSupport
import Testing

@testable import HTTPServer

/// What a parser made of some bytes, in a comparable form: bodies are joined, however they were split.
private struct Parsed: Equatable {
    struct Message: Equatable {
        var head: String
        var body = ""
        var isWhole = false
    }

    var messages: [Message] = []
    var error: RequestError?
    var isBetweenRequests = false

    init(_ pieces: [[UInt8]], limits: RequestParser.Limits = .init()) {
        var parser = RequestParser(limits: limits)
        do throws(RequestError) {
            for piece in pieces {
                parser.append(piece)
                while let event = try parser.next() { add(event) }
            }
            isBetweenRequests = parser.isBetweenRequests
        } catch {
            self.error = error
        }
    }

    init(_ text: String, limits: RequestParser.Limits = .init()) {
        self.init([Array(text.utf8)], limits: limits)
    }

    private mutating func add(_ event: RequestParser.Event) {
        switch event {
        case .head(let head):
            messages.append(Message(head: "\(head.framing) \(String(decoding: head.bytes, as: UTF8.self))"))
        case .body(let bytes):
            precondition(!bytes.isEmpty, "a body event has bytes")
            // As Latin-1, which no split can break.
            messages[messages.count - 1].body += String(decoding: bytes.map { UInt16($0) }, as: UTF16.self)
        case .end: messages[messages.count - 1].isWhole = true
        }
    }
}

private func head(_ text: String) throws -> RequestHead {
    var parser = RequestParser(limits: .init())
    parser.append(Array(text.utf8))
    guard case .head(let head) = try parser.next() else { throw RequestError.malformed("no head") }
    return head
}

extension RequestHead {
    fileprivate func text(_ range: Range<Int>?) -> String? {
        range.map { String(decoding: bytes[$0], as: UTF8.self) }
    }
}

@Suite struct RequestParserTests {
    @Test func `a request is split into method, target and fields`() throws {
        let head = try head(
            "GET /images/a%20b?v=1&w=2 HTTP/1.1\r\nHost: example.org:8080\r\nAccept:  image/avif \t\r\n\r\n")
        #expect(head.method == .get)
        #expect(head.text(head.path) == "/images/a%20b")
        #expect(head.text(head.query) == "v=1&w=2")
        #expect(head.text(head.authority) == "example.org:8080")
        #expect(head.framing == .none)
        #expect(head.keepsAlive)
        let headers = RequestHeaders(head: head)
        #expect(headers[.accept] == "image/avif")
        #expect(headers[.userAgent] == nil)
        #expect(headers.fields.count == 2)
    }

    @Test func `repeated fields are combined into one value`() throws {
        let head = try head("GET / HTTP/1.1\r\nHost: h\r\nACCEPT: a\r\nCookie: x=1\r\naccept: b\r\nCookie: y=2\r\n\r\n")
        let headers = RequestHeaders(head: head)
        #expect(headers[.accept] == "a, b")
        #expect(headers[.cookie] == "x=1; y=2")
        #expect(headers.values(of: .accept) == ["a", "b"])
    }

    @Test func `bytes outside ASCII in a field are ISO 8859-1, so that no field has combining marks`() throws {
        let head = try head("GET / HTTP/1.1\r\nHost: h\r\nIf-None-Match: \"caf\u{e9}\u{301}\"\r\n\r\n")
        let value = "\"caf\u{c3}\u{a9}\u{cc}\u{81}\""
        let headers = RequestHeaders(head: head)
        #expect(headers[.ifNoneMatch] == value)
        #expect(headers.values(of: .ifNoneMatch) == [value])
        #expect(headers.fields[.ifNoneMatch] == value)
    }

    @Test(
        arguments: [
            ("http://example.org/a?b", "/a", "b", "example.org"),
            ("HTTP://example.org:80", "/", nil, "example.org:80"),
            ("http://[::1]:8080?q", "/", "q", "[::1]:8080"),
            ("/?", "/", "", "other"),
            ("//double//slash", "//double//slash", nil, "other"),
        ] as [(String, String, String?, String)])
    func `an absolute target overrides Host`(
        target: String, path: String, query: String?, authority: String
    ) throws {
        let head = try head("GET \(target) HTTP/1.1\r\nHost: other\r\n\r\n")
        #expect(head.text(head.path) == path)
        #expect(head.text(head.query) == query)
        #expect(head.text(head.authority) == authority)
    }

    @Test func `pipelined requests are parsed one after another`() {
        let parsed = Parsed(
            "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n"
                + "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\n00a\r\n0123456789\r\n0\r\nT: 1\r\n\r\n"
        )
        #expect(parsed.error == nil)
        #expect(parsed.messages.map(\.body) == ["abc", "", "abc0123456789"])
        #expect(!parsed.messages.contains { !$0.isWhole })
        #expect(parsed.isBetweenRequests)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
        ("HTTP/1.1", "Connection: foo, CLOSE\r\n", false), ("HTTP/1.1", "Connection: keep-alive\r\n", true),
        ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
        ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
    ])
    func `version and Connection decide whether the connection is kept alive`(
        version: String, field: String, lives: Bool
    ) throws {
        #expect(try head("GET / \(version)\r\nHost: h\r\n\(field)\r\n").keepsAlive == lives)
    }

    @Test func `Host may be missing only in HTTP 1·0`() {
        #expect(Parsed("GET / HTTP/1.0\r\n\r\n").error == nil)
        #expect(Parsed("GET / HTTP/1.1\r\n\r\n").error?.status == .badRequest)
    }

    @Test func `100-continue counts only in HTTP 1·1 and with a body`() throws {
        let fields = "Host: h\r\nExpect: 100-Continue\r\n"
        #expect(try head("POST / HTTP/1.1\r\n\(fields)Content-Length: 1\r\n\r\n").expectsContinue)
        #expect(try !head("POST / HTTP/1.1\r\n\(fields)Content-Length: 0\r\n\r\n").expectsContinue)
        #expect(try !head("POST / HTTP/1.0\r\n\(fields)Content-Length: 1\r\n\r\n").expectsContinue)
        #expect(Parsed("POST / HTTP/1.1\r\nHost: h\r\nExpect: beer\r\n\r\n").error?.status == .expectationFailed)
    }

    @Test(arguments: [
        ("", false), (",", false), ("100-continue, 100-Continue", true), (", 100-continue ,", true),
        ("100-continue\r\nExpect: 100-continue", true), ("\r\nExpect: 100-continue", true),
    ])
    func `Expect is a list, whose empty elements are ignored`(value: String, expects: Bool) throws {
        let request = "POST / HTTP/1.1\r\nHost: h\r\nExpect: \(value)\r\nContent-Length: 1\r\n\r\n"
        #expect(try head(request).expectsContinue == expects)
    }

    @Test(arguments: ["beer", "100-continue, beer", "beer\r\nExpect: 100-continue", "100-continue=1"])
    func `an unknown expectation is 417`(value: String) {
        let request = "POST / HTTP/1.1\r\nHost: h\r\nExpect: \(value)\r\nContent-Length: 1\r\n\r\n"
        #expect(Parsed(request).error?.status == .expectationFailed)
    }

    @Test func `an unknown minor version is treated as the highest known one`() throws {
        for minor in 2...9 {
            let head = try head("GET / HTTP/1.\(minor)\r\nHost: h\r\n\r\n")
            #expect(head.minorVersion == 1 && head.keepsAlive)
        }
    }

    @Test func `an https target is misdirected`() {
        let parsed = Parsed("GET HTTPS://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(parsed.error?.status == .misdirectedRequest)
    }

    static let hosts = [
        "", "h", "localhost:8080", "localhost:", "a.b-c_d~e", "%41.example", "0.0.0.0=5000", "[::1]", "[::1]:80",
        "[::ffff:1.2.3.4]", "[2001:DB8::1]", "[v7.a:b]", "(a;b)*!$&'+,",
    ]

    static let invalidHosts = [
        "localhost:abc", "localhost:80:80", "localhost:8 0", "[::1]x", "[::1", "::1", "::1]", "[]", "[h]",
        "[127.0.0.1]",
        "[::1%25eth0]", "[::1]:x", "[v7]", "[v.a]", "[[::1]]", "local%zz", "local%4", "local%", "a[b]", "a b", "u@h",
        "h/p", "h?q", "h#f", "\"h\"", "h\\p",
    ]

    @Test(arguments: hosts) func `a valid authority is accepted`(host: String) throws {
        let request = try head("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(request.text(request.authority) == host)
        guard !host.isEmpty, !host.hasPrefix(":") else { return }
        let absolute = try head("GET http://\(host)/ HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(absolute.text(absolute.authority) == host)
    }

    @Test(arguments: invalidHosts) func `an invalid authority is 400, in Host and in a target`(host: String) {
        #expect(Parsed("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").error?.status == .badRequest)
        // In a target, the authority ends at one of these characters.
        guard !host.contains(where: { "/?".contains($0) }) else { return }
        #expect(Parsed("GET http://\(host)/ HTTP/1.1\r\nHost: h\r\n\r\n").error?.status == .badRequest)
    }

    @Test(arguments: ["http://:80/", "http://"]) func `a target with an empty host is 400`(target: String) {
        #expect(Parsed("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n").error?.status == .badRequest)
    }

    @Test(arguments: [
        ";a", ";a=b", ";a=b;c;d=e", " ;a", "\t; a = b ;\tc", ";a=\"b\"", ";a=\"b; \\\"c\\\\\"", ";a=\"\"",
        ";a = \"b\" ; c",
    ])
    func `valid chunk extensions are accepted, even with superfluous white space`(text: String) {
        let parsed = Parsed(Self.chunked("1\(text)\r\na\r\n0\(text)\r\n\r\n"))
        #expect(parsed.messages.map(\.body) == ["a"])
        #expect(parsed.error == nil && parsed.isBetweenRequests)
    }

    @Test(arguments: [
        ";", ";;", ";a;", "; ", " ", " a", "g", ";=b", ";a=", ";a= ", ";a b", ";a=b c", ";a=\"b", ";a=\"b\"c",
        ";a=\"b\\\"",
        ";a=b ", ";a ", ";a==b", ";a=(", ";(", ";a,b", ";a=\"\u{1}\"", ";\u{E9}",
    ])
    func `an invalid chunk extension is 400`(text: String) {
        #expect(Parsed(Self.chunked("1\(text)\r\na\r\n")).error?.status == .badRequest)
        #expect(Parsed(Self.chunked("0\(text)\r\n\r\n")).error?.status == .badRequest)
    }

    @Test func `chunks that consist mostly of framing are limited`() {
        let drips = String(repeating: "1\r\na\r\n", count: 130_000)
        #expect(Parsed(Self.chunked(drips)).error?.status == .badRequest)
        // Chunks of two bytes justify their framing, however many there are.
        let pairs = String(repeating: "2\r\nab\r\n", count: 60_000)
        #expect(Parsed(Self.chunked(pairs + "0\r\n\r\n")).messages.first?.isWhole == true)
        // A client that writes its few bytes one by one is no attack.
        let few = String(repeating: "1\r\na\r\n", count: 4_000)
        #expect(Parsed(Self.chunked(few + "0\r\n\r\n")).messages.first?.isWhole == true)
    }

    /// Requests that could be smuggled past a proxy, or are ambiguous.
    static let malformed: [String] = [
        "GET / HTTP/1.1\nHost: h\n\n",
        "GET / HTTP/1.1\r\nHost: h\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\n\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\u{7F}\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n\tfolded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX(: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX\u{E9}: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: user@h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h/path\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /  HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n",
        " GET / HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: h\r\n\r\n",
        "GET / http/1.1\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1.1\r\nHost: h\r\n\r\n",
        "GET /\r\nHost: h\r\n\r\n",
        "GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /\u{E9} HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET a HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET * HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET http:// HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET http:///a HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET http://u@h/ HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n",
        "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1 1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        chunked("g\r\n"), chunked("\r\n"), chunked("0x1\r\na\r\n"), chunked("-1\r\n"), chunked("1 \r\na\r\n"),
        chunked(" 1\r\na\r\n"), chunked("1\na\r\n"), chunked("1\r\nab\r\n"), chunked("1\r\na\n0\r\n\r\n"),
        chunked("1;a\rb\r\na\r\n"), chunked("1;\0\r\na\r\n"), chunked("ffffffffffffffff\r\n"),
        chunked("8000000000000000\r\n"), chunked("0000000000000001\r\na\r\n"),
        chunked("1;" + String(repeating: "x", count: 300) + "\r\na\r\n"),
        chunked("0\r\nBad : x\r\n\r\n"), chunked("0\r\n folded\r\n\r\n"), chunked("0\r\nX: y\n\r\n"),
    ]

    static func chunked(_ body: String) -> String {
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + body
    }

    @Test(arguments: malformed) func `a malformed or ambiguous request is 400`(text: String) {
        let parsed = Parsed(text)
        #expect(parsed.error?.status == .badRequest)
        #expect(!parsed.messages.contains { $0.isWhole })
    }

    @Test(arguments: [
        ("GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\n", 414),
        (String(repeating: "a", count: 9_000), 414),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "a", count: 17_000))", 431),
        ("GET / HTTP/1.1\r\nHost: h\r\n" + String(repeating: "X: aaaaaaaaaa\r\n", count: 101), 431),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1048577\r\n\r\n", 413),
        (chunked("100001\r\n"), 413),
        (chunked("0\r\n" + String(repeating: "X: aaaaaaaaaa\r\n", count: 101)), 431),
        (chunked("0\r\nX: " + String(repeating: "a", count: 17_000)), 431),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity\r\n\r\n", 400),
        ("CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", 501),
        ("PRI * HTTP/2.0\r\n\r\n", 505), ("GET / HTTP/2.1\r\nHost: h\r\n\r\n", 505), ("GET / HTTP/0.9\r\n\r\n", 505),
    ])
    func `a request over a limit or with an unsupported feature gets the status for it`(text: String, status: Int) {
        #expect(Parsed(text).error?.status.code == status)
    }

    @Test func `chunk extensions are limited in total`() {
        let parsed = Parsed(
            Self.chunked(String(repeating: "1;\(String(repeating: "x", count: 200))\r\na\r\n", count: 30)))
        #expect(parsed.error?.status == .badRequest)
    }

    @Test func `chunks that together exceed the body limit are 413`() {
        var limits = RequestParser.Limits()
        limits.body = 10
        #expect(Parsed(Self.chunked("5\r\nabcde\r\n5\r\nabcde\r\n0\r\n\r\n"), limits: limits).error == nil)
        #expect(
            Parsed(Self.chunked("5\r\nabcde\r\n6\r\nabcdef\r\n0\r\n\r\n"), limits: limits).error
                == .bodyTooLarge(limit: 10))
    }

    @Test func `an error is permanent`() {
        var parser = RequestParser(limits: .init())
        parser.append(Array("BAD\r\n".utf8))
        #expect(throws: RequestError.self) { try parser.next() }
        parser.append(Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
        #expect(throws: RequestError.self) { try parser.next() }
    }

    // MARK: Random input

    private static let corpus =
        malformed + [
            "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET /a?b HTTP/1.1\r\nHost: h\r\nAccept: x\r\nCookie: a=b\r\n\r\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 12\r\n\r\nhello, world\r\nHEAD / HTTP/1.0\r\n\r\n",
            chunked("5;a=b\r\nhello\r\n7\r\n, world\r\n0\r\nT: x\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
            "OPTIONS * HTTP/1.1\r\nHost:\r\n\r\nDELETE http://h/x HTTP/1.1\r\nHost: h\r\n\r\n",
        ] + StrictRequestTests.cases.map(\.text)

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `requests parse the same however their bytes are split`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for text in Self.corpus {
            let bytes = Array(text.utf8)
            let whole = Parsed([bytes])
            #expect(Parsed(bytes.map { [$0] }) == whole)
            for _ in 0..<5 {
                var pieces: [[UInt8]] = []
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = 1 + random.number(below: min(rest.count, 20))
                    pieces.append(Array(rest.prefix(count)))
                    rest = rest.dropFirst(count)
                }
                #expect(Parsed(pieces) == whole)
            }
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `mutated bytes never crash the parser, and parse the same however they are split`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let spice: [UInt8] = Array("\r\n \t:;,0aF\0\u{7F}".utf8) + [0x80, 0xFF]
        for _ in 0..<1_500 {
            var bytes = Array(Self.corpus[random.number(below: Self.corpus.count)].utf8)
            for _ in 0..<(1 + random.number(below: 4)) {
                let position = random.number(below: bytes.count)
                switch random.number(below: 4) {
                case 0: bytes[position] = spice[random.number(below: spice.count)]
                case 1: bytes.insert(spice[random.number(below: spice.count)], at: position)
                case 2 where bytes.count > 1: bytes.remove(at: position)
                default: bytes += Array(Self.corpus[random.number(below: Self.corpus.count)].utf8)
                }
            }
            let cut = random.number(below: bytes.count)
            let whole = Parsed([bytes])
            let halves = Parsed([Array(bytes[..<cut]), Array(bytes[cut...])])
            #expect(whole == halves, "\(String(decoding: bytes, as: UTF8.self).debugDescription) cut at \(cut)")
        }
    }
}
