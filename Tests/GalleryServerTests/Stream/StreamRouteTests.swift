import HTTPTypes
import Testing

@testable import GalleryServer

@Suite struct StreamRouteTests {
    private let handshake: HTTPFields = [
        .upgrade: "websocket", .connection: "Upgrade", .secWebSocketKey: "dGhlIHNhbXBsZSBub25jZQ==",
        .secWebSocketVersion: "13", .secWebSocketProtocol: "chat, tessera.v1",
    ]

    private func status(_ change: (inout HTTPFields) -> Void, allowedOrigins: [String] = []) async throws -> Int {
        let gallery = try await TestGallery(files: [:], allowedOrigins: allowedOrigins)
        var headers = handshake
        change(&headers)
        let answer = try await gallery.get("/api/v1/stream?accept=image/avif,image/webp", headers: headers)
        await gallery.close()
        return answer.status
    }

    @Test func `a valid handshake opens the stream`() async throws {
        let plain = try await status { _ in }
        let own = try await status { $0[.origin] = "http://localhost" }
        let allowed = try await status(
            { $0[.origin] = "https://example.org" }, allowedOrigins: ["https://example.org"])
        #expect([plain, own, allowed] == [101, 101, 101])
    }

    @Test(arguments: [
        "https://example.org", "http://localhost:81", "http://localhost.example.org", "null", "localhost",
        "x://localhost",
    ])
    func `a page of another origin is refused with 403`(origin: String) async throws {
        let status = try await status { $0[.origin] = origin }
        #expect(status == 403)
    }

    @Test func `a request without the subprotocol is 400, and one without an upgrade is 426`() async throws {
        let none = try await status { $0[.secWebSocketProtocol] = nil }
        let other = try await status { $0[.secWebSocketProtocol] = "chat" }
        let plain = try await status { $0[.upgrade] = nil }
        #expect([none, other, plain] == [400, 400, 426])
    }

    @Test func `HEAD is answered like GET without a handshake`() async throws {
        let gallery = try await TestGallery(files: [:])
        let answer = try await gallery.ask(.head, "/api/v1/stream", headers: handshake)
        #expect(answer.status == 426)
        let options = try await gallery.ask(.options, "/api/v1/stream")
        #expect(options.header("Allow") == "GET, HEAD, OPTIONS")
        await gallery.close()
    }

    @Test func `the metrics include streams`() async throws {
        let gallery = try await TestGallery(files: [:])
        let answer = try await gallery.get("/metrics")
        let metrics = String(decoding: await answer.body() ?? [], as: UTF8.self)
        #expect(metrics.contains("tessera_stream_open 0\n"))
        #expect(metrics.contains("tessera_stream_cancelled_unsent_total 0\n"))
        await gallery.close()
    }
}
