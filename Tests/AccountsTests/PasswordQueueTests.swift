import Dispatch
import Locking
import Testing

@testable import Accounts

@Suite struct PasswordLaneTests {
    @Test func `the newest attempt goes first, and the oldest is refused when too many wait`() async throws {
        let lane = PasswordQueue()
        let begun = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let done = Guarded<[Int]>([])
        // Occupies the lane until all others wait.
        let first = Task {
            try await lane.run(.known) {
                begun.signal()
                gate.wait()
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                begun.wait()
                continuation.resume()
            }
        }
        let capacity = PasswordQueue.Urgency.fresh.capacity
        try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<capacity + 3 {
                let before = lane.waitingCount
                group.addTask {
                    do {
                        try await lane.run(.fresh) { done.withLock { $0.append(number) } }
                        return (number, true)
                    } catch {
                        return (number, false)
                    }
                }
                // In order, so that it is known which is the oldest.
                while lane.waitingCount == before, number < capacity { await Task.yield() }
            }
            var refused: [Int] = []
            for _ in 0..<3 { if let (number, isDone) = try await group.next(), !isDone { refused.append(number) } }
            #expect(refused.count == 3)
            gate.signal()
            try await first.value
            var completed = 0
            while let (_, isDone) = try await group.next() { completed += isDone ? 1 : 0 }
            #expect(completed == capacity)
            let order = done.withLock(\.self)
            // The ones that filled the queue ran newest first.
            let filled = order.filter { $0 < capacity }
            #expect(filled == filled.sorted(by: >) && Set(order).isDisjoint(with: refused))
        }
    }
}
