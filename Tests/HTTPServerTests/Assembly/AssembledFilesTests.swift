import Dispatch
import EventLoops
import Glibc
import HTTPTypes
import Logging
import Testing

@testable import HTTPServer

@Suite struct AssembledFilesTests {
    private let loop: EventLoop
    private let folder = TemporaryFolder()
    private let files: AssembledFiles

    init() throws {
        loop = try EventLoop(label: "test")
        folder.write(
            Array(
                """
                <link rel="stylesheet" href="/a.css">
                <script type="module" src="/main.js"></script>
                """.utf8), to: "index.html")
        folder.write(Array(String(repeating: "a { color: red }\n", count: 100).utf8), to: "a.css")
        folder.write(Array("import { b } from './b.js';\nb();\n".utf8), to: "main.js")
        folder.write(Array(String(repeating: "// a comment\n", count: 10).utf8) + Self.module(1), to: "b.js")
        folder.write(Array("import { b } from './b.js';\nb();\n".utf8), to: "worker.js")
        var configuration = AssembledFiles.Configuration { inline in
            [.contentSecurityPolicy: "style-src \(inline.styles.first ?? "'self'")"]
        }
        configuration.scripts = ["/worker.js"]
        configuration.pause = .zero
        files = try AssembledFiles(
            folder: folder.path, configuration: configuration, logger: Logger(label: "test"))
    }

    private static func module(_ number: Int) -> [UInt8] {
        Array(
            (0..<100).map { "export const name\($0) = '\(number)';\n" }.joined().utf8)
            + Array("export function b() { return \(number); }\n".utf8)
    }

    private func get(
        _ target: String, _ headers: HTTPFields = [:], from others: AssembledFiles? = nil
    ) async throws -> (status: Int, head: String, body: String) {
        let response = await (others ?? files).response(to: try Request(.get, target, headers: headers, loop: loop))
        var encoder = ResponseEncoder()
        var head: [UInt8] = []
        _ = try encoder.encode(response, for: .init(), to: &head)
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        return (response.status.code, String(decoding: head, as: UTF8.self), String(decoding: body, as: UTF8.self))
    }

    private func script() async throws -> String {
        let page = try await get("/").body
        return String(try #require(page.split(separator: "\"").first { $0.hasPrefix("/assembled/") }))
    }

    @Test func `the page is asked for each time and allows its styles, its script is kept for ever`() async throws {
        let page = try await get("/")
        #expect(page.head.contains("\r\nCache-Control: no-cache\r\n"))
        #expect(page.head.contains("\r\nContent-Security-Policy: style-src 'sha256-"))
        let script = try await get(script())
        #expect(script.status == 200)
        #expect(script.head.contains("\r\nCache-Control: max-age=31536000, immutable\r\n"))
        #expect(script.head.contains("\r\nContent-Type: text/javascript; charset=utf-8\r\n"))
        #expect(script.body.contains("function b()"))
        #expect(!script.body.contains("comment"))
    }

    @Test func `beside it each file stands as it was written`() async throws {
        #expect(try await get("/index.html").body.contains("stylesheet"))
        #expect(try await get("/index.html").head.contains("\r\nContent-Security-Policy: style-src 'self'\r\n"))
        #expect(try await get("/main.js").body.hasPrefix("import"))
        #expect(try await get("/b.js").body.contains("comment"))
        #expect(try await get("/worker.js").body.contains("function b()"))
        #expect(try await get("/none.js").status == 404)
        #expect(try await get("/assembled/none/main.js").status == 404)
    }

    @Test(arguments: [("br, gzip", "br"), ("gzip", "gzip"), ("br;q=0.1, gzip", "gzip"), ("identity", nil)])
    func `the script goes in the best coding, with a tag of its own`(accept: String, coding: String?) async throws {
        let address = try await script()
        let plain = try await get(address)
        let answer = try await get(address, [.acceptEncoding: accept])
        #expect(answer.head.contains("\r\nContent-Encoding: \(coding ?? "-")\r\n") == (coding != nil))
        #expect(answer.head.contains("\r\nVary: Accept-Encoding\r\n"))
        let tag = try #require(entityTag(answer.head))
        #expect((tag == entityTag(plain.head)) == (coding == nil))
        let again = try await get(address, [.acceptEncoding: accept, .ifNoneMatch: tag])
        #expect(again.status == 304)
        #expect(again.head.contains(tag))
        if coding != nil { #expect(answer.body.utf8.count < plain.body.utf8.count / 2) }
    }

    @Test func `a file that changes makes another script, and what was there stays until then`() async throws {
        let before = try await script()
        #expect(try await script() == before)
        folder.write(Self.module(2), to: "b.js")
        let after = try await script()
        #expect(after != before)
        #expect(try await get(after).body.contains("return 2;"))
        // Whoever was sent the page of before may not have its script yet.
        #expect(try await get(before).body.contains("return 1;"))
        #expect(try await get("/b.js").body.contains("return 2;"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `what is sent is compressed once more, and better, after it was first asked for`() async throws {
        var configuration = AssembledFiles.Configuration()
        configuration.utmostAfter = .milliseconds(1)
        let files = try AssembledFiles(
            folder: folder.path, configuration: configuration, logger: Logger(label: "test"))
        func tag() async throws -> String {
            try #require(entityTag(try await get("/", [.acceptEncoding: "br"], from: files).head))
        }
        let quick = try await tag()
        while try await tag() == quick { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func `a file that is not understood changes nothing, until it is mended`() async throws {
        let before = try await script()
        folder.write(Array("export default 1;".utf8), to: "b.js")
        #expect(try await script() == before)
        #expect(try await get(before).status == 200)
        folder.write(Self.module(3), to: "b.js")
        #expect(try await script() != before)
    }

    @Test func `a page that cannot be put together is an error at the start`() {
        folder.write(Array("export default 1;".utf8), to: "b.js")
        #expect(throws: AssemblyError.self) { try AssembledFiles(folder: folder.path, logger: Logger(label: "test")) }
    }

    private func entityTag(_ head: String) -> String? {
        head.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }.map { String($0.dropFirst("ETag: ".count)) }
    }
}
