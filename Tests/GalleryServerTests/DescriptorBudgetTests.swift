import Testing

@testable import GalleryServer

@Suite struct DescriptorBudgetTests {
    private func budget(_ limit: Int, loops: Int = 2) -> DescriptorBudget {
        DescriptorBudget(limit: limit, connections: 10_000, transfers: 64, workers: 2, loops: loops)
    }

    @Test(arguments: [40, 64, 200, 256, 1_024, 4_096, 20_000])
    func `connections with a file each, and transfers with theirs, leave the gallery its own`(limit: Int) {
        let budget = budget(limit)
        #expect(budget.connections >= 1 && budget.transfers >= 1)
        let own = limit - 2 * budget.connections - 2 * budget.transfers
        #expect(own >= min(84 + Examiner.filesAtOnce, limit / 2))
    }

    @Test func `each loop has its own`() {
        let (few, many) = (budget(1_024), budget(1_024, loops: 64))
        #expect(few.connections + few.transfers - many.connections - many.transfers == 62 * 4 / 2)
    }

    @Test(arguments: [0, 10, 200, 1_024, 1_048_576])
    func `no client has more than a quarter of the connections, nor less than one`(limit: Int) {
        let budget = budget(limit)
        #expect(budget.connectionsPerClient == max(1, budget.connections / 4))
    }

    @Test func `a process that may open much takes all that was wished for`() {
        #expect(budget(1_048_576).connections == 10_000 && budget(1_048_576).transfers == 64)
    }

    @Test func `a process that may open next to nothing still takes one of each`() {
        #expect(budget(0).connections == 1 && budget(0).transfers == 1)
        #expect(budget(10).connections >= 1)
    }
}
