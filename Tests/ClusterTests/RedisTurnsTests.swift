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

@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(1))) struct RedisTurnsTests {
    private let tile = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .tile, format: .webp)
    private let preview = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .preview, format: .webp)

    /// Two nodes, of which one has the turn and knows that the other waits for it.
    private struct Contest {
        let server: RedisServer
        let one: NodeHouse
        let other: NodeHouse
        let first: NodeHouse.Heard
        let second: NodeHouse.Heard
    }

    private func contest() async throws -> Contest {
        let server = try #require(await RedisServer())
        let (one, other) = (try await NodeHouse(server), try await NodeHouse(server))
        let first = one.ask(tile)
        _ = try #require(await first.first()?.fence)
        let second = other.ask(tile)
        #expect(await eventually { first.news.withLock { $0.count == 2 } })
        return Contest(server: server, one: one, other: other, first: first, second: second)
    }

    @Test func `one node gets the turn, and the other is told when it is made`() async throws {
        let server = try #require(await RedisServer())
        let (one, other) = (try await NodeHouse(server), try await NodeHouse(server))
        let first = one.ask(tile)
        #expect(await first.first()?.fence != nil)
        let second = other.ask(tile)
        #expect(await eventually { first.news.withLock { $0.contains(.wanted(tile, urgency: .visible)) } })
        #expect(second.news.withLock { $0.isEmpty })
        first.end(.made)
        #expect(await second.first() == .made)
        await one.close()
        await other.close()
    }

    @Test func `numbers of turns grow, also when the server began anew with nothing`() async throws {
        let server = try #require(await RedisServer())
        let one = try await NodeHouse(server)
        var fences: [UInt64] = []
        for round in 0..<3 {
            let turn = one.ask(tile)
            fences.append(try #require(await turn.first()?.fence))
            turn.end(.gaveUp)
            guard round == 1 else { continue }
            server.end()
            #expect(await server.start())
            #expect(await eventually { one.client.isConnected })
        }
        #expect(fences == fences.sorted() && Set(fences).count == 3, "\(fences)")
        await one.close()
    }

    @Test func `the turn of a node that died passes on within two seconds`() async throws {
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

    @Test func `a turn is kept for as long as its node lives`() async throws {
        let server = try #require(await RedisServer())
        let (one, other) = (try await NodeHouse(server), try await NodeHouse(server))
        let first = one.ask(tile)
        _ = await first.first()
        let second = other.ask(tile)
        // Each look of the other is another wish: three of them outlast two leases.
        #expect(
            await eventually { first.news.withLock { $0.count { $0 == .wanted(tile, urgency: .visible) } } >= 4 })
        #expect(second.news.withLock { $0.isEmpty })
        first.end(.gaveUp)
        #expect(await second.first()?.fence != nil)
        second.end(.gaveUp)
        await one.close()
        await other.close()
    }

    @Test func `who has ended is asked for what others still want, and keeps the turn for that`() async throws {
        let server = try #require(await RedisServer())
        let (one, other) = (try await NodeHouse(server), try await NodeHouse(server))
        let first = one.ask(tile)
        let fence = await first.first()?.fence
        let second = other.ask(preview)
        let wish = TurnNews.wanted(preview, urgency: .visible)
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

    @Test func `a failure is told to who waits and to who asks soon after, but not to who insists`() async throws {
        let contest = try await contest()
        let (one, other, first, second) = (contest.one, contest.other, contest.first, contest.second)
        first.end(.failed(LoadFailure(status: 404, publicMessage: "Gone.", isPermanent: true)))
        for heard in [second, other.ask(preview)] {
            guard case .failed(let failure)? = await heard.first() else {
                return #expect(Bool(false), "no failure was told")
            }
            #expect(failure.status == 404 && failure.publicMessage == "Gone." && failure.isPermanent)
        }
        let insistent = other.ask(tile, insists: true)
        #expect(await insistent.first()?.fence != nil)
        await one.close()
        await other.close()
    }

    @Test func `a turn that the server gave too late is free at once`() async throws {
        let server = try #require(await RedisServer())
        let (one, other) = (try await NodeHouse(server), try await NodeHouse(server))
        server.freeze()
        #expect(await one.ask(tile).first() == .alone)
        server.wake()
        let woken = ContinuousClock.now
        #expect(await other.ask(tile).first()?.fence != nil)
        #expect(woken.duration(to: .now) < .seconds(1), "it waited for the lease to lapse")
        await one.close()
        await other.close()
    }

    @Test func `on a full server turns are kept and ended, and who waits goes on alone`() async throws {
        let contest = try await contest()
        let (one, other, second) = (contest.one, contest.other, contest.second)
        await one.tell("CONFIG", "SET", "maxmemory", "1")
        let full = ContinuousClock.now
        #expect(await second.first() == .alone)
        #expect(await eventually { full.duration(to: .now) > .seconds(2) })
        #expect(await one.tell("KEYS", "*:lease:*")?.list?.count == 1, "nobody could renew it")
        contest.first.end(.gaveUp)
        await one.tell("CONFIG", "SET", "maxmemory", "0")
        #expect(await one.tell("KEYS", "*:lease:*")?.list?.count == 0)
        await one.close()
        await other.close()
    }

    @Test func `who waits looks again at once when it had not heard the others for a moment`() async throws {
        let contest = try await contest()
        let (one, other, first) = (contest.one, contest.other, contest.first)
        let deaf = ContinuousClock.now
        let listeners = await one.tell("CLIENT", "LIST", "TYPE", "pubsub")?.text?.split(separator: "\n") ?? []
        let numbers = listeners.compactMap { Int($0.split(separator: " ")[0].dropFirst("id=".count)) }
        #expect(numbers.count == 2)
        // The other node has come later.
        await one.tell("CLIENT", "KILL", "ID", "\(numbers.max() ?? 0)")
        #expect(await eventually { first.news.withLock { $0.count == 3 } })
        #expect(deaf.duration(to: .now) < .seconds(1), "it waited until the lease would lapse")
        await one.close()
        await other.close()
    }

    @Test func `who waits for what cannot be shared makes it alone`() async throws {
        let contest = try await contest()
        let (one, other, second) = (contest.one, contest.other, contest.second)
        one.turns.tell(unshared: tile)
        #expect(await second.first() == .alone)
        await one.close()
        await other.close()
    }

    @Test func `when the server dies who waits goes on alone at once`() async throws {
        let contest = try await contest()
        let (one, other, second) = (contest.one, contest.other, contest.second)
        contest.server.end()
        // The client tells its owner, which in a gallery tells the turns.
        #expect(await eventually { !other.client.isConnected })
        other.client.loop.execute { other.turns.isAway() }
        #expect(await second.first() == .alone)
        #expect(other.turns.isAlone)
        await one.close()
        await other.close()
    }
}
