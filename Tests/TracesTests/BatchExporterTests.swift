import Foundation
import Locking
import Logging
import Testing
import Tracing

@testable import Traces

@Suite(.timeLimit(.minutes(1))) struct BatchExporterTests {
    /// A collector that responds when a test tells it to.
    private final class Collector: Sendable {
        struct Post: Sendable {
            let spans: Int
            let done: @Sendable (BatchExporter.Outcome) -> Void
        }

        let posts: AsyncStream<Post>
        private let continuation: AsyncStream<Post>.Continuation

        init() { (posts, continuation) = AsyncStream.makeStream() }

        func take(_ body: [UInt8], _ done: @escaping @Sendable (BatchExporter.Outcome) -> Void) {
            let count = String(decoding: body, as: UTF8.self).components(separatedBy: "\"traceId\"").count - 1
            continuation.yield(Post(spans: count, done: done))
        }
    }

    private let collector = Collector()

    private func exporter(_ change: (inout Configuration) -> Void) -> BatchExporter {
        var configuration = Configuration(endpoint: "http://collector/v1/traces")
        configuration.delay = .seconds(3_000)
        change(&configuration)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return BatchExporter(configuration, version: "1", logger: logger) { [collector] in collector.take($0, $1) }
    }

    private func end(_ count: Int, to exporter: BatchExporter) {
        let tracer = OpenTelemetryTracer(Sampling(), exporter: exporter)
        for number in 0..<count { tracer.startSpan("span \(number)", context: .topLevel).end() }
    }

    @Test func `a full batch is sent at once, and one batch at a time`() async throws {
        let exporter = exporter { $0.batch = 10 }
        var posts = collector.posts.makeAsyncIterator()
        end(10, to: exporter)
        let first = try #require(await posts.next())
        #expect(first.spans == 10)
        end(25, to: exporter)
        first.done(.success([]))
        let second = try #require(await posts.next())
        #expect(second.spans == 10, "the rest waits until this batch is accepted")
        second.done(.success([]))
        let third = try #require(await posts.next())
        #expect(third.spans == 10)
        async let flushed: Void = exporter.flush()
        third.done(.success([]))
        let last = try #require(await posts.next())
        #expect(last.spans == 5)
        last.done(.success([]))
        await flushed
        #expect(exporter.figures == .init(exported: 35, dropped: 0))
    }

    @Test func `a partial batch is sent after the delay`() async throws {
        let exporter = exporter { $0.delay = .milliseconds(5) }
        var posts = collector.posts.makeAsyncIterator()
        for _ in 0..<3 {
            end(1, to: exporter)
            let post = try #require(await posts.next())
            #expect(post.spans == 1)
            post.done(.success([]))
        }
        await exporter.flush()
        #expect(exporter.figures.exported == 3)
    }

    @Test func `spans beyond the queue limit are dropped and counted`() async throws {
        let exporter = exporter {
            $0.batch = 10
            $0.maximumWaiting = 20
        }
        var posts = collector.posts.makeAsyncIterator()
        end(10, to: exporter)
        let held = try #require(await posts.next())
        end(50, to: exporter)
        #expect(exporter.figures.dropped == 30)
        async let flushed: Void = exporter.flush()
        held.done(.success([]))
        for _ in 0..<2 { try #require(await posts.next()).done(.success([])) }
        await flushed
        #expect(exporter.figures == .init(exported: 30, dropped: 30))
    }

    @Test func `a refused batch is dropped, and the next one is still sent`() async throws {
        let exporter = exporter { $0.batch = 10 }
        var posts = collector.posts.makeAsyncIterator()
        end(10, to: exporter)
        try #require(await posts.next()).done(.failure(BatchExporter.Refusal(detail: "away")))
        end(10, to: exporter)
        try #require(await posts.next()).done(.success([]))
        await exporter.flush()
        #expect(exporter.figures == .init(exported: 10, dropped: 10))
    }

    @Test(
        arguments: [
            (#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#, 3),
            (#"{"partialSuccess":{"rejectedSpans":3}}"#, 3), (#"{"partialSuccess":{"rejectedSpans":"11"}}"#, 10),
            (#"{"partialSuccess":{"rejectedSpans":-1}}"#, 0), (#"{"partialSuccess":{"errorMessage":"beware"}}"#, 0),
            (#"{"partialSuccess":{}}"#, 0), (#"{"partialSuccess":{"rejectedSpans":{}}}"#, 0), ("{}", 0), ("", 0),
            ("ok", 0),
        ]) func `spans that the collector rejects count as dropped`(answer: String, rejected: Int) async throws
    {
        let exporter = exporter { $0.batch = 10 }
        var posts = collector.posts.makeAsyncIterator()
        end(10, to: exporter)
        try #require(await posts.next()).done(.success(Array(answer.utf8)))
        await exporter.flush()
        #expect(exporter.figures == .init(exported: 10 - rejected, dropped: rejected))
    }

    @Test func `flushing an empty queue returns at once`() async {
        await exporter { _ in }.flush()
    }
}
