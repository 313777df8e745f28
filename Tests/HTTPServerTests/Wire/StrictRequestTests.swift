import HTTPTypes
import Testing

@testable import HTTPServer

/// The outcome of some bytes.
enum Verdict: Equatable {
    /// Complete, with these bodies in order.
    case taken([String])
    /// More bytes are needed.
    case waits
    case refused(Int)
}

/// Some bytes and their correct outcome.
struct Case: CustomTestStringConvertible {
    let text: String
    let verdict: Verdict

    init(_ text: String, _ verdict: Verdict) {
        self.text = text
        self.verdict = verdict
    }

    var testDescription: String { text.debugDescription }
}

/// Test cases of other HTTP parsers, judged only by the RFC: accepted (with the body), incomplete, or rejected with a
/// status. Every accepted request names a host, as it must (RFC 9112 §3.2).
@Suite struct StrictRequestTests {
    private static func verdict(of text: String) -> Verdict {
        var parser = RequestParser(limits: .init())
        // As Latin-1, so that a test can name any byte.
        parser.append(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        var bodies: [String] = []
        var isWhole = true
        do throws(RequestError) {
            while let event = try parser.next() {
                switch event {
                case .head:
                    bodies.append("")
                    isWhole = false
                case .body(let bytes): bodies[bodies.count - 1] += String(decoding: bytes, as: UTF8.self)
                case .end: isWhole = true
                }
            }
        } catch {
            return .refused(error.status.code)
        }
        return isWhole && parser.isBetweenRequests ? .taken(bodies) : .waits
    }

    private static let one: Verdict = .taken([""])
    private static let bad: Verdict = .refused(400)

    private static func get(_ target: String, _ fields: String = "", version: String = "HTTP/1.1") -> String {
        "GET \(target) \(version)\r\nHost: h\r\n\(fields)\r\n"
    }

    private static func put(_ fields: String, _ body: String = "") -> String {
        "PUT /url HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n\(body)"
    }

    private static func chunked(_ body: String) -> String { put("Transfer-Encoding: chunked", body) }

    // MARK: Incomplete heads

    static let pieces: [String] = [
        "G", "GET ", "GET /hello", "GET /hello ", "GET /hello HTTP", "GET /hello HTTP/1.1", "GET /hello HTTP/1.1\r",
        "GET /hello HTTP/1.1\r\n", "GET /hello HTTP/1.1\r\nHos", "GET /hello HTTP/1.1\r\nHost:",
        "GET /hello HTTP/1.1\r\nHost: ", "GET /hello HTTP/1.1\r\nHost: localhost",
        "GET /hello HTTP/1.1\r\nHost: localhost\r",
        "GET /hello HTTP/1.1\r\nHost: localhost\r\n", "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r",
        "PUT / HTTP/1.1\r\nContent-Leng", "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nfo",
    ]

    @Test(arguments: pieces) func `an incomplete request waits for more bytes`(text: String) {
        #expect(Self.verdict(of: text) == .waits)
    }

    // MARK: Request lines and targets (RFC 9112 §2, §3)

    static let lines: [Case] = [
        Case(get("/test"), one), Case("HEAD /url HTTP/1.1\r\nHost: h\r\n\r\n", one),
        Case("OPTIONS /url HTTP/1.1\r\nHost: h\r\nHeader2:\t Value2\r\n\r\n", one),
        Case("GET / HTTP/1.1\r\n\r\n", bad), Case("GET / HTTP/1.0\r\nAccept: */*\r\n\r\n", one),
        Case("\r\n" + get("/test"), one), Case("\r\n\r\n" + get("/test"), bad),
        Case("GET /\r\n\r\n", bad), Case("GET / \r\n\r\n", bad), Case("GET / HTTP/1.1\rLine: 1\r\n", bad),
        Case("Extra lineGET / HTTP/1.1\r\nHost: h\r\n\r\n", bad), Case("GET\r\n", bad), Case("\0" + get("/"), bad),
        Case(get("/", version: "HTTP/5.6"), .refused(505)), Case(get("/", version: "HTTP/9.9"), .refused(505)),
        Case(get("/", version: "HTTP/1.10"), bad), Case(get("/", version: "HTTP/01.1"), bad),
        Case(get("/", version: "HTTP/1."), bad), Case(get("/", version: "HTTP/.1"), bad),
        Case(get("/", version: "HTTP/1,1"), bad), Case(get("/", version: "ICE/1.0"), bad),
        Case(get("/", version: "IHTTP/1.0"), bad), Case(get("/", version: "RTSP/1.0"), bad),
        Case(get("/", version: "HTTPS/1.1"), bad), Case(get("/", version: "HTTP/1.1\tx"), bad),
        Case(get("/test.cgi?foo=bar?baz"), one), Case(get("/test.cgi?query=|"), one),
        Case(get("/with_\"lovely\"_quotes?foo=\\\"bar\\\""), one), Case(get("http://example.org?hail=all"), one),
        Case(get("http://example.org:1234?hail=all"), one), Case(get("http://example.org:1234"), one),
        Case(get("/forums/1?page=1#posts-17408"), bad), Case(get("/\u{CE}\u{B4}\u{C2}\u{B6}"), bad),
        Case(get("http://a%12:b!&*$@example.org:1234/toto"), bad), Case(get("/foo bar/"), bad),
        Case(get("*"), bad), Case("OPTIONS * HTTP/1.1\r\nHost:\r\n\r\n", one), Case(get("https://h/"), .refused(421)),
        Case(get("example.org"), bad), Case(get("/\u{7F}"), bad), Case(get("/\u{1}"), bad), Case(get(""), bad),
    ]

    @Test(arguments: lines) func `request lines are accepted or refused as RFC 9112 §3 specifies`(given: Case) {
        #expect(Self.verdict(of: given.text) == given.verdict)
    }

    // MARK: Methods (RFC 9110 §9)

    static let methods: [Case] =
        [
            "REPORT", "PURGE", "SEARCH", "LINK", "UNLINK", "SOURCE", "PATCH", "MKCOLA", "M-SEARCH", "ANNOUNCE", "PRI",
            "get",
        ].map { Case("\($0) /x HTTP/1.1\r\nHost: h\r\n\r\n", one) } + [
            Case("QUERY /c HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nselect", .taken(["select"])),
            Case("CONNECT example.org:443 HTTP/1.0\r\n\r\n", .refused(501)),
            Case("CONNECT HOME_0.EXAMPLE:443 HTTP/1.1\r\nHost: h\r\n\r\n", .refused(501)),
            Case("CONNECT h:443 HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nblar", .refused(501)),
            Case("PRI * HTTP/1.1\r\n\r\nSM\r\n\r\n", bad), Case("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .refused(505)),
            Case("M-SEARCH * HTTP/1.1\r\nHost: h\r\n\r\n", bad), Case("G(T / HTTP/1.1\r\nHost: h\r\n\r\n", bad),
            Case("G\u{E9}T / HTTP/1.1\r\nHost: h\r\n\r\n", bad),
        ]

    @Test(arguments: methods) func `methods are tokens, and their meaning is left to the router`(given: Case) {
        #expect(Self.verdict(of: given.text) == given.verdict)
    }

    // MARK: Fields (RFC 9112 §5, RFC 9110 §5)

    static let fields: [Case] = [
        Case("GET / HTTP/1.1\r\nhoSt:\texample.com\r\nempty:\r\n\r\n", one), Case(get("/", "X-Empty: \r\n"), one),
        Case(get("/", "aaaaaaaaaaaaa:++++++++++\r\n"), one), Case(get("/", "Test: D\u{C3}\u{BC}sseldorf\r\n"), one),
        Case(get("/", "X: \u{FF}Value\r\n"), one), Case(get("/", "X: a\tb \t\r\n"), one),
        Case("GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", bad),
        Case("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", bad), Case(get("/", "Host: h\r\n"), bad),
        Case(get("/", "Line1:   abc\r\n\tdef\r\n ghi\r\n"), bad), Case(get("/", "Line3:\r\n line3\r\n"), bad),
        Case(get("/", "Line1:   abc\n\tdef\r\n"), bad), Case(get("/", "Line4: \r\n \r\n"), bad),
        Case(get("/", "Connection:\r\n close\r\n"), bad), Case(get("/", "Foo: 1\rBar: 2\r\n"), bad),
        Case(get("/", "x:x\nTransfer-Encoding: chunked\r\n"), bad),
        Case(get("/", "x:\nTransfer-Encoding: chunked\r\n"), bad),
        Case(get("/", "x:\rTransfer-Encoding: chunked\r\n"), bad),
        Case("GET / HTTP/1.1\r\nHost: a\r\n\rZGET /evil: HTTP/1.1\r\nHost: a\r\n\r\n", bad),
        Case("GET / HTTP/1.1\r\nHost: a\r\n\rSome-Header: Test\r\n\r\n", bad),
        Case(get("/", "Fo@: Failure\r\n"), bad), Case(get("/", "Foo\u{1}\test: Bar\r\n"), bad),
        Case(get("/", ": Bar\r\n"), bad),
        Case(get("/", "X-Invalid[]: test\r\n"), bad), Case(get("/", "name\r\n : value\r\n"), bad),
        Case(get("/", "Connection\r\u{1B}5\u{D5}eep-Alive\r\n"), bad), Case(get("/", "X\r\u{1B}: a\r\n"), bad),
        Case(get("/", "Dummy: x\nContent-Length: 23\r\n"), bad), Case("GET / HTTP/1.1\r\n Host: foo\r\n\r\n", bad),
        Case("POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n1\nA\n0\n\n", bad),
        Case("GET /hello HTTP/1.1\r\nHost: h\r\nFoo: bar\r\n Content-Length: 38\r\n\r\n", bad),
        Case(get("/", "X: test\u{7}\r\n"), bad), Case(get("/", "X: \u{0}\r\n"), bad),
        Case(get("/", "Connection : upgrade\r\n"), bad),
        Case(get("/", "Connection: keep\ralive\r\n"), bad), Case(get("/", "Connection\t: close\r\n"), bad),
        Case("GET / HTTP/1.1\r\nHost: www.example.com:80:80\r\n\r\n", bad),
    ]

    @Test(arguments: fields) func `header fields are accepted or refused as RFC 9112 §5 specifies`(given: Case) {
        #expect(Self.verdict(of: given.text) == given.verdict)
    }

    // MARK: Content-Length (RFC 9110 §8.6, RFC 9112 §6)

    static let lengths: [Case] = [
        Case(put("Content-Length: 003", "abc"), .taken(["abc"])),
        Case(put("Content-Length: 003\r\nOhai: world", "abc"), .taken(["abc"])),
        Case("GET / HTTP/1.0\r\nconTENT-Length: 5\r\n\r\nHELLO", .taken(["HELLO"])),
        Case(put("Content-Length:  2 ", "42"), .taken(["42"])),
        Case(put("Content-Length:\t2\t  ", "42"), .taken(["42"])),
        Case(put("Content-Length: 42"), .waits), Case(put("Content-Length: 4 2"), bad),
        Case(put("Content-Length: 13 37"), bad),
        Case(put("Content-Length:"), bad), Case(put("Content-Length: -1234"), bad),
        Case(put("Content-Length: abc"), bad),
        Case(put("Content-Length: -123456789123456789123456789"), bad), Case(put("Content-Length: 1,2"), bad),
        Case(put("Content-Length: 1000000000000000000000"), bad),
        Case(put("Content-Length: 1\r\nContent-Length: 2"), bad),
        Case(put("Content-Length: 1\r\nTransfer-Encoding: identity"), bad),
        Case(put("Content-Length : 4", "abcd"), bad),
        Case(put("Transfer-Encoding: identity\r\nContent-Length: 5", "World"), bad),
        Case(put("Content-Length: 10\r\nTransfer-Encoding:\r\nTransfer-Encoding:"), bad),
        Case(put("Transfer-Encoding: chunked\r\nContent-Length: 5"), bad),
        Case(put("Content\rLength: 003", "abc"), bad),
        Case("PUT /url HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\rabc\r\n", bad),
    ]

    @Test(arguments: lengths) func `Content-Length frames the body as RFC 9112 §6·2 specifies`(given: Case) {
        #expect(Self.verdict(of: given.text) == given.verdict)
    }

    // MARK: Transfer codings (RFC 9112 §6.1, §7)

    static let codings: [Case] = [
        Case(chunked(""), .waits), Case(chunked("a\r\n0123456789\r\n0\r\n\r\n"), .taken(["0123456789"])),
        Case(chunked("A\r\n0123456789\r\n0\r\n\r\n"), .taken(["0123456789"])),
        Case(chunked("1e\r\nall your base are belong to us\r\n0\r\n\r\n"), .taken(["all your base are belong to us"])),
        Case(chunked("5\r\nhello\r\n6\r\n world\r\n000\r\n\r\n"), .taken(["hello world"])),
        Case(chunked("5\r\nhello\r\n0\r\nVary: *\r\nContent-Type: text/plain\r\n\r\n"), .taken(["hello"])),
        Case(
            chunked("5;ilovew3;some=params;another=withvalue\r\nhello\r\n6;blah;blah\r\n world\r\n0\r\n\r\n"),
            .taken(["hello world"])),
        Case(chunked("a;foo=bar\r\n0123456789\r\n0\r\n\r\n"), .taken(["0123456789"])),
        Case(
            chunked("5;a=\"I \\\"love\\\"; \\\\ext\\\\\";b=\"c\";blah;foo=bar\r\nhello\r\n0\r\n\r\n"), .taken(["hello"])
        ),
        Case(chunked("5;a=\"abc\";b=\"def; ghi\r\nhello\r\n0\r\n\r\n"), bad),
        Case(chunked("2 erfrferferf\r\naa\r\n0 rrrr\r\n\r\n"), bad),
        Case(chunked("2;\r\naa\r\n0\r\n\r\n"), bad), Case(chunked("3\r\nfoo\r\n\r\n"), bad),
        Case(chunked("3 \n  \r\n\\\r\nfoo\r\n"), bad),
        Case(chunked("5\r\r;ABCD\r\n34\r\nE\r\n0\r\n\r\n"), bad), Case(chunked("5\r\nABCDE0\r\n\r\n"), bad),
        Case(chunked("a \r\n0123456789\r\n0\r\n\r\n"), bad), Case(chunked("5\nhello\r\n0\r\n\r\n"), bad),
        Case(chunked("5\r\nhello\n0\r\n\r\n"), bad), Case(chunked("0\r\n\n"), bad),
        Case(chunked("0x5\r\nhello\r\n"), bad),
        Case(put("Transfer-Encoding: pigeons"), bad), Case(put("Transfer-Encoding: chunked, deflate"), bad),
        Case(put("Transfer-Encoding: chunked\r\nTransfer-Encoding: deflate"), bad),
        Case(put("Transfer-Encoding: deflate, chunked", "5\r\nWorld\r\n0\r\n\r\n"), .refused(501)),
        Case(put("Transfer-Encoding: deflate\r\nTransfer-Encoding: chunked"), .refused(501)),
        Case(put("Transfer-Encoding: chunkedchunked"), bad), Case(put("Transfer-Encoding: chunked, chunked"), bad),
        Case(put("Transfer-Encoding:"), bad), Case(put("Transfer-Encoding: , chunked,", "0\r\n\r\n"), one),
        Case(put("Transfer-Encoding: chunked\r\n  abc"), bad),
        Case(put("Transfer-Encoding: chunked \t", "0\r\n\r\n"), one), Case(put("Transfer-Encoding: \u{B}chunked"), bad),
        Case("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", bad),
    ]

    @Test(arguments: codings) func `chunks frame the body as RFC 9112 §7 specifies`(given: Case) {
        #expect(Self.verdict(of: given.text) == given.verdict)
    }

    // MARK: Connections and pipelines (RFC 9112 §9)

    static let pipelines: [Case] = [
        Case(put("Connection: keep-alive") + put("Connection: keep-alive"), .taken(["", ""])),
        Case(put("Content-Length: 4", "q=42") + "\r\n" + get("/"), .taken(["q=42", ""])),
        Case(put("Content-Length: 3", "AAA") + put("Content-Length: 4", "BBBB"), .taken(["AAA", "BBBB"])),
        Case(chunked("5\r\nhello\r\n0\r\n\r\n") + chunked("1\r\na\r\n0\r\n\r\n"), .taken(["hello", "a"])),
        Case(put("Content-Length: 0\r\nConnection: close, token, upgrade, token, keep-alive"), one),
        Case(put("Connection: close\t"), one), Case(put("Connection: Something,  , ,Keep-Alive"), one),
        Case(put("Connection: upgrade\r\nUpgrade: ws\r\nContent-Length: 4", "abcd"), .taken(["abcd"])),
        Case(
            put("Connection: Upgrade\r\nUpgrade: HTTP/2.0\r\nContent-Length: 2", "ab") + get("/"), .taken(["ab", ""])),
        Case(put("Content-Length: 1", "ab") + get("/"), .taken(["a", ""])),
        Case(put("Content-Length: 3", "abc") + "d d", .waits),
    ]

    @Test(arguments: pipelines) func `pipelined requests are framed as RFC 9112 §9 specifies`(given: Case) {
        #expect(Self.verdict(of: given.text) == given.verdict)
    }

    /// All cases, for tests of other properties.
    static let cases: [Case] = lines + methods + fields + lengths + codings + pipelines
}
