import Testing

@testable import GalleryServer

@Suite struct DescriptorBudgetTests {
    private func budget(_ limit: Int, loops: Int = 2) -> DescriptorBudget {
        DescriptorBudget(limit: limit, connections: 10_000, transfers: 64, workers: 2, loops: loops)
    }

    @Test(arguments: [40, 64, 200, 256, 1_024, 4_096, 20_000])
    func `connections and transfers, each with a file, leave enough descriptors for the gallery`(limit: Int) {
        let budget = budget(limit)
        #expect(budget.connections >= 1 && budget.transfers >= 1)
        let own = limit - 2 * budget.connections - 2 * budget.transfers
        #expect(own >= min(84 + MetadataIndexer.filesAtOnce, limit / 2))
    }

    @Test func `each event loop reserves descriptors of its own`() {
        let (few, many) = (budget(2_048), budget(2_048, loops: 64))
        #expect(few.connections + few.transfers - many.connections - many.transfers == 62 * 4 / 2)
    }

    @Test(arguments: [0, 10, 200, 1_024, 1_048_576])
    func `a client gets at most a quarter of the connections, and at least one`(limit: Int) {
        let budget = budget(limit)
        #expect(budget.connectionsPerClient == max(1, budget.connections / 4))
    }

    @Test func `a high descriptor limit allows all configured connections and transfers`() {
        #expect(budget(1_048_576).connections == 10_000 && budget(1_048_576).transfers == 64)
    }

    @Test func `a tiny descriptor limit still allows one connection and one transfer`() {
        #expect(budget(0).connections == 1 && budget(0).transfers == 1)
        #expect(budget(10).connections >= 1)
    }
}
