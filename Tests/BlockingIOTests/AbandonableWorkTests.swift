import Dispatch
import Locking
import Testing
import TestSupport

@testable import BlockingIO

@Suite struct AbandonableWorkTests {
    private struct Refusal: Error {}

    private let gate = DispatchSemaphore(value: 0)

    @Test func `work that returns gives its result or its error`() throws {
        #expect(try AbandonableWork.value(label: "test", patience: .seconds(60)) { _ in 42 } == 42)
        #expect(throws: Refusal.self) {
            try AbandonableWork.value(label: "test", patience: .seconds(60)) { _ in throw Refusal() }
        }
    }

    @Test func `work without progress is abandoned, and may not use what is its caller's any more`() async throws {
        let outcome = Guarded<[String]>([])
        #expect(throws: BlockingPool.Failure.hangs) {
            try AbandonableWork.value(label: "test", patience: .milliseconds(50)) {
                outcome.withLock { $0.append("late end") }
            } _: { [gate] progress in
                #expect(!progress.isAbandoned)
                try progress.unlessAbandoned { outcome.withLock { $0.append("begun") } }
                gate.wait()
                #expect(progress.isAbandoned)
                try progress.unlessAbandoned { outcome.withLock { $0.append("used") } }
            }
        }
        #expect(outcome.withLock(\.self) == ["begun"])
        gate.signal()
        #expect(await eventually { outcome.withLock(\.self) == ["begun", "late end"] })
    }

    @Test func `work that makes progress is awaited however long it takes`() throws {
        let patience = Duration.milliseconds(200)
        let (steps, end) = (Guarded(0), ContinuousClock.now + patience * 4)
        try AbandonableWork.value(label: "test", patience: patience) { progress in
            while .now < end {
                progress.note()
                steps.withLock { $0 += 1 }
            }
        }
        #expect(steps.withLock(\.self) > 4)
    }
}
