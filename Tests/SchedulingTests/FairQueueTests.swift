import Testing

@testable import Scheduling

@Suite struct FairQueueTests {
    private typealias Queue = FairQueue<Int, String>

    private func rank(_ flow: Int, _ distance: UInt32 = 0, viewport: UInt64 = 1, arrival: UInt64 = 0) -> Queue.Rank {
        let priority = Priority(level: .visible, viewport: viewport, distance: distance, flow: Flow(of: flow))
        return Queue.Rank(priority: priority, arrival: arrival)
    }

    private func starts(_ queue: inout Queue) -> [Int] {
        var ids: [Int] = []
        while let id = queue.removeFirst() { ids.append(id) }
        return ids
    }

    @Test func `starts rotate among the flows, the most urgent of each flow first`() {
        var queue = Queue()
        for distance in 0..<3 as Range<UInt32> {
            for flow in 1...3 { queue.set(10 * flow + Int(distance), in: "a", to: rank(flow, distance)) }
        }
        queue.open("a", true)
        #expect(starts(&queue) == [10, 20, 30, 11, 21, 31, 12, 22, 32])
        #expect(!queue.waits(in: "a") && !queue.isReady)
    }

    @Test func `a closed group starts nothing and delays no other group`() {
        var queue = Queue()
        queue.set(1, in: "closed", to: rank(1))
        queue.set(2, in: "open", to: rank(2))
        queue.set(3, in: "open", to: rank(1, 9))
        queue.open("open", true)
        #expect(starts(&queue) == [3, 2])
        queue.open("closed", true)
        #expect(starts(&queue) == [1])
    }

    @Test func `starts rotate among the flows across groups`() {
        var queue = Queue()
        for number in 0..<6 {
            queue.set(number, in: "many \(number)", to: rank(1, UInt32(number), viewport: 9))
            queue.open("many \(number)", true)
        }
        for number in 10..<13 { queue.set(number, in: "one", to: rank(2, UInt32(number))) }
        queue.open("one", true)
        #expect(starts(&queue) == [0, 10, 1, 11, 2, 12, 3, 4, 5])
    }

    @Test func `a flow's start in one group counts when another group is contended`() {
        var queue = Queue()
        queue.set(1, in: "both", to: rank(1, 5))
        queue.set(2, in: "both", to: rank(2, 5))
        queue.set(3, in: "own", to: rank(1, 0))
        queue.open("both", true)
        queue.open("own", true)
        #expect(queue.removeFirst() == 3, "the most urgent of the first flow")
        #expect(starts(&queue) == [2, 1])
    }

    @Test func `a flow that withdraws everything and returns before its turn keeps its place`() {
        var queue = Queue()
        for flow in 1...3 { queue.set(flow, in: "a", to: rank(flow)) }
        queue.open("a", true)
        queue.remove(1, of: Flow(of: 1), from: "a")
        queue.set(4, in: "a", to: rank(1))
        #expect(starts(&queue) == [4, 2, 3])
    }

    @Test func `a flow that returns after its turn goes behind flows still waiting for theirs`() {
        var queue = Queue()
        for flow in 1...3 { queue.set(flow, in: "a", to: rank(flow)) }
        queue.open("a", true)
        #expect(queue.removeFirst() == 1)
        queue.set(4, in: "a", to: rank(1, viewport: 9))
        #expect(starts(&queue) == [2, 3, 4])
    }

    @Test func `an endless stream of new flows starves no other flow`() {
        var queue = Queue()
        for id in 0..<3 { queue.set(id, in: "a", to: rank(-1, UInt32(id))) }
        queue.open("a", true)
        var started: [Int] = []
        for number in 0..<60 where started.count < 3 {
            for id in 0..<2 { queue.set(100 + 2 * number + id, in: "a", to: rank(2 * number + id, viewport: 9)) }
            if let id = queue.removeFirst(), id < 100 { started.append(number) }
        }
        #expect(started == [0, 3, 10], "each start comes after the flows that arrived before it")
    }

    @Test func `a limited number of finished flows is remembered`() {
        var queue = Queue()
        for flow in 0..<5_000 {
            queue.set(flow, in: "\(flow % 3)", to: rank(flow))
            queue.open("\(flow % 3)", true)
            #expect(queue.removeFirst() == flow)
        }
        #expect(queue.flowCount == 1_024 && !queue.isReady)
    }

    // MARK: - Owners of several flows

    private func rank(_ owner: String, _ member: Int, _ distance: UInt32 = 0, viewport: UInt64 = 1) -> Queue.Rank {
        let flow = Flow(of: owner, member: member)
        let priority = Priority(level: .visible, viewport: viewport, distance: distance, flow: flow)
        return Queue.Rank(priority: priority, arrival: 0)
    }

