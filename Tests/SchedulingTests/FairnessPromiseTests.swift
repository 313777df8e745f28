import TestSupport
import Testing

@testable import Scheduling

/// No session starves another: at each priority level, permits rotate among all waiting sessions, whatever each does.
@Suite struct FairnessPromiseTests {
    private typealias Allocator = PermitAllocator<Int, Int>

    private func priority(
        _ flow: Int, viewport: UInt64 = 1, distance: Int = 0, level: Priority.Level = .visible
    ) -> Priority {
        Priority(level: level, viewport: viewport, distance: UInt32(distance), flow: Flow(of: flow))
    }

    /// Starts the next piece of work, finishes it at once, and returns its id.
    private func start(_ allocator: inout Allocator) -> Int? {
        guard let id = allocator.startNext() else { return nil }
        allocator.remove(id)
        return id
    }

    @Test(arguments: [1, 2, 1_000]) func `a session that flings without pause leaves a resting one half`(groups: Int) {
        var allocator = Allocator(permits: 2, permitsPerGroup: 1)
        for slot in 0..<40 { allocator.enqueue(slot, in: slot % groups, priority: priority(0, distance: slot)) }
        var resting: [Int] = []
        var newest = 1_000
        for viewport in 2..<200 as Range<UInt64> where resting.count < 40 {
            // Each viewport withdraws the requests of the one before, and makes forty new ones.
            for id in newest - 40..<newest where allocator.state(of: id) != nil { allocator.remove(id) }
            for slot in 0..<40 {
                allocator.enqueue(
                    newest + slot, in: (newest + slot) % groups,
                    priority: priority(1, viewport: viewport, distance: slot))
            }
            newest += 40
            let starts = (0..<2).compactMap { _ in start(&allocator) }
            #expect(starts.count { $0 < 40 } == 1, "one of every two starts")
            resting += starts.filter { $0 < 40 }
        }
        #expect(resting == Array(0..<40), "in its own order")
    }

    @Test func `a session gains nothing by moving its requests to ever newer viewports`() {
        var allocator = Allocator(permits: 1)
        for slot in 0..<20 {
            allocator.enqueue(slot, in: 0, priority: priority(0, distance: slot))
            allocator.enqueue(100 + slot, in: 0, priority: priority(1, distance: slot))
        }
        var starts: [Int] = []
        for viewport in 2..<42 as Range<UInt64> {
            for slot in 100..<120 { allocator.reprioritise(slot, to: priority(1, viewport: viewport)) }
            if let id = start(&allocator) { starts.append(id / 100) }
        }
        #expect(starts == (0..<40).map { $0 % 2 })
    }

    @Test(arguments: [1, 7]) func `no session is ever two starts ahead of another`(groups: Int) {
        var allocator = Allocator(permits: 4)
        for session in 0..<100 {
            for slot in 0..<40 {
                let id = 40 * session + slot
                allocator.enqueue(id, in: id % groups, priority: priority(session, viewport: UInt64(session)))
            }
        }
        var starts = Array(repeating: 0, count: 100)
        var furthest = 0
        for _ in 0..<4_000 {
            guard let id = start(&allocator) else { break }
            starts[id / 40] += 1
            furthest = max(furthest, starts.max()! - starts.min()!)
        }
        #expect(furthest == 1)
        #expect(starts == Array(repeating: 40, count: 100) && allocator.isEmpty)
    }

    @Test func `a single session may hold all permits`() {
        var allocator = Allocator(permits: 8)
        for slot in 0..<40 { allocator.enqueue(slot, in: 0, priority: priority(1, distance: 40 - slot)) }
        #expect((0..<9).map { _ in allocator.startNext() } == [39, 38, 37, 36, 35, 34, 33, 32, nil])
    }

    @Test func `visible work of any session goes before prefetch of any session`() {
        var allocator = Allocator(permits: 4)
        for slot in 0..<4 {
            allocator.enqueue(slot, in: 0, priority: priority(slot, viewport: 9, level: .prefetch))
            allocator.enqueue(10 + slot, in: 0, priority: priority(9, distance: slot))
        }
        #expect((0..<7).map { _ in start(&allocator) } == [10, 11, 12, 13, 0, 1, 2])
    }

    @Test func `prefetch also rotates among the sessions, within its half of the permits`() {
        var allocator = Allocator(permits: 4)
        for slot in 0..<4 {
            allocator.enqueue(slot, in: 0, priority: priority(1, viewport: 9, distance: slot, level: .prefetch))
            allocator.enqueue(10 + slot, in: 0, priority: priority(2, distance: slot, level: .prefetch))
        }
        #expect((0..<3).map { _ in allocator.startNext() } == [0, 10, nil])
    }

    @Test func `the session holding the most prefetch permits yields its least urgent one`() {
        var allocator = Allocator(permits: 4)
        for id in 0..<4 { allocator.enqueue(id, in: 0, priority: priority(1)) }
        while allocator.startNext() != nil {}
        allocator.reprioritise(0, to: priority(2, viewport: 1, level: .prefetch))
        for id in 1..<4 { allocator.reprioritise(id, to: priority(1, viewport: 9, distance: id, level: .prefetch)) }
        allocator.enqueue(9, in: 0, priority: priority(3))
        #expect(allocator.nextToYield() == 3)
        #expect(allocator.nextToYield(in: 0) == nil, "a group has no limit of its own here")
    }

