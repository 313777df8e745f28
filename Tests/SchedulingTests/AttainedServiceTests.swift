import Testing

@testable import Scheduling

@Suite struct AttainedServiceTests {
    private typealias Allocator = PlaceAllocator<Int, Int>

    private func priority(_ owner: Int, distance: Int = 0) -> Priority {
        Priority(lane: .visible, viewport: 1, distance: UInt32(distance), flow: Flow(of: owner))
    }

    /// Owners of the next starts, one place at a time; owner by thousands of the id.
    private func owners(_ count: Int, _ allocator: inout Allocator) -> [Int] {
        (0..<count).compactMap { _ in
            guard let id = allocator.startNext() else { return nil }
            allocator.remove(id)
            return id / 1_000
        }
    }

    private func want(_ range: Range<Int>, _ owner: Int, _ allocator: inout Allocator) {
        for id in range { allocator.enqueue(1_000 * owner + id, in: 0, priority: priority(owner, distance: id)) }
    }

    @Test func `who has had everything for a while leaves three of four turns to who comes now`() {
        var allocator = Allocator(places: 1)
        want(0..<900, 1, &allocator)
        _ = owners(400, &allocator)
        want(0..<40, 2, &allocator)
        let starts = owners(52, &allocator)
        #expect(starts.count { $0 == 2 } >= 38, "a screen of forty takes 52 turns: \(starts)")
        #expect(starts.count { $0 == 1 } >= 12, "and the other one is not starved")
    }

    @Test func `who comes now and then is served sooner each time than who wants everything`() {
        var allocator = Allocator(places: 1)
        want(0..<900, 1, &allocator)
        for round in 0..<5 {
            _ = owners(60, &allocator)
            want(40 * round..<40 * round + 20, 2, &allocator)
            let starts = owners(30, &allocator)
            #expect(starts.count { $0 == 2 } == 20, "round \(round): \(starts)")
        }
    }

    @Test func `new owners without end leave one that was there a quarter`() {
        var allocator = Allocator(places: 1)
        want(0..<900, 1, &allocator)
        _ = owners(100, &allocator)
        var own = 0
        for stranger in 2..<402 {
            // More of them than there are turns for would make its share smaller and smaller.
            if stranger % 4 != 0 { want(0..<1, stranger, &allocator) }
            own += owners(1, &allocator).count { $0 == 1 }
        }
        #expect(own >= 90, "\(own) of 400")
    }

    @Test func `two that want everything alternate`() {
        var allocator = Allocator(places: 1)
        want(0..<500, 1, &allocator)
        want(0..<500, 2, &allocator)
        let starts = owners(600, &allocator)
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $0 != $1 } && starts.count == 600)
    }

    @Test func `what was had is forgotten by and by, and of the absent only so many are remembered`() {
        var service = AttainedService<Int>()
        service.enter(1)
        service.enter(2)
        for _ in 0..<100 { service.serve(1) }
        #expect(service.hasHadLess(2) && !service.hasHadLess(1))
        for _ in 0..<200_000 {
            service.serve(1)
            service.serve(2)
        }
        #expect(!service.hasHadLess(2), "a hundred of long ago count nothing")
        for party in 3..<10_000 {
            service.enter(party)
            service.serve(party)
            service.leave(party)
        }
        #expect(service.rememberedCount < 4_000)
    }
}
