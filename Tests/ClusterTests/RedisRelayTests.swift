import Clients
import EventLoops
import Images
import Loading
import Locking
import Redis
import Renditions
import TestSupport
import Testing

@testable import Cluster
@testable import Loading

@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(1))) struct RedisRelayTests {
    private func order(_ session: SessionID) -> RelayedOrder {
        RelayedOrder(
            session: session, client: .one, rendition: .tile, format: .webp, isVisible: true, insists: false,
            slots: (0..<2).map { .init(number: $0, image: ImageID(rawValue: UInt64($0))) })
    }

    private static let image = GalleryImage(
        id: ImageID(rawValue: 1), name: "", location: .remote(url: ""), version: nil, facts: ImageFacts())

    @Test func `a home is asked and answers`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await RelayHouse(server), try await RelayHouse(server))
        let session = SessionID(of: home.node)
        let tokens = [Token(of: home.node), nil]
        home.host.state.withLock { $0.issued = .success(tokens) }
        #expect(await other.issue(order(session)) == .success(tokens))
        #expect(home.host.state.withLock { $0.orders } == [order(session)])
        home.host.state.withLock { $0.issued = .failure(.crowded) }
        #expect(await other.issue(order(session)) == .failure(.crowded))
        home.host.state.withLock { $0.lending = .lent(format: .avif, insists: true) }
        #expect(await other.borrow(Token(of: home.node)) == .success(.lent(format: .avif, insists: true)))
        async let count = other.cancel(nil, in: session)
        #expect(await eventually { home.host.state.withLock { $0.cancels.count } == 1 })
        home.host.state.withLock { $0.cancels[0] }.answer(.success(7))
        #expect(await count == .success(7))
        await home.close()
        await other.close()
    }

    @Test func `of a node that is gone is known at once, and a cancel there waits for what it has lent`() async throws {
        let server = try #require(await RedisServer())
        let node = try await RelayHouse(server)
        let began = ContinuousClock.now
        let gone = NodeTag()
        #expect(await node.borrow(Token(of: gone)) == .failure(.gone))
        #expect(await node.issue(order(SessionID(of: gone))) == .failure(.gone))
        #expect(began.duration(to: .now) < .milliseconds(900))
        let cancels = ContinuousClock.now
        #expect(await node.cancel(nil, in: SessionID(of: gone)) == .success(0))
        #expect(cancels.duration(to: .now) >= TokenBook.loanTime)
        await node.close()
    }

    @Test func `of a home that runs and does not listen at the moment, no cancel is acknowledged`() async throws {
        let server = try #require(await RedisServer())
        let node = try await RelayHouse(server)
        let deaf = NodeTag()
        let life = Keys(gallery: "test").life(of: deaf)
        await withCheckedContinuation { continuation in
            node.client.send([Array("SET".utf8), life, [0x31]], within: .seconds(5)) { _ in continuation.resume() }
        }
        #expect(await node.cancel(nil, in: SessionID(of: deaf)) == .failure(.silent))
        await node.close()
    }

    @Test func `a node says that it runs, and no longer when it has stopped`() async throws {
        let server = try #require(await RedisServer())
        let (node, other) = (try await RelayHouse(server), try await RelayHouse(server))
        let life = Keys(gallery: "test").life(of: node.node)
        func exists() async -> Result<RedisReply, RedisError> {
            await withCheckedContinuation { continuation in
                other.client.send([Array("EXISTS".utf8), life], within: .seconds(5)) {
                    continuation.resume(returning: $0)
                }
            }
        }
        while await exists() != .success(.integer(1)) {}
        node.relay.stop()
        await node.client.stop(within: .seconds(5))
        #expect(await exists() == .success(.integer(0)))
        await node.client.loop.stop()
        await other.close()
    }

    @Test func `a home that hangs keeps nobody for long`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await RelayHouse(server), try await RelayHouse(server))
        let began = ContinuousClock.now
        #expect(await other.cancel(nil, in: SessionID(of: home.node)) == .failure(.silent))
        #expect(began.duration(to: .now) < .seconds(5))
        #expect(other.relay.figures.relaysInVain > 0)
        await home.close()
        await other.close()
    }

    @Test func `without Redis nobody is asked, at once`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await RelayHouse(server), try await RelayHouse(server))
        server.end()
        #expect(await eventually { !other.client.isConnected })
        let began = ContinuousClock.now
        #expect(await other.borrow(Token(of: home.node)) == .failure(.silent))
        #expect(await other.cancel(nil, in: SessionID(of: home.node)) == .failure(.silent))
        #expect(began.duration(to: .now) < .milliseconds(200))
        await home.close()
        await other.close()
    }

    @Test func `what no node says is passed over`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await RelayHouse(server), try await RelayHouse(server))
        let strange = SessionID(of: NodeTag())
        let messages = [
            [], Array("hello".utf8), [UInt8](repeating: 255, count: 100_000),
            // An answer that nobody has asked for; a session that has its home elsewhere; a recall by who has not lent it.
            RelayMessage(sender: other.node, number: 1, body: .cancelled(1)).bytes,
            RelayMessage(sender: other.node, number: 2, body: .issue(order(strange))).bytes,
            RelayMessage(sender: other.node, number: 3, body: .recall(Token(of: home.node))).bytes,
        ]
        for message in messages { await other.publish(message, to: home.node) }
        #expect(await other.borrow(Token(of: home.node)) == .success(.refused(.used)))
        #expect(home.host.state.withLock { $0.orders }.isEmpty)
        await home.close()
        await other.close()
    }

    @Test func `one client's questions leave room for another's`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await RelayHouse(server), try await RelayHouse(server))
        let session = SessionID(of: home.node)
        let answers = Guarded<[Result<Int, RelayFailure>]>([])
        for _ in 0..<300 {
            other.relay.cancel(nil, in: session, for: .one) { answer in answers.withLock { $0.append(answer) } }
        }
        #expect(await eventually { answers.withLock { $0.count } == 44 })
        #expect(answers.withLock { $0.allSatisfy { $0 == .failure(.crowded) } })
        #expect(await other.borrow(Token(of: home.node), for: .other) == .success(.refused(.used)))
        #expect(await eventually { home.host.state.withLock { $0.cancels.count } == 256 })
        for cancel in home.host.state.withLock({ $0.cancels }) { cancel.answer(.success(0)) }
        #expect(await eventually { answers.withLock { $0.count } == 300 })
        #expect(await other.borrow(Token(of: home.node)) == .success(.refused(.used)))
        await home.close()
        await other.close()
    }

    // MARK: - Loans

    /// A token of the first, on loan to the second.
    private func lent(_ home: RelayHouse, _ other: RelayHouse) async -> (Token, any TokenSending, Guarded<[String]>) {
        home.host.state.withLock { $0.lending = .lent(format: .webp, insists: false) }
        let token = Token(of: home.node)
        let heard = Guarded<[String]>([])
        let claim = other.borrowed.claim(token, image: Self.image, rendition: .tile, client: .one) { _, outcome in
            heard.withLock { $0.append("\(outcome)") }
        }
        _ = await eventually { !other.borrowed.renewals().isEmpty }
        return (token, claim, heard)
    }

    @Test func `a loan is renewed until it ends, and its home is told how`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await RelayHouse(server), try await RelayHouse(server))
        let (token, claim, heard) = await lent(home, other)
        #expect(await eventually { home.host.state.withLock { $0.renewals.count { $0 == [token] } } >= 6 })
        #expect(heard.withLock { $0.isEmpty })
        #expect(other.relay.figures.borrowed == 1 && home.relay.figures.lent == 3)
        claim.finish(token, .delivered)
        #expect(await eventually { home.host.state.withLock { $0.ends } == [token: .delivered] })
        await home.close()
        await other.close()
    }

    @Test func `a recall is answered by the borrower once it has stopped`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await RelayHouse(server), try await RelayHouse(server))
        let (token, _, heard) = await lent(home, other)
        let began = ContinuousClock.now
        await withCheckedContinuation { continuation in
            home.relay.recall(token, from: other.node, within: .seconds(20)) { continuation.resume() }
        }
        #expect(began.duration(to: .now) < .seconds(10))
        #expect(heard.withLock { $0 } == ["cancelled"] && other.loader.cancels.withLock { $0 } == 1)
        await home.close()
        await other.close()
    }

    @Test(arguments: [true, false]) func `a borrower that is gone is waited for until its loan has lapsed`(
        hasRedis: Bool
    ) async throws {
        let server = try #require(await RedisServer())
        let home = try await RelayHouse(server)
        if !hasRedis {
            server.end()
            #expect(await eventually { !home.client.isConnected })
        }
        let began = ContinuousClock.now
        await withCheckedContinuation { continuation in
            home.relay.recall(Token(of: home.node), from: NodeTag(), within: .milliseconds(400)) {
                continuation.resume()
            }
        }
        #expect(began.duration(to: .now) >= .milliseconds(400))
        await home.close()
    }

    @Test func `what its home does not renew ends`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await RelayHouse(server), try await RelayHouse(server))
        home.host.state.withLock { $0.granted = [] }
        let (_, _, heard) = await lent(home, other)
        #expect(await eventually { other.borrowed.count == 0 })
        #expect(heard.withLock { $0 } == ["cancelled"])
        await home.close()
        await other.close()
    }
}