    @Test func `work that moves to another session takes its place in that session's order`() {
        var allocator = Allocator(permits: 1)
        for id in 0..<4 { allocator.enqueue(id, in: 0, priority: priority(id / 2, distance: id)) }
        allocator.reprioritise(0, to: priority(1, viewport: 9))
        #expect((0..<5).map { _ in start(&allocator) } == [1, 0, 2, 3, nil])
    }

    @Test func `ten thousand random steps agree with a naive model`() {
        var random = SeededRandom(seed: 42)
        for round in 0..<20 {
            var model = Model(permits: round % 7 + 1, permitsPerGroup: round % 5 + 1)
            var allocator = Allocator(permits: model.permits, permitsPerGroup: model.permitsPerGroup)
            for step in 0..<500 {
                let some = model.members.keys.sorted().randomElement(using: &random) ?? -1
                let priority = priority(
                    .random(in: 0..<4, using: &random), viewport: .random(in: 0..<4, using: &random),
                    distance: .random(in: 0..<4, using: &random),
                    level: Bool.random(using: &random) ? .visible : .prefetch)
                switch Int.random(in: 0..<10, using: &random) {
                case 0...2:
                    allocator.enqueue(step, in: step % 5, priority: priority)
                    model.enqueue(step, in: step % 5, priority)
                case 3, 4:
                    allocator.reprioritise(some, to: priority)
                    model.reprioritise(some, priority)
                case 5, 6:
                    #expect(allocator.remove(some) == model.members.removeValue(forKey: some)?.standing)
                case 7:
                    let limit = [nil, 0, 1, 2].randomElement(using: &random)!
                    allocator.limit(step % 5, to: limit)
                    model.limits[step % 5] = limit
                default:
                    let started = allocator.startNext()
                    guard model.start(started) else {
                        Issue.record("\(started.map(String.init) ?? "nothing") was started")
                        return
                    }
                }
                let holding = model.members.values.filter(\.holds)
                #expect(allocator.holdingCount == holding.count && holding.count <= model.permits)
                #expect(allocator.waitingCount == model.members.count - holding.count)
                #expect(allocator.holdingPrefetchCount == holding.count { $0.priority.level == .prefetch })
            }
            for id in model.members.keys { allocator.remove(id) }
            #expect(allocator.isEmpty && allocator.holdingPrefetchCount == 0 && allocator.holdingGroupCount == 0)
            #expect(allocator.startNext() == nil && allocator.nextToYield() == nil)
        }
    }
}

/// A naive version of the allocator, which examines everything for each permit.
private struct Model {
    struct Member {
        let group: Int
        let arrival: Int
        var priority: Priority
        var holds = false

        var standing: PermitAllocator<Int, Int>.State { holds ? .holding : .waiting }

        func isBefore(_ other: Member) -> Bool {
            priority == other.priority ? arrival < other.arrival : priority > other.priority
        }
    }

    let permits: Int
    let permitsPerGroup: Int
    var members: [Int: Member] = [:]
    var limits: [Int: Int] = [:]
    /// How often each flow has been passed by each other flow while it could have started, since its own last start.
    private var passed: [Flow: [Flow: Int]] = [:]
    private var events = 0

    /// An underserved owner gets three starts for each start of another one, and each may have kept a tag.
    private static let maximumPassed = 5

    init(permits: Int, permitsPerGroup: Int) {
        self.permits = permits
        self.permitsPerGroup = permitsPerGroup
    }

    mutating func enqueue(_ id: Int, in group: Int, _ priority: Priority) {
        events += 1
        members[id] = Member(group: group, arrival: events, priority: priority)
    }

    mutating func reprioritise(_ id: Int, _ priority: Priority) {
        members[id]?.priority = priority
    }

    /// The members that may start now, at the highest level that has any.
    private var startable: [Int: Member] {
        let holding = members.values.filter(\.holds)
        let isPrefetch = { (member: Member) in member.priority.level == .prefetch }
        guard holding.count < permits else { return [:] }
        let startable = members.filter { _, member in
            guard !member.holds else { return false }
            let inGroup = holding.filter { $0.group == member.group }
            guard inGroup.count < min(permitsPerGroup, limits[member.group] ?? .max) else { return false }
            guard isPrefetch(member) else { return true }
            let visibleWaits = members.values.contains { $0.group == member.group && !$0.holds && !isPrefetch($0) }
            return !visibleWaits && inGroup.count(where: isPrefetch) < max(1, permitsPerGroup / 2)
                && holding.count(where: isPrefetch) < max(1, permits / 2)
        }
        guard let level = startable.values.map(\.priority.level).max() else { return [:] }
        return startable.filter { $0.value.priority.level == level }
    }

    /// Whether this may start now: it is eligible, nothing in its flow is more urgent, and no other flow has been
    /// passed too often. For nil: whether nothing is eligible.
    mutating func start(_ id: Int?) -> Bool {
        let startable = startable
        guard let id else { return startable.isEmpty }
        guard let chosen = startable[id] else { return false }
        let flow = chosen.priority.flow
        let first = startable.filter { $0.value.priority.flow == flow }.min { $0.value.isBefore($1.value) }
        guard first?.key == id else { return false }
        members[id]?.holds = true
        passed[flow] = nil
        let waiting = Set(startable.values.map(\.priority.flow)).subtracting([flow])
        // A flow that was not eligible for a while is counted anew.
        passed = passed.filter { waiting.contains($0.key) }
        for other in waiting { passed[other, default: [:]][flow, default: 0] += 1 }
        return passed.values.allSatisfy { $0.values.allSatisfy { $0 <= Self.maximumPassed } }
    }
}
