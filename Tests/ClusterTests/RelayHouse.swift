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

/// A node of which there is only what other nodes see: what it is asked is noted, and answered as the test says.
final class RelayHouse: Sendable {
    let node = NodeTag()
    let client: RedisClient
    let relay: RedisRelay
    let host = NotingHost()
    let borrowed: BorrowedTokens
    let loader = IdleLoader()

    /// - Parameter listens: Whether it can be reached.
    init(_ server: RedisServer, listens: Bool = true) async throws {
        client = try RedisClient(RedisAddress(server.url), loop: EventLoop(label: "test.relay"))
        relay = RedisRelay(client: client, keys: Keys(gallery: "test"), node: node)
        borrowed = BorrowedTokens(loader: loader, relay: relay)
        client.start()
        if listens { relay.start(host: host, borrowed: borrowed) }
        _ = await eventually { client.isConnected }
        guard listens else { return }
        // It hears itself once the server listens for it.
        while await borrow(Token(of: node)) != .success(.refused(.used)) {}
    }

    /// Asks the token's home as if a request had come here.
    func borrow(_ token: Token, for client: Client = .one) async -> Result<Lending, RelayFailure> {
        await withCheckedContinuation { continuation in
            relay.borrow(token, image: ImageID(rawValue: 1), rendition: .tile, for: client) {
                continuation.resume(returning: $0)
            }
        }
    }

    func cancel(_ tokens: [Token]?, in session: SessionID, for client: Client = .one) async -> Result<Int, RelayFailure>
    {
        await withCheckedContinuation { continuation in
            relay.cancel(tokens, in: session, for: client) { continuation.resume(returning: $0) }
        }
    }

    func issue(_ order: RelayedOrder) async -> Result<[Token?], RelayFailure> {
        await withCheckedContinuation { continuation in
            relay.issue(order) { continuation.resume(returning: $0) }
        }
    }

    func publish(_ bytes: [UInt8], to other: NodeTag) async {
        await withCheckedContinuation { continuation in
            let channel = Array(Keys(gallery: "test").channel(of: other).utf8)
            client.send([Array("PUBLISH".utf8), channel, bytes], within: .seconds(5)) { _ in continuation.resume() }
        }
    }

    func close() async {
        relay.stop()
        await client.stop(within: .zero)
        await client.loop.stop()
    }
}

/// Answers other nodes as the test says.
final class NotingHost: SessionHosting {
    struct State {
        var lending = Lending.refused(.used)
        var orders: [RelayedOrder] = []
        var cancels: [(tokens: [Token]?, session: SessionID, answer: @Sendable (Result<Int, RelayFailure>) -> Void)] =
            []
        var ends: [Token: TokenEnd] = [:]
        var renewals: [[Token]] = []
        /// Nil renews all.
        var granted: [Token]?
        /// How orders are answered.
        var issued: Result<[Token?], RelayFailure> = .success([])
    }

    let state = Guarded(State())

    func settleLoans() -> Int { 3 }

    func issue(_ order: RelayedOrder, answer: @escaping @Sendable (Result<[Token?], RelayFailure>) -> Void) {
        answer(
            state.withLock {
                $0.orders.append(order)
                return $0.issued
            })
    }

    func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, RelayFailure>) -> Void
    ) { state.withLock { $0.cancels.append((tokens, session, answer)) } }

    func lend(_ token: Token, image: ImageID, rendition: Rendition, to borrower: NodeTag) -> Lending {
        state.withLock { $0.lending }
    }

    func renew(_ tokens: [Token], of borrower: NodeTag) -> [Token] {
        state.withLock {
            $0.renewals.append(tokens)
            return $0.granted ?? tokens
        }
    }

    func end(_ token: Token, _ end: TokenEnd, by borrower: NodeTag) { state.withLock { $0.ends[token] = end } }
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
    ) -> any LoadHandle { Load(loader: self) }
}

extension Client {
    static let one = Client(.v4(1))
    static let other = Client(.v4(2))
}
