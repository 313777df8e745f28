import Testing

@testable import Cluster

/// How many nodes share limits, as what the server tells comes and goes.
@Suite struct NodeCountTests {
    private let start = ContinuousClock.now

    @Test func `nothing is known before something is told`() {
        var count = NodeCount()
        count.isUntold()
        #expect(count.nodes == nil)
    }

    @Test func `one more counts at once`() {
        var count = NodeCount()
        for nodes in [1, 2, 5] {
            count.told(nodes, at: start)
            #expect(count.nodes == nodes)
        }
    }

    @Test func `one fewer counts once that has been so for a while, and as many as there were at most meanwhile`() {
        var count = NodeCount()
        count.told(5, at: start)
        for (seconds, told) in [(1.0, 3), (2, 1), (3, 4), (5.9, 2)] {
            count.told(told, at: start + .seconds(seconds))
            #expect(count.nodes == 5)
        }
        count.told(2, at: start + .seconds(6))
        #expect(count.nodes == 4)
        count.told(2, at: start + .seconds(7))
        count.told(2, at: start + .seconds(12))
        #expect(count.nodes == 2)
    }

    @Test func `who is missed and comes back was never gone`() {
        var count = NodeCount()
        count.told(2, at: start)
        count.told(1, at: start + .seconds(1))
        count.told(2, at: start + .seconds(5))
        count.told(1, at: start + .seconds(9))
        #expect(count.nodes == 2)
    }

    @Test func `what was known last holds for as long as nothing is told, and a server that is back has its time`() {
        var count = NodeCount()
        count.told(3, at: start)
        count.told(1, at: start + .seconds(1))
        count.isUntold()
        // It has forgotten the others, who have not found it yet.
        count.told(1, at: start + .seconds(900))
        #expect(count.nodes == 3)
        count.told(3, at: start + .seconds(902))
        #expect(count.nodes == 3)
    }
}
