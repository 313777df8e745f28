import Dispatch
import Testing

@testable import Locking

@Suite struct GuardedTests {
    @Test func `many threads count as one`() {
        let count = Guarded(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 8_000)
    }

    @Test func `an error leaves the lock open`() {
        struct Refused: Error {}
        let value = Guarded(1)
        #expect(throws: Refused.self) { try value.withLock { _ throws(Refused) in throw Refused() } }
        #expect(value.withLock { $0 } == 1)
    }
}
