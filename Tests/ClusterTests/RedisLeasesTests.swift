import EventLoops
import Images
import Loading
import Locking
import Redis
import Renditions
import Scheduling
import TestSupport
import Testing

@testable import Cluster

@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(1))) struct RedisLeasesTests {
    private let tile = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .tile, format: .webp)
    private let preview = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .preview, format: .webp)

    /// Two nodes, of which one holds the lease and knows that the other waits for it.
    private struct Contest {
        let server: RedisServer
        let one: NodeFixture
        let other: NodeFixture
        let first: NodeFixture.Heard
        let second: NodeFixture.Heard
    }

    private func contest() async throws -> Contest {
        let server = try #require(await RedisServer())
        let (one, other) = (try await NodeFixture(server), try await NodeFixture(server))
        let first = one.ask(tile)
        _ = try #require(await first.first()?.fence)
        let second = other.ask(tile)
        #expect(await eventually { first.news.withLock { $0.count == 2 } })
        return Contest(server: server, one: one, other: other, first: first, second: second)
    }

    @Test func `one node gets the lease, and the other learns when the rendition is made`() async throws {
        let server = try #require(await RedisServer())
        let (one, other) = (try await NodeFixture(server), try await NodeFixture(server))
        let first = one.ask(tile)
        #expect(await first.first()?.fence != nil)
        let second = other.ask(tile)
        #expect(await eventually { first.news.withLock { $0.contains(.requested(tile, level: .visible)) } })
        #expect(second.news.withLock { $0.isEmpty })
        first.end(.made)
        #expect(await second.first() == .made)
        await one.close()
        await other.close()
    }

    @Test func `fencing tokens increase, even after the server restarts without data`() async throws {
        let server = try #require(await RedisServer())
        let one = try await NodeFixture(server)
        var fences: [UInt64] = []
        for round in 0..<3 {
            let turn = one.ask(tile)
            fences.append(try #require(await turn.first()?.fence))
            turn.end(.abandoned)
            guard round == 1 else { continue }
            server.end()
            #expect(await eventually { !one.client.isConnected })
            #expect(await server.start())
            #expect(await eventually { one.client.isConnected })
        }
        #expect(fences == fences.sorted() && Set(fences).count == 3, "\(fences)")
        await one.close()
    }

    @Test func `the lease of a dead node passes to another within two seconds`() async throws {
        let contest = try await contest()
        let (one, other, second) = (contest.one, contest.other, contest.second)
        let before = try #require(await contest.first.first()?.fence)
        await one.die()
        let died = ContinuousClock.now
        let after = try #require(await second.first()?.fence)
        #expect(died.duration(to: .now) < .seconds(2))
        #expect(after > before)
        await one.close()
        await other.close()
    }

    @Test func `a lease is renewed for as long as its node lives`() async throws {
        let server = try #require(await RedisServer())
        let (one, other) = (try await NodeFixture(server), try await NodeFixture(server))
        let first = one.ask(tile)
        _ = await first.first()
        let second = other.ask(tile)
        // Each lookup of the other node is another request: three of them outlast two leases.
        #expect(
            await eventually { first.news.withLock { $0.count { $0 == .requested(tile, level: .visible) } } >= 4 })
        #expect(second.news.withLock { $0.isEmpty })
        first.end(.abandoned)
        #expect(await second.first()?.fence != nil)
        second.end(.abandoned)
        await one.close()
        await other.close()
    }

    @Test func `a node that has finished is asked for other renditions and keeps the lease for them`() async throws {
        let server = try #require(await RedisServer())
        let (one, other) = (try await NodeFixture(server), try await NodeFixture(server))
        let first = one.ask(tile)
        let fence = await first.first()?.fence
        let second = other.ask(preview)
        let wish = LeaseEvent.requested(preview, level: .visible)
        #expect(await eventually { first.news.withLock { $0.contains(wish) } })
        first.end(.made)
        #expect(await eventually { first.news.withLock { $0.count { $0 == wish } } == 2 })
        let third = one.ask(preview)
        #expect(await third.first()?.fence == fence)
        third.end(.made)
        #expect(await second.first() == .made)
        await one.close()
        await other.close()
    }

    @Test func `a failure reaches waiting and later requests, unless they bypass the negative cache`() async throws {
        let contest = try await contest()
        let (one, other, first, second) = (contest.one, contest.other, contest.first, contest.second)
        first.end(.failed(LoadFailure(status: 404, publicMessage: "Gone.", isPermanent: true)))
        for received in [second, other.ask(preview)] {
            guard case .failed(let failure)? = await received.first() else {
                return #expect(Bool(false), "no failure was reported")
            }
            #expect(failure.status == 404 && failure.publicMessage == "Gone." && failure.isPermanent)
        }
        let insistent = other.ask(tile, bypassesNegativeCache: true)
        #expect(await insistent.first()?.fence != nil)
        await one.close()
        await other.close()
    }

    @Test func `a lease granted after the timeout is released at once`() async throws {
        let server = try #require(await RedisServer())
        let (one, other) = (try await NodeFixture(server), try await NodeFixture(server))
        server.freeze()
        #expect(await one.ask(tile).first() == .alone)
        server.wake()
        let woken = ContinuousClock.now
        #expect(await other.ask(tile).first()?.fence != nil)
        #expect(woken.duration(to: .now) < .seconds(1), "it waited for the lease to expire")
        await one.close()
        await other.close()
    }

    @Test func `on a full server leases are renewed and released, and waiting requests continue alone`() async throws {
        let contest = try await contest()
        let (one, other, second) = (contest.one, contest.other, contest.second)
        await one.announce("CONFIG", "SET", "maxmemory", "1")
        let full = ContinuousClock.now
        #expect(await second.first() == .alone)
        #expect(await eventually { full.duration(to: .now) > .seconds(2) })
        #expect(await one.announce("KEYS", "*:lease:*")?.list?.count == 1, "the lease was not renewed")
        contest.first.end(.abandoned)
        await one.announce("CONFIG", "SET", "maxmemory", "0")
        #expect(await one.announce("KEYS", "*:lease:*")?.list?.count == 0)
        await one.close()
        await other.close()
    }

    @Test func `a waiting request retries at once after its subscription was interrupted`() async throws {
        let contest = try await contest()
        let (one, other, first) = (contest.one, contest.other, contest.first)
        let deaf = ContinuousClock.now
        let listeners = await one.announce("CLIENT", "LIST", "TYPE", "pubsub")?.text?.split(separator: "\n") ?? []
        let numbers = listeners.compactMap { Int($0.split(separator: " ")[0].dropFirst("id=".count)) }
        #expect(numbers.count == 2)
        // The other node connected later.
        await one.announce("CLIENT", "KILL", "ID", "\(numbers.max() ?? 0)")
        #expect(await eventually { first.news.withLock { $0.count == 3 } })
        #expect(deaf.duration(to: .now) < .seconds(1), "it waited until the lease would expire")
        await one.close()
        await other.close()
    }

    @Test func `a request for a rendition that cannot be shared continues alone`() async throws {
        let contest = try await contest()
        let (one, other, second) = (contest.one, contest.other, contest.second)
        one.leases.announce(unshared: tile)
        #expect(await second.first() == .alone)
        await one.close()
        await other.close()
    }

    @Test func `waiting requests continue alone as soon as the server dies`() async throws {
        let contest = try await contest()
        let (one, other, second) = (contest.one, contest.other, contest.second)
        contest.server.end()
        // The client notifies its owner, which in a gallery notifies the leases.
        #expect(await eventually { !other.client.isConnected })
        other.client.loop.execute { other.leases.disconnected() }
        #expect(await second.first() == .alone)
        #expect(other.leases.isSingleNode)
        await one.close()
        await other.close()
    }
}
