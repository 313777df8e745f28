import Glibc
import HTTPTypes
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct FileBodyTests {
    private let folder = TemporaryFolder()
    private let content = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    private func with<Result: Sendable>(
        _ region: FileRegion, _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let responder = Answering { request, reply in
            let representation = Representation(.file(region), mediaType: "image/jpeg", entityTag: EntityTag("v1"))
            reply.send(representation.response(to: request))
        }
        return try await withServer(responder, body)
    }

    private func region(_ bytes: [UInt8], offset: Int64 = 0, length: Int64? = nil) -> FileRegion {
        let path = folder.write(bytes, to: "file")
        return FileRegion(
            descriptor: open(path, O_RDONLY | O_CLOEXEC), offset: offset, length: length ?? Int64(bytes.count))
    }

    @Test func `a file is sent whole`() async throws {
        try await with(region(content)) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let answer = try await client.receive()
            #expect(answer.body == content)
            #expect(answer.headers[.contentLength] == "1000003")
        }
    }

    @Test func `ranges of a file region are sent one after another through one descriptor`() async throws {
        try await with(region(content, offset: 3, length: 1_000_000)) { server in
            let client = try server.connect()
            for range in [0..<1, 65_530..<200_001, 999_999..<1_000_000] {
                try await client.send(
                    "GET / HTTP/1.1\r\nHost: h\r\nRange: bytes=\(range.lowerBound)-\(range.upperBound - 1)\r\n\r\n")
                let answer = try await client.receive()
                #expect(answer.status == 206)
                #expect(answer.body == Array(content[(range.lowerBound + 3)..<(range.upperBound + 3)]))
            }
            try await client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.receive(isHead: true).headers[.contentLength] == "1000000")
        }
    }

    @Test func `a file that was truncated ends in a reset`() async throws {
        try await with(region(content, length: 2_000_000)) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.endsWithReset())
        }
    }

    @Test func `an empty file is sent as an empty body`() async throws {
        try await with(region([])) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.receive().body.isEmpty)
            #expect(try await client.receive().body.isEmpty)
        }
    }

    @Test func `the descriptor is closed when the last part of the region is released`() throws {
        let path = folder.write([1, 2, 3], to: "owned")
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        weak var whole: FileRegion?
        do {
            var region: FileRegion? = FileRegion(descriptor: descriptor, length: 3)
            whole = region
            let part = region?.part(1..<3).part(0..<1)
            region = nil
            #expect(whole != nil)
            #expect(part?.offset == 1)
            #expect(part?.length == 1)
        }
        #expect(whole == nil)
    }
}
