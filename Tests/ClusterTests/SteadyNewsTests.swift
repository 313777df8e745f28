import EventLoops
import Locking
import Redis
import TestSupport
import Testing

@testable import Cluster

@Suite(.timeLimit(.minutes(1))) struct SteadyNewsTests {
    private func told(_ steadyTime: Duration, _ states: [RedisClient.State], until count: Int) async throws
        -> [RedisClient.State]
    {
        let loop = try EventLoop(label: "test.news")
        let told = Guarded<[RedisClient.State]>([])
        loop.execute {
            let news = SteadyNews(loop: loop, steadyTime: steadyTime) { state in told.withLock { $0.append(state) } }
            for state in states { news.changed(state) }
            // It lives until what it waits for has come.
            loop.schedule(after: .seconds(60)) { news.changed(.connected) }
        }
        #expect(await eventually { told.withLock { $0.count } >= count })
        await loop.stop()
        return told.withLock { $0 }
    }

    @Test func `what comes at first and what goes is told at once, and once`() async throws {
        let states: [RedisClient.State] = [.connected, .connected, .away("a"), .away("b")]
        #expect(try await told(.seconds(60), states, until: 2) == [.connected, .away("a")])
        #expect(try await told(.seconds(60), [.away("a"), .away("b")], until: 1) == [.away("a")])
    }

    @Test func `that it is there again is told when it has held`() async throws {
        let states: [RedisClient.State] = [.away("a"), .connected]
        #expect(try await told(.milliseconds(5), states, until: 2) == states)
        #expect(try await told(.seconds(60), states, until: 1) == [.away("a")])
    }

    @Test func `what comes and goes all the time is told of once`() async throws {
        let states = [[RedisClient.State]](repeating: [.connected, .away("a")], count: 100).flatMap { $0 }
        #expect(try await told(.milliseconds(1), states, until: 2) == [.connected, .away("a")])
    }
}
