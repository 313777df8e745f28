import EventLoops
import Scheduling
import Testing

@testable import Origins

/// The memory for origins is bounded by how many matter, not by how many host names there are.
@Suite struct OriginStateTests {
    @Test func `the number of remembered failed origins is limited`() async throws {
        let fetcher = try OriginFetcher.forTests {
            $0.allowedAddresses = ["127.0.0.0/8"]
            $0.maximumRetries = 0
        }
        let names = FetchEngine.minimumWaiting * 3 / 2
        for number in 0..<names {
            // Nothing listens on port 1 of any of these addresses.
            _ = await fetcher.outcome(of: "http://127.1.\(number >> 8).\(number & 255):1/")
        }
        let count = await withCheckedContinuation { counted in
            fetcher.engine.loop.execute { [engine = fetcher.engine] in
                counted.resume(returning: engine.records.count)
            }
        }
        #expect(fetcher.statistics.failed == names)
        #expect((1...FetchEngine.minimumWaiting).contains(count))
        await fetcher.shutDown()
    }
}
