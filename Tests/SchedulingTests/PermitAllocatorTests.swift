import TestSupport
import Testing

@testable import Scheduling

private func visible(_ viewport: UInt64 = 1, _ distance: UInt32 = 0) -> Priority {
    Priority(level: .visible, viewport: viewport, distance: distance)
}

private func prefetch(_ viewport: UInt64 = 1, _ distance: UInt32 = 0) -> Priority {
    Priority(level: .prefetch, viewport: viewport, distance: distance)
}

@Suite struct PermitAllocatorTests {
    private typealias Allocator = PermitAllocator<Int, String>

    @Test func `visible work goes before prefetch, the newest viewport and its centre first`() {
        var allocator = Allocator(permits: 10)
        allocator.enqueue(1, in: "a", priority: prefetch(9))
        allocator.enqueue(2, in: "a", priority: visible(1))
        allocator.enqueue(3, in: "b", priority: visible(2, 7))
        allocator.enqueue(4, in: "a", priority: visible(2, 0))
        #expect((0..<5).map { _ in allocator.startNext() } == [4, 3, 2, 1, nil])
    }

    @Test func `work of equal priority starts in order of arrival`() {
        var allocator = Allocator(permits: 10)
        for id in [5, 3, 8, 1] { allocator.enqueue(id, in: "a", priority: visible()) }
        #expect((0..<4).map { _ in allocator.startNext() } == [5, 3, 8, 1])
    }

    @Test func `a changed priority takes effect at once, whether raised or lowered`() {
        var allocator = Allocator(permits: 4)
        allocator.enqueue(1, in: "a", priority: prefetch(5))
        allocator.enqueue(2, in: "a", priority: prefetch(4))
        allocator.enqueue(3, in: "a", priority: visible(3))
        allocator.reprioritise(2, to: visible(6))
        allocator.reprioritise(3, to: prefetch(1))
        #expect((0..<3).map { _ in allocator.startNext() } == [2, 1, 3])
    }

    @Test func `prefetch never takes more than half of the permits`() {
        var allocator = Allocator(permits: 4)
        for id in 0..<10 { allocator.enqueue(id, in: "a", priority: prefetch()) }
        #expect((0..<4).map { _ in allocator.startNext() } == [0, 1, nil, nil])
        for id in 10..<14 { allocator.enqueue(id, in: "a", priority: visible()) }
        #expect((0..<3).map { _ in allocator.startNext() } == [10, 11, nil])
    }

    @Test func `a single permit serves prefetch only while nothing visible waits`() {
        var allocator = Allocator(permits: 1)
        allocator.enqueue(1, in: "a", priority: prefetch())
        allocator.enqueue(2, in: "a", priority: visible())
        #expect(allocator.startNext() == 2)
        #expect(allocator.remove(2) == .holding)
        #expect(allocator.startNext() == 1)
        #expect(allocator.nextToYield() == nil)
        allocator.enqueue(3, in: "a", priority: visible())
        #expect(allocator.nextToYield() == 1)
    }

    @Test func `background work waits for all requested work and has at most half of the permits`() {
        func background(_ id: Int, _ allocator: inout Allocator) {
            allocator.enqueue(id, in: "a", priority: Priority(level: .background, viewport: 99, distance: 0))
        }
        var allocator = Allocator(permits: 4)
        for id in 0..<10 { background(id, &allocator) }
        allocator.enqueue(20, in: "a", priority: prefetch())
        allocator.enqueue(21, in: "b", priority: visible())
        // The visible work, the prefetch, and background work up to half of the permits.
        #expect((0..<4).map { _ in allocator.startNext() } == [21, 20, 0, nil])
        // Prefetch does not wait for background work, even though together they exceed half.
        allocator.enqueue(22, in: "a", priority: prefetch())
        #expect(allocator.startNext() == 22)
        #expect(allocator.nextToYield() == nil, "nothing visible waits")
        allocator.enqueue(23, in: "a", priority: visible())
        #expect(allocator.nextToYield() == 0)
        allocator.remove(0)
        #expect(allocator.startNext() == 23)
        for id in [20, 21, 22, 23] { allocator.remove(id) }
        #expect((0..<3).map { _ in allocator.startNext() } == [1, 2, nil])
    }

