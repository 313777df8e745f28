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

@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(1))) struct RedisNodeMessagingTests {
    private func order(_ session: SessionID) -> ForwardedTokenRequest {
        ForwardedTokenRequest(
            session: session, client: .one, rendition: .tile, format: .webp, isVisible: true,
            bypassesNegativeCache: false,
            slots: (0..<2).map { .init(number: $0, image: ImageID(rawValue: UInt64($0))) })
    }

    private static let image = GalleryImage(
        id: ImageID(rawValue: 1), name: "", location: .remote(url: ""), version: nil, metadata: ImageMetadata())

    @Test func `requests to an owner node are answered`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await MessagingFixture(server), try await MessagingFixture(server))
        let session = SessionID(of: home.node)
        let tokens = [Token(of: home.node), nil]
        home.owner.state.withLock { $0.issued = .success(tokens) }
        #expect(await other.issue(order(session)) == .success(tokens))
        #expect(home.owner.state.withLock { $0.orders } == [order(session)])
        home.owner.state.withLock { $0.issued = .failure(.overloaded) }
        #expect(await other.issue(order(session)) == .failure(.overloaded))
        home.owner.state.withLock { $0.reply = .permitted(format: .avif, bypassesNegativeCache: true) }
        #expect(
            await other.requestForwarding(Token(of: home.node))
                == .success(.permitted(format: .avif, bypassesNegativeCache: true)))
        async let count = other.cancel(nil, in: session)
        #expect(await eventually { home.owner.state.withLock { $0.cancels.count } == 1 })
        home.owner.state.withLock { $0.cancels[0] }.answer(.success(7))
        #expect(await count == .success(7))
        await home.close()
        await other.close()
    }

    @Test func `requests to a dead node fail at once, and a cancel waits until its grants have expired`() async throws {
        let server = try #require(await RedisServer())
        let node = try await MessagingFixture(server)
        let began = ContinuousClock.now
        let gone = NodeTag()
        #expect(await node.requestForwarding(Token(of: gone)) == .failure(.gone))
        #expect(await node.issue(order(SessionID(of: gone))) == .failure(.gone))
        #expect(began.duration(to: .now) < .milliseconds(900))
        let cancels = ContinuousClock.now
        #expect(await node.cancel(nil, in: SessionID(of: gone)) == .success(0))
        #expect(cancels.duration(to: .now) >= TokenRegistry.grantTime)
        await node.close()
    }

    @Test func `a cancel is not acknowledged while a running owner node does not listen`() async throws {
        let server = try #require(await RedisServer())
        let node = try await MessagingFixture(server)
        let deaf = NodeTag()
        let life = RedisKeys(gallery: "test").heartbeat(of: deaf)
        await withCheckedContinuation { continuation in
            node.client.send([Array("SET".utf8), life, [0x31]], within: .seconds(5)) { _ in continuation.resume() }
        }
        #expect(await node.cancel(nil, in: SessionID(of: deaf)) == .failure(.silent))
        await node.close()
    }

    @Test func `a node announces that it runs and withdraws the announcement when it stops`() async throws {
        let server = try #require(await RedisServer())
        let (node, other) = (try await MessagingFixture(server), try await MessagingFixture(server))
        let life = RedisKeys(gallery: "test").heartbeat(of: node.node)
        func exists() async -> Result<RedisReply, RedisError> {
            await withCheckedContinuation { continuation in
                other.client.send([Array("EXISTS".utf8), life], within: .seconds(5)) {
                    continuation.resume(returning: $0)
                }
            }
        }
        while await exists() != .success(.integer(1)) {}
        node.messaging.stop()
        await node.client.stop(within: .seconds(5))
        #expect(await exists() == .success(.integer(0)))
        await node.client.loop.stop()
        await other.close()
    }

    @Test func `a request to a hung owner node times out`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await MessagingFixture(server), try await MessagingFixture(server))
        let began = ContinuousClock.now
        #expect(await other.cancel(nil, in: SessionID(of: home.node)) == .failure(.silent))
        #expect(began.duration(to: .now) < .seconds(5))
        #expect(other.messaging.figures.failedForwards > 0)
        await home.close()
        await other.close()
    }

    @Test func `without Redis, requests to other nodes fail at once`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await MessagingFixture(server), try await MessagingFixture(server))
        server.end()
        #expect(await eventually { !other.client.isConnected })
        let began = ContinuousClock.now
        #expect(await other.requestForwarding(Token(of: home.node)) == .failure(.silent))
        #expect(await other.cancel(nil, in: SessionID(of: home.node)) == .failure(.silent))
        #expect(began.duration(to: .now) < .milliseconds(200))
        await home.close()
        await other.close()
    }

    @Test func `invalid messages are ignored`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await MessagingFixture(server), try await MessagingFixture(server))
        let strange = SessionID(of: NodeTag())
        let messages = [
            [], Array("hello".utf8), [UInt8](repeating: 255, count: 100_000),
            // An unsolicited response; a session owned by another node; a revocation by a node that did not grant
            // the token.
            NodeMessage(sender: other.node, number: 1, body: .cancelled(1)).bytes,
            NodeMessage(sender: other.node, number: 2, body: .issue(order(strange))).bytes,
            NodeMessage(sender: other.node, number: 3, body: .revoke(Token(of: home.node))).bytes,
        ]
        for message in messages { await other.publish(message, to: home.node) }
        #expect(await other.requestForwarding(Token(of: home.node)) == .success(.refused(.used)))
        #expect(home.owner.state.withLock { $0.orders }.isEmpty)
        await home.close()
        await other.close()
    }

    @Test func `one client's requests leave room for another's`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await MessagingFixture(server), try await MessagingFixture(server))
        let session = SessionID(of: home.node)
        let answers = Guarded<[Result<Int, ForwardingFailure>]>([])
        for _ in 0..<300 {
            other.messaging.cancel(nil, in: session, for: .one) { answer in answers.withLock { $0.append(answer) } }
        }
        #expect(await eventually { answers.withLock { $0.count } == 44 })
        #expect(answers.withLock { $0.allSatisfy { $0 == .failure(.overloaded) } })
        #expect(await other.requestForwarding(Token(of: home.node), for: .other) == .success(.refused(.used)))
        #expect(await eventually { home.owner.state.withLock { $0.cancels.count } == 256 })
        for cancel in home.owner.state.withLock({ $0.cancels }) { cancel.answer(.success(0)) }
        #expect(await eventually { answers.withLock { $0.count } == 300 })
        #expect(await other.requestForwarding(Token(of: home.node)) == .success(.refused(.used)))
        await home.close()
        await other.close()
    }

    // MARK: - Grants

    /// A token of the first node, granted to the second.
    private func permitted(_ home: MessagingFixture, _ other: MessagingFixture) async -> (
        Token, any TokenSending, Guarded<[String]>
    ) {
        home.owner.state.withLock { $0.reply = .permitted(format: .webp, bypassesNegativeCache: false) }
        let token = Token(of: home.node)
        let received = Guarded<[String]>([])
        let claim = other.forwarded.claim(token, image: Self.image, rendition: .tile, client: .one) { _, outcome in
            received.withLock { $0.append("\(outcome)") }
        }
        _ = await eventually { !other.forwarded.renewals().isEmpty }
        return (token, claim, received)
    }

    @Test func `a grant is renewed until it ends, and its owner node learns the outcome`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await MessagingFixture(server), try await MessagingFixture(server))
        let (token, claim, received) = await permitted(home, other)
        #expect(await eventually { home.owner.state.withLock { $0.renewals.count { $0 == [token] } } >= 6 })
        #expect(received.withLock { $0.isEmpty })
        #expect(other.messaging.figures.forwarded == 1 && home.messaging.figures.permitted == 3)
        claim.finish(token, .delivered)
        #expect(await eventually { home.owner.state.withLock { $0.ends } == [token: .delivered] })
        await home.close()
        await other.close()
    }

    @Test func `a revocation completes once the borrowing node has stopped`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await MessagingFixture(server), try await MessagingFixture(server))
        let (token, _, received) = await permitted(home, other)
        let began = ContinuousClock.now
        await withCheckedContinuation { continuation in
            home.messaging.revoke(token, from: other.node, within: .seconds(20)) { continuation.resume() }
        }
        #expect(began.duration(to: .now) < .seconds(10))
        #expect(received.withLock { $0 } == ["cancelled"] && other.loader.cancels.withLock { $0 } == 1)
        await home.close()
        await other.close()
    }

    @Test(arguments: [true, false]) func `revoking the grant of a dead node waits until the grant has expired`(
        hasRedis: Bool
    ) async throws {
        let server = try #require(await RedisServer())
        let home = try await MessagingFixture(server)
        if !hasRedis {
            server.end()
            #expect(await eventually { !home.client.isConnected })
        }
        let began = ContinuousClock.now
        await withCheckedContinuation { continuation in
            home.messaging.revoke(Token(of: home.node), from: NodeTag(), within: .milliseconds(400)) {
                continuation.resume()
            }
        }
        #expect(began.duration(to: .now) >= .milliseconds(400))
        await home.close()
    }

    @Test func `a grant that its owner node does not renew ends`() async throws {
        let server = try #require(await RedisServer())
        let (home, other) = (try await MessagingFixture(server), try await MessagingFixture(server))
        home.owner.state.withLock { $0.granted = [] }
        let (_, _, received) = await permitted(home, other)
        #expect(await eventually { other.forwarded.count == 0 })
        #expect(received.withLock { $0 } == ["cancelled"])
        await home.close()
        await other.close()
    }
}
