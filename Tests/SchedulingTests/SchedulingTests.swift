import Scheduling
import Testing

@Suite struct PriorityTests {
    @Test func `visible goes before prefetch, then the newest viewport, then its centre`() {
        let inOrder = [
            Priority(lane: .visible, viewport: 2, distance: 0),
            Priority(lane: .visible, viewport: 2, distance: 9),
            Priority(lane: .visible, viewport: 1, distance: 0),
            Priority(lane: .prefetch, viewport: 3, distance: 0),
            Priority(lane: .prefetch, viewport: 1, distance: 4),
        ]
        #expect(inOrder.shuffled().sorted(by: >) == inOrder)
    }
}