    @Test func `an owner of a hundred flows has one share`() {
        var queue = Queue()
        for member in 0..<100 {
            for id in 0..<3 {
                queue.set(1_000 + 10 * member + id, in: "a", to: rank("many", member, UInt32(id), viewport: 9))
            }
        }
        for id in 0..<20 { queue.set(id, in: "a", to: rank("one", 0, UInt32(id))) }
        queue.open("a", true)
        let lone = (0..<40).compactMap { _ in queue.removeFirst() }.filter { $0 < 1_000 }
        // The hundred came first, with one tag each; from its first start on, the lone flow gets every second one.
        #expect(lone.count >= 19)
        #expect(lone == Array(0..<lone.count))
    }

    @Test func `an owner's share rotates among its flows, within one group and across groups`() {
        var queue = Queue()
        for id in 0..<4 {
            queue.set(id, in: "x", to: rank("home", 1, UInt32(id), viewport: 99))
            queue.set(10 + id, in: "y", to: rank("home", 2, UInt32(id), viewport: 1))
            queue.set(20 + id, in: "y", to: rank("other", 0, UInt32(id)))
        }
        queue.open("x", true)
        queue.open("y", true)
        #expect(starts(&queue) == [0, 20, 10, 21, 1, 22, 11, 23, 2, 12, 3, 13])
    }

    @Test func `an endless stream of new flows gets their owner no more than its share`() {
        var queue = Queue()
        for id in 0..<10 { queue.set(id, in: "a", to: rank("one", 0, UInt32(id))) }
        queue.open("a", true)
        var started: [Int] = []
        for number in 0..<100 where started.count < 10 {
            // Each flow makes one request, and withdraws it if it was not served.
            let ids = (0..<5).map { 100 + 5 * number + $0 }
            for id in ids { queue.set(id, in: "a", to: rank("new", id, viewport: 9)) }
            if let id = queue.removeFirst(), id < 100 { started.append(number) }
            for id in ids { queue.remove(id, of: Flow(of: "new", member: id), from: "a") }
        }
        #expect(started.count == 10 && (started.last ?? .max) <= 20, "every second start: \(started)")
    }

    @Test func `flows that leave before their turn do not reduce their owner's share`() {
        var queue = Queue()
        for id in 0..<10 { queue.set(id, in: "a", to: rank("other", 0, UInt32(id))) }
        queue.open("a", true)
        for member in 0..<1_000 {
            queue.set(1_000 + member, in: "a", to: rank("home", member))
            queue.remove(1_000 + member, of: Flow(of: "home", member: member), from: "a")
        }
        for id in 0..<3 { queue.set(100 + id, in: "a", to: rank("home", -1, UInt32(id))) }
        #expect((0..<6).compactMap { _ in queue.removeFirst() }.filter { $0 >= 100 } == [100, 101, 102])
    }

    @Test func `an owner cannot save up turns with many flows and use them all at once`() {
        var queue = Queue()
        for id in 0..<20 { queue.set(id, in: "a", to: rank("one", 0, UInt32(id))) }
        for member in 0..<500 {
            queue.set(1_000 + member, in: "a", to: rank("many", member))
            queue.remove(1_000 + member, of: Flow(of: "many", member: member), from: "a")
        }
        for member in 0..<500 { queue.set(1_000 + member, in: "a", to: rank("many", member, viewport: 9)) }
        queue.open("a", true)
        #expect((0..<20).compactMap { _ in queue.removeFirst() }.count { $0 < 1_000 } >= 9)
        // The same with tags from the distant past.
        for member in 0..<500 { queue.remove(1_000 + member, of: Flow(of: "many", member: member), from: "a") }
        while let id = queue.removeFirst() { #expect(id < 1_000) }
        for id in 0..<20 { queue.set(id, in: "a", to: rank("one", 0, UInt32(id))) }
        for member in 0..<500 { queue.set(1_000 + member, in: "a", to: rank("many", member, viewport: 9)) }
        queue.open("a", true)
        // By now this owner has received more than the other, so it gets at least a quarter.
        #expect((0..<20).compactMap { _ in queue.removeFirst() }.count { $0 < 1_000 } > 5)
    }

    @Test func `owners with nothing waiting are forgotten`() {
        var queue = Queue()
        for member in 0..<10 { queue.set(member, in: "\(member)", to: rank("a", member)) }
        #expect(queue.ownerCount == 1)
        for member in 0..<10 { queue.remove(member, of: Flow(of: "a", member: member), from: "\(member)") }
        #expect(queue.ownerCount == 0 && !queue.isReady)
    }
}
