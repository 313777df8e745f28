import Testing

@testable import EventLoops

@Suite struct CallbackTimesTests {
    @Test(arguments: [
        (0, 0), (1, 0), (1_000, 0), (1_001, 1), (2_000, 1), (2_001, 2), (1_000_000, 10), (1_048_576_001, 21),
    ])
    func `a callback counts in the first bucket whose bound it does not exceed`(nanoseconds: UInt64, index: Int) {
        var times = CallbackTimes()
        times.count(nanoseconds)
        #expect(times.counts.firstIndex(of: 1) == index)
        #expect(times.total == nanoseconds && times.longest == nanoseconds)
    }

    @Test func `a callback that blocks the loop is counted`() async throws {
        let loop = try EventLoop(label: "test")
        let before = await loop.callbackTimes()
        await withCheckedContinuation { continuation in
            loop.execute {
                let end = EventLoop.now() + 5_000_000
                while EventLoop.now() < end {}
                continuation.resume()
            }
        }
        let after = await loop.callbackTimes()
        #expect(before.counts[13...].reduce(0, +) <= after.counts[13...].reduce(0, +) - 1, "none exceeds 4 ms")
        #expect(after.longest >= 5_000_000)
        await loop.stop()
    }
}
