import EventLoops
import Glibc
import HTTPTypes
import Locking
import Logging
import Testing

@testable import HTTPServer

@Suite struct ReloadingFilesTests {
    private let loop: EventLoop
    private let folder = TemporaryFolder()
    private let files: ReloadingFiles

    init() throws {
        loop = try EventLoop(label: "test")
        folder.write(Array("page 1".utf8), to: "index.html")
        folder.write(Array("plain 1".utf8), to: "plain.js")
        folder.write(Array("script 1".utf8), to: "assets/1/script.js")
        files = try ReloadingFiles(folder: folder.path, checkInterval: .zero, logger: Logger(label: "test"))
    }

    private func get(_ target: String) async throws -> (status: Int, head: String, body: String) {
        let response = await files.response(to: try Request(.get, target, headers: [:], loop: loop))
        // The thread sanitizer does not see that a continuation hands the response over. It does see this lock, which the
        // reload took after it had made the files.
        _ = files.lastCheck
        var encoder = ResponseEncoder()
        var head: [UInt8] = []
        _ = try encoder.encode(response, for: .init(), to: &head)
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        return (response.status.code, String(decoding: head, as: UTF8.self), String(decoding: body, as: UTF8.self))
    }

    @Test func `browsers revalidate the page, and keep the files named by their content for ever`() async throws {
        #expect(try await get("/").head.contains("\r\nCache-Control: no-cache\r\n"))
        #expect(try await get("/plain.js").head.contains("\r\nCache-Control: no-cache\r\n"))
        let script = try await get("/assets/1/script.js")
        #expect(script.head.contains("\r\nCache-Control: max-age=31536000, immutable\r\n"))
    }

    @Test func `a changed file is served at the next request`() async throws {
        folder.write(Array("plain 2".utf8), to: "plain.js")
        #expect(try await get("/plain.js").body == "plain 2")
    }

    @Test func `a page is completed anew when the state it is completed with has changed`() async throws {
        let word = Guarded("one")
        var configuration = StaticFiles.Configuration()
        configuration.completePage = { $0 + Array(word.withLock { " \($0)" }.utf8) }
        configuration.pageState = { word.withLock { $0 } }
        let files = try ReloadingFiles(
            folder: folder.path, configuration: configuration, checkInterval: .zero, logger: Logger(label: "test"))
        func page() async throws -> [UInt8] {
            let response = await files.response(to: try Request(.get, "/", headers: [:], loop: loop))
            _ = files.lastCheck
            guard case .bytes(let bytes) = response.body else { return [] }
            return Array(bytes)
        }
        #expect(try await page() == Array("page 1 one".utf8))
        word.withLock { $0 = "two" }
        #expect(try await page() == Array("page 1 two".utf8))
    }

    @Test func `a page that was sent before a change still gets its script`() async throws {
        folder.write(Array("page 2".utf8), to: "index.html")
        folder.write(Array("script 2".utf8), to: "assets/2/script.js")
        unlink(folder.path + "/assets/1/script.js")
        unlink(folder.path + "/plain.js")
        #expect(try await get("/").body == "page 2")
        #expect(try await get("/assets/2/script.js").body == "script 2")
        #expect(try await get("/assets/1/script.js").body == "script 1")
        #expect(try await get("/plain.js").status == 404)
    }

    @Test func `a script that only the changed folder has is found before its page is requested`() async throws {
        folder.write(Array("page 2".utf8), to: "index.html")
        folder.write(Array("script 2".utf8), to: "assets/2/script.js")
        #expect(try await get("/assets/2/script.js").body == "script 2")
        #expect(try await get("/assets/3/script.js").status == 404)
    }

    @Test func `while the folder cannot be read, the previous files are served`() async throws {
        rename(folder.path, folder.path + ".away")
        #expect(try await get("/").body == "page 1")
        rename(folder.path + ".away", folder.path)
        folder.write(Array("page 2".utf8), to: "index.html")
        #expect(try await get("/").body == "page 2")
    }
}
