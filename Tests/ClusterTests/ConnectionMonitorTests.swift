import EventLoops
import Locking
import Redis
import TestSupport
import Testing

@testable import Cluster

@Suite(.timeLimit(.minutes(1))) struct ConnectionMonitorTests {
    private func update(_ steadyTime: Duration, _ states: [RedisClient.State], until count: Int) async throws
        -> [ConnectionMonitor.Report]
    {
        let loop = try EventLoop(label: "test.news")
        let told = Guarded<[ConnectionMonitor.Report]>([])
        loop.execute {
            let news = ConnectionMonitor(loop: loop, steadyTime: steadyTime) { report in
                told.withLock { $0.append(report) }
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
        #expect(try await update(.seconds(60), states, until: 2) == [.connected, .lost(reason: "a")])
        #expect(
            try await update(.seconds(60), [.disconnected("a"), .disconnected("b")], until: 1) == [.lost(reason: "a")])
    }

    @Test func `a reconnection is reported once it has been steady`() async throws {
        let states: [RedisClient.State] = [.disconnected("a"), .connected]
        #expect(try await update(.milliseconds(5), states, until: 2) == [.lost(reason: "a"), .connected])
        #expect(try await update(.seconds(60), states, until: 1) == [.lost(reason: "a")])
    }

    @Test func `a flapping connection is reported once`() async throws {
        let states = [[RedisClient.State]](repeating: [.connected, .disconnected("a")], count: 100).flatMap { $0 }
        #expect(try await update(.milliseconds(1), states, until: 2) == [.connected, .lost(reason: "a")])
    }

    @Test func `another reason is reported once it has lasted, and the first one is not repeated`() async throws {
        let states: [RedisClient.State] = [
            .disconnected("a"), .disconnected("b"), .disconnected("c"), .disconnected("b"),
        ]
        let reports: [ConnectionMonitor.Report] = [.lost(reason: "a"), .stillLost(reason: "b")]
        #expect(try await update(.milliseconds(5), states, until: 2) == reports)
        let back = states + [.disconnected("a")]
        #expect(try await update(.milliseconds(5), back, until: 1) == [.lost(reason: "a")])
    }
}
