import EventLoops
import Glibc
import HTTPTypes
import Testing

@testable import HTTPServer

@Suite struct StaticFilesTests {
    private let loop: EventLoop
    private let folder = TemporaryFolder()
    private let script = Array(String(repeating: "export const answer = 42;\n", count: 100).utf8)

    init() throws {
        loop = try EventLoop(label: "test")
        folder.write(Array("<!doctype html>".utf8), to: "index.html")
        folder.write(script, to: "modules/grid.js")
        folder.write(script, to: "built.js")
        folder.write(Array("as compressed by somebody".utf8), to: "built.js.br")
        folder.write(Array("alone".utf8), to: "archive.br")
        folder.write(Array("inner".utf8), to: "modules/index.html")
        folder.write([0x89, 0x50], to: "icon a.png")
        folder.write([1], to: ".secret")
        folder.write([1], to: ".git/config")
        symlink("/etc/passwd", folder.path + "/passwd")
        symlink("/etc", folder.path + "/etc")
    }

    private func get(
        _ target: String, _ headers: HTTPFields = [:], method: HTTPRequest.Method = .get,
        configuration: StaticFiles.Configuration = .init()
    ) async throws -> (status: Int, head: String, body: [UInt8]) {
        let files = try StaticFiles(folder: folder.path, configuration: configuration)
        let response = await files.response(to: try Request(method, target, headers: headers, loop: loop))
        var encoder = ResponseEncoder()
        var head: [UInt8] = []
        _ = try encoder.encode(response, for: .init(), to: &head)
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        return (response.status.code, String(decoding: head, as: UTF8.self), body)
    }

    @Test(arguments: [
        ("/", "text/html; charset=utf-8"), ("/index.html", "text/html; charset=utf-8"),
        ("/modules/", "text/html; charset=utf-8"), ("/modules/grid.js", "text/javascript; charset=utf-8"),
        ("/icon%20a.png", "image/png"), ("/modules/grid.js?v=1", "text/javascript; charset=utf-8"),
    ])
    func `a file is served with its type`(target: String, type: String) async throws {
        let answer = try await get(target)
        #expect(answer.status == 200)
        #expect(answer.head.contains("\r\nContent-Type: \(type)\r\n"))
        #expect(answer.head.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
        #expect(answer.head.contains("\r\nCache-Control: no-cache\r\n"))
    }

    @Test(arguments: [
        "/.secret", "/.git/config", "/passwd", "/etc/passwd", "/../etc/passwd", "/%2e%2e/etc/passwd",
        "/..%2fetc/passwd", "/built.js.br",
        "/modules", "//index.html", "/index.html/", "/index.html%00", "/%zz", "/%ff", "/modules/../index.html", "*",
    ])
    func `anything but the exact path of a visible file is 404`(target: String) async throws {
        #expect(try await get(target, method: target == "*" ? .options : .get).status == 404)
    }

    @Test func `a script is compressed for clients that accept it, and its entity tag differs`() async throws {
        let plain = try await get("/modules/grid.js")
        let compressed = try await get("/modules/grid.js", [.acceptEncoding: "gzip, br"])
        #expect(plain.body == script)
        #expect(compressed.body.count < script.count / 2)
        #expect(compressed.body.prefix(2) == [0x1F, 0x8B])
        #expect(compressed.head.contains("\r\nContent-Encoding: gzip\r\n"))
        #expect(!plain.head.contains("Content-Encoding"))
        for answer in [plain, compressed] { #expect(answer.head.contains("\r\nVary: Accept-Encoding\r\n")) }
        #expect(entityTag(plain.head) != entityTag(compressed.head))
    }

    @Test func `a precompressed Brotli file is served to clients that accept it`() async throws {
        let built = try await get("/built.js", [.acceptEncoding: "gzip, br"])
        #expect(built.body == Array("as compressed by somebody".utf8))
        #expect(built.head.contains("\r\nContent-Encoding: br\r\n"))
        #expect(built.head.contains("\r\nContent-Type: text/javascript; charset=utf-8\r\n"))
        let gzipped = try await get("/built.js", [.acceptEncoding: "gzip"])
        #expect(gzipped.head.contains("\r\nContent-Encoding: gzip\r\n"))
        #expect(try await get("/built.js").body == script)
        #expect(try await get("/archive.br").body == Array("alone".utf8))
    }

    @Test func `a page is completed and compressed, and its policy allows its styles and scripts`() async throws {
        let rule = String(repeating: "a { color: red }\n", count: 100)
        folder.write(
            Array("<style>\(rule)</style><script>f()</script><script type=\"application/json\">{}</script>".utf8),
            to: "index.html")
        var configuration = StaticFiles.Configuration()
        configuration.completePage = { page in page + Array("<script>late()</script>".utf8) }
        configuration.headers = { inline in
            [.contentSecurityPolicy: "style \(inline.styles) script \(inline.scripts)"]
        }
        let page = try await get("/", configuration: configuration)
        #expect(String(decoding: page.body, as: UTF8.self).hasSuffix("<script>late()</script>"))
        let styles = InlineSources.expression(for: Array(rule.utf8))
        let scripts = ["f()", "late()"].map { InlineSources.expression(for: Array($0.utf8)) }
        #expect(page.head.contains("\r\nContent-Security-Policy: style \([styles]) script \(scripts)\r\n"))
        // Computed by `printf 'f()' | openssl dgst -sha256 -binary | base64`.
        #expect(scripts.first == "'sha256-GcEEE0IkDzIP5EQ6DXZaDPORqT5RTBELX8Fyzyg9yvo='")
        let compressed = try await get("/", [.acceptEncoding: "br"], configuration: configuration)
        #expect(compressed.head.contains("\r\nContent-Encoding: br\r\n"))
        #expect(compressed.body.count < page.body.count / 2)
        let script = try await get("/modules/grid.js", configuration: configuration)
        #expect(script.head.contains("\r\nContent-Security-Policy: style [] script []\r\n"))
    }

    @Test func `a picture is not compressed again`() async throws {
        let answer = try await get("/icon%20a.png", [.acceptEncoding: "gzip"])
        #expect(!answer.head.contains("Content-Encoding"))
        #expect(!answer.head.contains("Vary"))
    }

    @Test func `a client with a current copy gets a 304`() async throws {
        let first = try await get("/", [.acceptEncoding: "gzip"])
        let tag = try #require(entityTag(first.head))
        let again = try await get("/", [.ifNoneMatch: tag, .acceptEncoding: "gzip"])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        #expect(again.head.contains(tag))
    }

    @Test func `a file allows only GET, HEAD and OPTIONS`() async throws {
        let answer = try await get("/index.html", method: .post)
        #expect(answer.status == 405)
        #expect(answer.head.contains("\r\nAllow: GET, HEAD, OPTIONS\r\n"))
        #expect(try await get("/index.html", method: .head).status == 200)
    }

    @Test func `a folder that is missing or too large is an error`() {
        #expect(throws: StaticFilesError.unreadable(folder.path + "/none", code: ENOENT)) {
            try StaticFiles(folder: folder.path + "/none")
        }
        var configuration = StaticFiles.Configuration()
        configuration.limit = 100
        #expect(throws: StaticFilesError.self) {
            try StaticFiles(folder: folder.path, configuration: configuration)
        }
    }

    private func entityTag(_ head: String) -> String? {
        head.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }.map { String($0.dropFirst("ETag: ".count)) }
    }
}
