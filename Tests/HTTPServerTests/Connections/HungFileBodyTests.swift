import BlockingIO
import Dispatch
import Glibc
import HTTPTypes
import Locking
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Bodies of files on a disk whose reads hang.
@Suite(.timeLimit(.minutes(1)))
struct HungFileBodyTests {
    private let folder = TemporaryFolder()
    private let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    private func region(group: Int) -> FileRegion {
        let path = folder.write(content, to: "file\(group)")
        return FileRegion(descriptor: open(path, O_RDONLY | O_CLOEXEC), length: Int64(content.count), group: group)
    }

    /// A disk with nothing in the page cache, whose reads from `offset` on hang until they are released.
    private final class Disk: Sendable {
        private let offset: Int64
        private let gate = DispatchSemaphore(value: 0)
        let hanging = Atomic(0)

        init(hangsFrom offset: Int64) { self.offset = offset }

        var reader: FileReader {
            let read = FileReader().blocking
            return FileReader(
                cached: { _, _, _, _ in
                    errno = EAGAIN
                    return -1
                },
                blocking: { [self] descriptor, buffer, count, offset in
                    guard offset >= self.offset else { return read(descriptor, buffer, count, offset) }
                    hanging.add(1, ordering: .relaxed)
                    gate.wait()
                    return 0
                })
        }

        func release() { for _ in 0..<hanging.load(ordering: .relaxed) { gate.signal() } }
    }

    private func serve(
        _ streams: @escaping @Sendable (String) -> FileStream, _ body: (TestServer) async throws -> Void
    ) async throws {
        let responder = Answering { [content] request, reply in
            reply.send(
                Response(body: .stream(streams(String(request.path)), length: Int64(content.count))))
        }
        try await withServer(responder, body)
    }

    @Test func `healthy files are served while many bodies of a hung disk are pending`() async throws {
        let (hung, healthy) = (Disk(hangsFrom: 0), Disk(hangsFrom: .max))
        let (hungRegion, healthyRegion) = (region(group: -1), region(group: -2))
        defer { hung.release() }
        try await serve { path in
            path == "/hung"
                ? FileStream(hungRegion, reader: hung.reader) : FileStream(healthyRegion, reader: healthy.reader)
        } _: { server in
            let waiting = try (0..<12).map { _ in try server.connect() }
            for client in waiting { try await client.send("GET /hung HTTP/1.1\r\nHost: h\r\n\r\n") }
            #expect(await eventually { hung.hanging.load(ordering: .relaxed) == 4 })
            for _ in 0..<8 {
                let client = try server.connect()
                try await client.send("GET /healthy HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await client.receive().body == content)
            }
            #expect(hung.hanging.load(ordering: .relaxed) == 4)
        }
    }

    @Test func `a body not started by the deadline becomes a 504, and the connection stays open`() async throws {
        let (hung, healthy) = (Disk(hangsFrom: 0), Disk(hangsFrom: .max))
        let pool = BlockingPool(label: "test", threads: 4, threadsPerGroup: 2, deadline: .seconds(1))
        let (hungRegion, healthyRegion) = (region(group: 1), region(group: 2))
        defer { hung.release() }
        try await serve { path in
            path == "/hung"
                ? FileStream(hungRegion, reader: hung.reader, pool: pool)
                : FileStream(healthyRegion, reader: healthy.reader, pool: pool)
        } _: { server in
            let client = try server.connect()
            // More requests than threads: the queued ones get a response, too.
            let others = try (0..<5).map { _ in try server.connect() }
            for other in others { try await other.send("GET /hung HTTP/1.1\r\nHost: h\r\n\r\n") }
            try await client.send(
                "GET /hung HTTP/1.1\r\nHost: h\r\n\r\nGET /healthy HTTP/1.1\r\nHost: h\r\n\r\n")
            let answer = try await client.receive()
            #expect(answer.status == 504 && answer.headers[.retryAfter] != nil)
            #expect(answer.text.contains("does not answer"))
            let next = try await client.receive()
            #expect(next.status == 200 && next.body == content)
            for other in others { #expect(try await other.receive().status == 504) }
        }
    }

    @Test func `a body already started is cut off at the deadline`() async throws {
        let disk = Disk(hangsFrom: 100_000)
        let pool = BlockingPool(label: "test", threads: 1, deadline: .seconds(1))
        let region = region(group: 0)
        defer { disk.release() }
        try await serve { _ in
            FileStream(region, reader: disk.reader, pool: pool)
        } _: { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.receiveHead().status == 200)
            #expect(try await client.endsWithReset())
        }
    }

    @Test func `a queued read is dropped when its client disconnects`() async throws {
        let disk = Disk(hangsFrom: 0)
        let pool = BlockingPool(label: "test", threads: 1)
        let region = region(group: 0)
        defer { disk.release() }
        try await serve { _ in
            FileStream(region, reader: disk.reader, pool: pool)
        } _: { server in
            let clients = try (0..<3).map { _ in try server.connect() }
            for client in clients { try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
            #expect(await eventually { pool.count == 3 && disk.hanging.load(ordering: .relaxed) == 1 })
            for client in clients { client.reset() }
            #expect(await eventually { pool.count == 1 })
        }
    }
}
