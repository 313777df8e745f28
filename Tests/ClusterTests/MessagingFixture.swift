import Addresses
import Clients
import EventLoops
import Images
import Loading
import Locking
import Redis
import Renditions
import Scheduling
import TestSupport

@testable import Cluster
@testable import Loading

/// The part of a node that other nodes see: requests are recorded, and answered as the test says.
final class MessagingFixture: Sendable {
    let node = NodeTag()
    let client: RedisClient
    let messaging: RedisNodeMessaging
    let owner = NotingHost()
    let forwarded: ForwardedTokens
    let loader = IdleLoader()

    /// - Parameter listens: Whether it can be reached.
    init(_ server: RedisServer, listens: Bool = true) async throws {
        client = try RedisClient(RedisAddress(server.url), loop: EventLoop(label: "test.relay"))
        messaging = RedisNodeMessaging(client: client, keys: RedisKeys(gallery: "test"), node: node)
        forwarded = ForwardedTokens(loader: loader, forwarding: messaging)
        client.start()
        if listens { messaging.start(owner: owner, forwarded: forwarded) }
        _ = await eventually { client.isConnected }
        guard listens else { return }
        // It receives its own message once the server has subscribed it.
        while await requestForwarding(Token(of: node)) != .success(.refused(.used)) {}
    }

    /// Asks the token's owner node as if a request had arrived here.
    func requestForwarding(_ token: Token, for client: Client = .one) async -> Result<
        ForwardingReply, ForwardingFailure
    > {
        await withCheckedContinuation { continuation in
            messaging.requestForwarding(token, image: ImageID(rawValue: 1), rendition: .tile, for: client) {
                continuation.resume(returning: $0)
            }
        }
    }

    func cancel(_ tokens: [Token]?, in session: SessionID, for client: Client = .one) async -> Result<
        Int, ForwardingFailure
    > {
        await withCheckedContinuation { continuation in
            messaging.cancel(tokens, in: session, for: client) { continuation.resume(returning: $0) }
        }
    }

    func issue(_ order: ForwardedTokenRequest) async -> Result<[Token?], ForwardingFailure> {
        await withCheckedContinuation { continuation in
            messaging.issue(order) { continuation.resume(returning: $0) }
        }
    }

    func publish(_ bytes: [UInt8], to other: NodeTag) async {
        await withCheckedContinuation { continuation in
            let channel = Array(RedisKeys(gallery: "test").channel(of: other).utf8)
            client.send([Array("PUBLISH".utf8), channel, bytes], within: .seconds(5)) { _ in continuation.resume() }
        }
    }

    func close() async {
        messaging.stop()
        await client.stop(within: .zero)
        await client.loop.stop()
    }
}

/// Answers other nodes as the test says.
final class NotingHost: SessionOwning {
    struct State {
        var reply = ForwardingReply.refused(.used)
        var orders: [ForwardedTokenRequest] = []
        var cancels:
            [(tokens: [Token]?, session: SessionID, answer: @Sendable (Result<Int, ForwardingFailure>) -> Void)] =
                []
        var ends: [Token: TokenEnd] = [:]
        var renewals: [[Token]] = []
        /// Nil renews all.
        var granted: [Token]?
        /// The response to requests for tokens.
        var issued: Result<[Token?], ForwardingFailure> = .success([])
    }

    let state = Guarded(State())

    func settleGrants() -> Int { 3 }

    func issue(
        _ order: ForwardedTokenRequest, answer: @escaping @Sendable (Result<[Token?], ForwardingFailure>) -> Void
    ) {
        answer(
            state.withLock {
                $0.orders.append(order)
                return $0.issued
            })
    }

    func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, ForwardingFailure>) -> Void
    ) { state.withLock { $0.cancels.append((tokens, session, answer)) } }

    func grantForwarding(_ token: Token, image: ImageID, rendition: Rendition, to forwarder: NodeTag) -> ForwardingReply
    {
        state.withLock { $0.reply }
    }

    func renew(_ tokens: [Token], of forwarder: NodeTag) -> [Token] {
        state.withLock {
            $0.renewals.append(tokens)
            return $0.granted ?? tokens
        }
    }

    func end(_ token: Token, _ end: TokenEnd, by forwarder: NodeTag) { state.withLock { $0.ends[token] = end } }
}

/// Loads nothing.
final class IdleLoader: RenditionLoading {
    private struct Load: LoadHandle {
        let loader: IdleLoader
        func cancel() { loader.cancels.withLock { $0 += 1 } }
        func reprioritise(_ priority: Priority) {}
    }

    let cancels = Guarded(0)

    func cached(_ request: LoadRequest) -> RenditionBytes? { nil }

    func load(
        _ request: LoadRequest, priority: Priority,
        deliver: @escaping @Sendable (Result<LoadedContent, LoadFailure>) -> Void
    ) -> LoadStart { .loading(Load(loader: self)) }
}

extension Client {
    static let one = Client(.v4(1))
    static let other = Client(.v4(2))
}
