import Testing

@testable import Scheduling

@Suite struct AttainedServiceTests {
    private typealias Allocator = PermitAllocator<Int, Int>

    private func priority(_ owner: Int, distance: Int = 0) -> Priority {
        Priority(level: .visible, viewport: 1, distance: UInt32(distance), flow: Flow(of: owner))
    }

    /// The owners of the next starts, one permit at a time; the owner is the id's thousands.
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

    @Test func `an owner that has had all starts for a while leaves three of four to a new owner`() {
        var allocator = Allocator(permits: 1)
        want(0..<900, 1, &allocator)
        _ = owners(400, &allocator)
        want(0..<40, 2, &allocator)
        let starts = owners(52, &allocator)
        #expect(starts.count { $0 == 2 } >= 38, "a screen of forty takes 52 starts: \(starts)")
        #expect(starts.count { $0 == 1 } >= 12, "the other owner is not starved")
    }

    @Test func `an owner with occasional requests is served ahead of one with unlimited demand`() {
        var allocator = Allocator(permits: 1)
        want(0..<900, 1, &allocator)
        for round in 0..<5 {
            _ = owners(60, &allocator)
            want(40 * round..<40 * round + 20, 2, &allocator)
            let starts = owners(30, &allocator)
            #expect(starts.count { $0 == 2 } == 20, "round \(round): \(starts)")
        }
    }

    @Test func `an endless stream of new owners leaves an older owner a quarter of the starts`() {
        var allocator = Allocator(permits: 1)
        want(0..<900, 1, &allocator)
        _ = owners(100, &allocator)
        var own = 0
        for stranger in 2..<402 {
            // If there were more new owners than starts, the old one's share would keep shrinking.
            if stranger % 4 != 0 { want(0..<1, stranger, &allocator) }
            own += owners(1, &allocator).count { $0 == 1 }
        }
        #expect(own >= 90, "\(own) of 400")
    }

    @Test func `two owners with unlimited demand alternate`() {
        var allocator = Allocator(permits: 1)
        want(0..<500, 1, &allocator)
        want(0..<500, 2, &allocator)
        let starts = owners(600, &allocator)
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $0 != $1 } && starts.count == 600)
    }

    @Test func `past service decays, and the number of absent parties remembered is limited`() {
        var service = AttainedService<Int>()
        service.enter(1)
        service.enter(2)
        for _ in 0..<100 { service.serve(1) }
        #expect(service.isUnderserved(2) && !service.isUnderserved(1))
        for _ in 0..<200_000 {
            service.serve(1)
            service.serve(2)
        }
        #expect(!service.isUnderserved(2), "a hundred old starts no longer count")
        for party in 3..<10_000 {
            service.enter(party)
            service.serve(party)
            service.leave(party)
        }
        #expect(service.rememberedCount < 4_000)
    }
}
