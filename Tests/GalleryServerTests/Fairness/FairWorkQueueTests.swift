import Addresses
import Clients
import HTTPServer
import HTTPTypes
import Locking
import TestSupport
import Testing

@testable import GalleryServer

@Suite struct FairWorkQueueTests {
    private let one = Client(IPAddress("192.0.2.1")!)
    private let other = Client(IPAddress("192.0.2.2")!)

    @Test func `one client's work runs one piece at a time, and another client's work beside it`() async throws {
        let workQueue = FairWorkQueue()
        let atOnce = Guarded((now: 0, most: 0))
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    try await workQueue.run(for: one) {
                        atOnce.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        // Long enough for another to start, if it could.
                        for _ in 0..<20 { await Task.yield() }
                        atOnce.withLock { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(atOnce.withLock(\.most) == 1)
        // While one client is working, the other may work as well.
        let answer = try await workQueue.run(for: one) { try await workQueue.run(for: other) { 42 } }
        #expect(answer == 42)
    }

    @Test func `work beyond the queue limit is refused with 429, and a cancelled task leaves the queue`() async throws {
        let workQueue = FairWorkQueue(permits: 1, waitingPerClient: 2)
        let begun = AsyncStream<Void>.makeStream()
        let end = AsyncStream<Void>.makeStream()
        let first = Task {
            try await workQueue.run(for: one) {
                begun.continuation.yield()
                for await _ in end.stream { break }
            }
        }
        for await _ in begun.stream { break }
        let waiting = (0..<2).map { number in Task { try await workQueue.run(for: one) { number } } }
        // Both are queued once a third is refused.
        var refusal: Problem?
        while refusal == nil {
            let third = Task { try await workQueue.run(for: one) { 2 } }
            third.cancel()
            do { _ = try await third.value } catch let error as Problem { refusal = error } catch {}
        }
        #expect(refusal?.response.status == .tooManyRequests)
        waiting[0].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[0].value }
        end.continuation.yield()
        try await first.value
        #expect(try await waiting[1].value == 1)
        #expect(try await workQueue.run(for: one) { 3 } == 3, "no permit is still held")
    }
}
