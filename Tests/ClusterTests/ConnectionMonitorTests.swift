import EventLoops
import Locking
import Redis
import TestSupport
import Testing

@testable import Cluster

@Suite(.timeLimit(.minutes(1))) struct ConnectionMonitorTests {
    private func update(_ steadyTime: Duration, _ states: [RedisClient.State], until count: Int) async throws
        -> [RedisClient.State]
    {
        let loop = try EventLoop(label: "test.news")
        let told = Guarded<[RedisClient.State]>([])
        loop.execute {
            let news = ConnectionMonitor(loop: loop, steadyTime: steadyTime) { state in
                told.withLock { $0.append(state) }
            }
            for state in states { news.changed(state) }
            // Keeps the monitor alive until the expected states have arrived.
            loop.schedule(after: .seconds(60)) { news.changed(.connected) }
        }
        #expect(await eventually { told.withLock { $0.count } >= count })
        await loop.stop()
        return told.withLock { $0 }
    }

    @Test func `the first state and a disconnection are reported at once, and only once`() async throws {
        let states: [RedisClient.State] = [.connected, .connected, .disconnected("a"), .disconnected("b")]
        #expect(try await update(.seconds(60), states, until: 2) == [.connected, .disconnected("a")])
        #expect(
            try await update(.seconds(60), [.disconnected("a"), .disconnected("b")], until: 1) == [.disconnected("a")])
    }

    @Test func `a reconnection is reported once it has been steady`() async throws {
        let states: [RedisClient.State] = [.disconnected("a"), .connected]
        #expect(try await update(.milliseconds(5), states, until: 2) == states)
        #expect(try await update(.seconds(60), states, until: 1) == [.disconnected("a")])
    }

    @Test func `a flapping connection is reported once`() async throws {
        let states = [[RedisClient.State]](repeating: [.connected, .disconnected("a")], count: 100).flatMap { $0 }
        #expect(try await update(.milliseconds(1), states, until: 2) == [.connected, .disconnected("a")])
    }
}
