import Testing

@testable import Cluster

/// How many nodes share limits when the reported number changes.
@Suite struct NodeCountTests {
    private let start = ContinuousClock.now

    @Test func `the node count is unknown before the first report`() {
        var count = NodeCount()
        count.becameUnknown()
        #expect(count.nodes == nil)
    }

    @Test func `an increase takes effect at once`() {
        var count = NodeCount()
        for nodes in [1, 2, 5] {
            count.update(nodes, at: start)
            #expect(count.nodes == nodes)
        }
    }

    @Test func `a decrease takes effect after a delay, down to the highest count reported meanwhile`() {
        var count = NodeCount()
        count.update(5, at: start)
        for (seconds, told) in [(1.0, 3), (2, 1), (3, 4), (5.9, 2)] {
            count.update(told, at: start + .seconds(seconds))
            #expect(count.nodes == 5)
        }
        count.update(2, at: start + .seconds(6))
        #expect(count.nodes == 4)
        count.update(2, at: start + .seconds(7))
        count.update(2, at: start + .seconds(12))
        #expect(count.nodes == 2)
    }

    @Test func `a node that reappears before the delay is never subtracted`() {
        var count = NodeCount()
        count.update(2, at: start)
        count.update(1, at: start + .seconds(1))
        count.update(2, at: start + .seconds(5))
        count.update(1, at: start + .seconds(9))
        #expect(count.nodes == 2)
    }

    @Test func `the last known count survives an outage, and a decrease after it waits for the delay again`() {
        var count = NodeCount()
        count.update(3, at: start)
        count.update(1, at: start + .seconds(1))
        count.becameUnknown()
        // The server has forgotten the other nodes, which have not reconnected yet.
        count.update(1, at: start + .seconds(900))
        #expect(count.nodes == 3)
        count.update(3, at: start + .seconds(902))
        #expect(count.nodes == 3)
    }
}