    @Test func `background work gets a single permit while nothing else waits, and yields it`() {
        var allocator = Allocator(permits: 1)
        allocator.enqueue(1, in: "a", priority: Priority(level: .background, viewport: 0, distance: 0))
        #expect(allocator.startNext() == 1)
        allocator.enqueue(2, in: "a", priority: visible())
        #expect(allocator.nextToYield() == 1)
        allocator.reprioritise(1, to: visible(9))
        #expect(allocator.nextToYield() == nil)
        #expect(allocator.remove(1) == .holding)
        #expect(allocator.startNext() == 2)
        #expect(allocator.remove(2) == .holding && allocator.isEmpty && allocator.holdingPrefetchCount == 0)
    }

    @Test func `background work yields its permit as soon as visible work finds none free`() {
        var allocator = Allocator(permits: 2)
        allocator.enqueue(1, in: "a", priority: Priority(level: .background, viewport: 0, distance: 0))
        #expect(allocator.startNext() == 1)
        allocator.enqueue(2, in: "a", priority: visible())
        #expect(allocator.nextToYield() == nil, "a permit is free")
        #expect(allocator.startNext() == 2 && allocator.nextToYield() == nil)
        allocator.enqueue(3, in: "a", priority: visible())
        #expect(allocator.nextToYield() == 1)
        allocator.remove(1)
        #expect(allocator.startNext() == 3 && allocator.nextToYield() == nil)
    }

    @Test func `background work has at most half of a group's permits, and none while prefetch holds that half`() {
        var allocator = Allocator(permits: 10, permitsPerGroup: 2)
        for id in 0..<3 {
            allocator.enqueue(id, in: "a", priority: Priority(level: .background, viewport: 0, distance: 0))
        }
        #expect((0..<2).map { _ in allocator.startNext() } == [0, nil])
        allocator.enqueue(10, in: "a", priority: prefetch())
        #expect(allocator.startNext() == 10)
        allocator.remove(0)
        #expect(allocator.startNext() == nil)
        allocator.remove(10)
        #expect(allocator.startNext() == 1)
    }

    @Test func `prefetch beyond its half yields to visible work, the least urgent first`() {
        var allocator = Allocator(permits: 2)
        allocator.enqueue(1, in: "a", priority: visible(1, 3))
        allocator.enqueue(2, in: "a", priority: visible(1, 1))
        while allocator.startNext() != nil {}
        allocator.reprioritise(1, to: prefetch(1, 3))
        allocator.reprioritise(2, to: prefetch(1, 1))
        #expect(allocator.nextToYield() == nil, "nothing visible waits")
        allocator.enqueue(3, in: "a", priority: visible(2))
        #expect(allocator.nextToYield() == 1)
        allocator.remove(1)
        #expect(allocator.startNext() == 3)
        #expect(allocator.nextToYield() == nil)
    }

    @Test func `a full group delays no other group`() {
        var allocator = Allocator(permits: 10, permitsPerGroup: 2)
        for id in 0..<5 { allocator.enqueue(id, in: "slow", priority: visible(9)) }
        allocator.enqueue(9, in: "quick", priority: prefetch())
        #expect((0..<4).map { _ in allocator.startNext() } == [0, 1, 9, nil])
        allocator.remove(0)
        #expect(allocator.startNext() == 2)
    }

    @Test func `prefetch takes at most half of a group's permits`() {
        var allocator = Allocator(permits: 100, permitsPerGroup: 4)
        for id in 0..<8 { allocator.enqueue(id, in: "a", priority: prefetch()) }
        #expect((0..<3).map { _ in allocator.startNext() } == [0, 1, nil])
    }

    @Test func `waiting work that is removed never starts`() {
        var allocator = Allocator(permits: 1)
        allocator.enqueue(1, in: "a", priority: visible())
        #expect(allocator.remove(1) == .waiting)
        #expect(allocator.remove(1) == nil)
        #expect(allocator.startNext() == nil)
        #expect(allocator.isEmpty)
    }

