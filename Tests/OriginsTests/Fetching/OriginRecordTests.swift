import EventLoops
import Scheduling
import Testing

@testable import Origins

/// What is remembered of origins is bounded by what is of use, not by how many names there are.
@Suite struct OriginRecordTests {
    @Test func `origins that failed and are asked no more are forgotten when they are many`() async throws {
        let fetcher = try OriginFetcher.forTests {
            $0.allowedAddresses = ["127.0.0.0/8"]
            $0.maximumRetries = 0
        }
        let names = FetchEngine.leastCrowd * 3 / 2
        for number in 0..<names {
            // Nobody listens on port 1 of any of these.
            _ = await fetcher.outcome(of: "http://127.1.\(number >> 8).\(number & 255):1/")
        }
        let count = await withCheckedContinuation { counted in
            fetcher.engine.loop.execute { [engine = fetcher.engine] in
                counted.resume(returning: engine.records.count)
            }
        }
        #expect(fetcher.statistics.failed == names)
        #expect((1...FetchEngine.leastCrowd).contains(count))
        await fetcher.shutDown()
    }
}
