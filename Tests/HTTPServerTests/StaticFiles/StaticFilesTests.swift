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
        folder.write(Array("inner".utf8), to: "modules/index.html")
        folder.write([0x89, 0x50], to: "icon a.png")
        folder.write([1], to: ".secret")
        folder.write([1], to: ".git/config")
        symlink("/etc/passwd", folder.path + "/passwd")
        symlink("/etc", folder.path + "/etc")
    }

    private func get(
        _ target: String, _ headers: HTTPFields = [:], method: HTTPRequest.Method = .get
    ) async throws -> (status: Int, head: String, body: [UInt8]) {
        let files = try StaticFiles(folder: folder.path)
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
        "/..%2fetc/passwd",
        "/modules", "//index.html", "/index.html/", "/index.html%00", "/%zz", "/%ff", "/modules/../index.html", "*",
    ])
    func `nothing else can be named`(target: String) async throws {
        #expect(try await get(target, method: target == "*" ? .options : .get).status == 404)
    }

    @Test func `a script goes compressed to who wants it so, and differs in its tag`() async throws {
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

    @Test func `a picture is not compressed again`() async throws {
        let answer = try await get("/icon%20a.png", [.acceptEncoding: "gzip"])
        #expect(!answer.head.contains("Content-Encoding"))
        #expect(!answer.head.contains("Vary"))
    }

    @Test func `who has a file is told so`() async throws {
        let first = try await get("/", [.acceptEncoding: "gzip"])
        let tag = try #require(entityTag(first.head))
        let again = try await get("/", [.ifNoneMatch: tag, .acceptEncoding: "gzip"])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        #expect(again.head.contains(tag))
    }

    @Test func `files are only read`() async throws {
        let answer = try await get("/index.html", method: .post)
        #expect(answer.status == 405)
        #expect(answer.head.contains("\r\nAllow: GET, HEAD, OPTIONS\r\n"))
        #expect(try await get("/index.html", method: .head).status == 200)
    }

    @Test func `a folder that is missing or too large is an error that names it`() {
        #expect(throws: StaticFilesError.unreadable(folder.path + "/none", code: ENOENT)) {
            try StaticFiles(folder: folder.path + "/none")
        }
        #expect(throws: StaticFilesError.self) { try StaticFiles(folder: folder.path, limit: 100) }
    }

    private func entityTag(_ head: String) -> String? {
        head.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }.map { String($0.dropFirst("ETag: ".count)) }
    }
}