    @Test func `enqueue, cancel and re-prioritise cost the same at a hundred and at a hundred thousand pending`() {
        func comparisonsPerStep(pending: Int) -> Double {
            var random = SeededRandom(seed: 3)
            func anyPriority() -> Priority {
                Priority(
                    level: Bool.random(using: &random) ? .visible : .prefetch,
                    viewport: .random(in: 0..<100, using: &random), distance: .random(in: 0..<100, using: &random),
                    flow: Flow(of: Int.random(in: 0..<5, using: &random)))
            }
            var allocator = PermitAllocator<Int, Int>(permits: 8)
            for id in 0..<pending { allocator.enqueue(id, in: id % 3, priority: anyPriority()) }
            let before = allocator.comparisons
            for step in 0..<1_000 {
                let known = step * 7_919 % pending
                allocator.reprioritise(known, to: anyPriority())
                allocator.remove(known)
                allocator.enqueue(known, in: known % 3, priority: anyPriority())
            }
            return Double(allocator.comparisons - before) / 3_000
        }
        let few = comparisonsPerStep(pending: 100)
        let many = comparisonsPerStep(pending: 100_000)
        #expect(many < 3 * few, "\(few) comparisons a step at 100, \(many) at 100,000")
    }
}

@Suite(.unsanitized) struct PermitAllocatorStartTests {
    @Test(arguments: [3, 100_000]) func `a start costs the same at a hundred and at a hundred thousand pending`(
        groups: Int
    ) {
        func comparisonsPerStart(pending: Int, flows: Int) -> Double {
            var allocator = PermitAllocator<Int, Int>(permits: 8)
            for id in 0..<pending {
                let distance = UInt32(id * 7_919 % pending)
                let priority = Priority(level: .visible, viewport: 1, distance: distance, flow: Flow(of: id % flows))
                allocator.enqueue(id, in: id % groups, priority: priority)
            }
            let before = allocator.comparisons
            var starts = 0
            while starts < min(pending / 2, 2_000), let id = allocator.startNext() {
                starts += 1
                allocator.remove(id)
            }
            return Double(allocator.comparisons - before) / Double(starts)
        }
        let few = comparisonsPerStart(pending: 100, flows: 10)
        let many = comparisonsPerStart(pending: 100_000, flows: 1_000)
        #expect(many < 4 * few, "\(few) comparisons a start at 100, \(many) at 100,000")
    }
}

@Suite struct PermitAllocatorLimitTests {
    @Test func `a group holds no more than its own limit until the limit is removed`() {
        var allocator = PermitAllocator<Int, String>(permits: 8, permitsPerGroup: 4)
        let priority = Priority(level: .visible, viewport: 1, distance: 0)
        allocator.limit("resting", to: 0)
        for id in 0..<3 { allocator.enqueue(id, in: "resting", priority: priority) }
        #expect(allocator.startNext() == nil)
        allocator.limit("resting", to: 1)
        #expect(allocator.startNext() == 0)
        #expect(allocator.startNext() == nil)
        #expect(allocator.holdingCount(of: "resting") == 1)
        allocator.limit("resting", to: nil)
        #expect(allocator.startNext() == 1)
        #expect(allocator.startNext() == 2)
    }

    @Test func `prefetch gets half of a resized group's permits`() {
        var allocator = PermitAllocator<Int, String>(permits: 64, permitsPerGroup: 32)
        func started(_ allocator: inout PermitAllocator<Int, String>) -> Int {
            var count = 0
            while allocator.startNext() != nil { count += 1 }
            return count
        }
        for id in 0..<64 {
            allocator.enqueue(id, in: "small", priority: Priority(level: .prefetch, viewport: 1, distance: 0))
        }
        allocator.resize("small", to: 8)
        #expect(started(&allocator) == 4)
        for id in 64..<128 {
            allocator.enqueue(id, in: "small", priority: Priority(level: .visible, viewport: 1, distance: 0))
        }
        #expect(started(&allocator) == 4)
        // Enlarged, it has room for more of both. Back at its old size, running work keeps its permits and nothing
        // starts.
        allocator.resize("small", to: 16)
        #expect(started(&allocator) == 8)
        allocator.resize("small", to: 4)
        #expect(started(&allocator) == 0)
        #expect(allocator.holdingCount(of: "small") == 16)
        // It holds four times its size, so stopping any of it would let nothing else start.
        allocator.enqueue(128, in: "small", priority: Priority(level: .visible, viewport: 2, distance: 0))
        #expect(allocator.nextToYield(in: "small") == nil)
        allocator.resize("small", to: nil)
        #expect(started(&allocator) == 16)
    }
}
