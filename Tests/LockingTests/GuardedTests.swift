import Dispatch
import Testing

@testable import Locking

@Suite struct GuardedTests {
    @Test func `increments from many threads are all counted`() {
        let count = Guarded(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 8_000)
    }

    @Test func `a thrown error releases the lock`() {
        struct Refused: Error {}
        let value = Guarded(1)
        #expect(throws: Refused.self) { try value.withLock { _ throws(Refused) in throw Refused() } }
        #expect(value.withLock { $0 } == 1)
    }
}
