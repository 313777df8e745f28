import Addresses
import Clients
import HTTPServer
import HTTPTypes
import Locking
import TestSupport
import Testing

@testable import GalleryServer

@Suite struct WorkTurnsTests {
    private let one = Client(IPAddress("192.0.2.1")!)
    private let other = Client(IPAddress("192.0.2.2")!)

    @Test func `one client's work is done piece by piece, another's beside it`() async throws {
        let turns = WorkTurns()
        let atOnce = Guarded((now: 0, most: 0))
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    try await turns.take(for: one) {
                        atOnce.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        // Long enough for another to begin, if one could.
                        for _ in 0..<20 { await Task.yield() }
                        atOnce.withLock { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(atOnce.withLock(\.most) == 1)
        // While the one is at work, the other is as well.
        let answer = try await turns.take(for: one) { try await turns.take(for: other) { 42 } }
        #expect(answer == 42)
    }

    @Test func `what waits too much is refused with 429, and a task that is cancelled leaves the line`() async throws {
        let turns = WorkTurns(places: 1, waitingPerClient: 2)
        let begun = AsyncStream<Void>.makeStream()
        let end = AsyncStream<Void>.makeStream()
        let first = Task {
            try await turns.take(for: one) {
                begun.continuation.yield()
                for await _ in end.stream { break }
            }
        }
        for await _ in begun.stream { break }
        let waiting = (0..<2).map { number in Task { try await turns.take(for: one) { number } } }
        // Both are in line once a third is refused.
        var refusal: Problem?
        while refusal == nil {
            let third = Task { try await turns.take(for: one) { 2 } }
            third.cancel()
            do { _ = try await third.value } catch let error as Problem { refusal = error } catch {}
        }
        #expect(refusal?.response.status == .tooManyRequests)
        waiting[0].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[0].value }
        end.continuation.yield()
        try await first.value
        #expect(try await waiting[1].value == 1)
        #expect(try await turns.take(for: one) { 3 } == 3, "nothing is left in hand")
    }
}
