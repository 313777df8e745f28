import Synchronization
import TestSupport
import Testing

@testable import Loading

@Suite struct LaneWithoutThreadsTests {
    private final class Seen: Sendable {
        let asked = Atomic(0)
        let isDone = Atomic(false)
    }

    @Test func `work that came while the system had no thread to give begins when it has one`() async {
        let seen = Seen()
        let lane = BlockingLane(label: "test", threads: 2) { body in
            seen.asked.wrappingAdd(1, ordering: .relaxed).newValue > 3 && BlockingLane.startThread(body)
        }
        lane.submit(BlockingLane.newWork(), priority: .background) { seen.isDone.store(true, ordering: .relaxed) }
        #expect(lane.threadCount == 0)
        // Nothing else is put in line.
        #expect(await eventually { seen.isDone.load(ordering: .relaxed) })
        lane.stop()
        #expect(lane.join(for: 10))
    }
}
