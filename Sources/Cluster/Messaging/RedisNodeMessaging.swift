import Clients
import EventLoops
import Images
import Loading
import Locking
import Redis
import Renditions
import Time

/// Reaches other nodes by publish/subscribe: each node subscribes to a channel of its own for requests and replies.
///
/// Redis reports how many subscribers received a message, so a request to a node that isn't there fails at once; one
/// to a node that hangs times out. A lost message costs no more than that timeout, since loans that are not renewed
/// expire on both sides.
final class RedisNodeMessaging: SessionForwarding, @unchecked Sendable {
    // Sendable because all mutable state that isn't guarded is touched only on the client's loop.
    let client: RedisClient
    private let keys: RedisKeys
    let node: NodeTag
    private let time: any TimeKeeping
    private(set) var owner: (any SessionOwning)?
    private var forwarded: ForwardedTokens?
    private var requests: [UInt64: Request] = [:]
    private var requesters = Tally<Client>()
    private var lastNumber: UInt64 = 0
    /// Requests from other nodes that are being answered.
    var requestsInService = 0
    /// Called once no other node is owed a reply.
    var onIdle: (() -> Void)?
    private var renewal: LoopTimer?
    /// Whether the subscription is up. Without it, a request would take effect on the other node but its reply would
    /// be lost.
    private var isSubscribed = false
    /// Called when Redis has stored a heartbeat, so that it has memory. Set before ``start(owner:forwarded:)``.
    var onStored: @Sendable () -> Void = {}
    private var lastHeartbeat: Duration?
    private let published = Guarded(Statistics())

    /// Gauges and counters of the relay.
    struct Statistics: Hashable, Sendable {
        /// Tokens currently lent to other nodes, and borrowed from them.
        var permitted = 0
        var forwarded = 0
        /// Requests sent to other nodes so far, and how many of them reached nobody or timed out.
        var forwards = 0
        var failedForwards = 0
    }

    private struct Request {
        let node: NodeTag
        /// The client whose limit this request counts against; nil for the node's own requests.
        let client: Client?
        let timer: LoopTimer
        let answer: (Result<NodeMessage.Body, ForwardingFailure>) -> Void
    }

    /// How long an HTTP request may wait for a loan.
    private static let timeout = Duration.milliseconds(250)
    /// The owner node may have to wait for a loan to expire before it can reply.
    private static let ownerTimeout = TokenRegistry.grantTime + .milliseconds(500)
    private static let renewalInterval = TokenRegistry.grantTime / 4
    /// A renewal is useful until the loan would expire.
    private static let renewalTimeout = TokenRegistry.grantTime - renewalInterval
    /// The interval between heartbeats, and how long each one counts.
    private static let heartbeatInterval = Duration.milliseconds(500)
    private static let heartbeatLifetime = Duration.milliseconds(1_500)
    /// Pending requests on behalf of clients. The node's own are bounded by the number of its loans.
    private static let maximumRequests = 4_096
    private static let maximumRequestsPerClient = 256
    static let maximumRequestsInService = 512
    /// Tokens renewed by one message.
    private static let batch = 256

    init(client: RedisClient, keys: RedisKeys, node: NodeTag, time: any TimeKeeping = SystemTime()) {
        self.client = client
        self.keys = keys
        self.node = node
        self.time = time
    }

    /// Subscribes to this node's channel.
    func start(owner: any SessionOwning, forwarded: ForwardedTokens) {
        client.loop.execute { [self] in
            self.owner = owner
            self.forwarded = forwarded
            renewLater()
        }
        client.subscribe(to: keys.channel(of: node)) { [weak self] state in
            self?.isSubscribed = state == .connected
        } received: { [weak self] bytes in
            guard let message = NodeMessage(bytes) else { return }
            self?.received(message)
        }
    }

    func stop() {
        client.loop.execute { [self] in
            renewal?.cancel()
            if owner != nil {
                client.send([Array("DEL".utf8), keys.heartbeat(of: node)], within: Self.timeout) { _ in }
            }
            owner = nil
            forwarded = nil
            for number in requests.keys { end(number, .failure(.silent)) }
        }
    }

    // MARK: - SessionForwarding

    var isSingleNode: Bool { false }

    func issue(
        _ tokenRequest: ForwardedTokenRequest, answer: @escaping @Sendable (Result<[Token?], ForwardingFailure>) -> Void
    ) {
        let ownerNode = tokenRequest.session.ownerNode
        ask(ownerNode, .issue(tokenRequest), for: tokenRequest.client, within: Self.ownerTimeout) { result in
            answer(
                result.flatMap { body in
                    guard case .issued(let tokens) = body, tokens.count == tokenRequest.slots.count,
                        tokens.allSatisfy({ $0 == nil || $0?.ownerNode == ownerNode })
                    else { return .failure(.silent) }
                    return .success(tokens)
                })
        }
    }

    func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, ForwardingFailure>) -> Void
    ) {
        // By then, the heartbeat of an owner node that died has expired.
        let end = time.uptime() + Self.heartbeatLifetime + Self.renewalInterval
        cancel(tokens, in: session, for: client, until: end, answer: answer)
    }

    private func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client, until end: Duration,
        answer: @escaping @Sendable (Result<Int, ForwardingFailure>) -> Void
    ) {
        ask(session.ownerNode, .cancel(tokens, in: session, for: client), for: client, within: Self.ownerTimeout) {
            [self, loop = self.client.loop] result in
            switch result {
            case .success(.cancelled(let count)): answer(.success(count))
            case .success: answer(.failure(.silent))
            case .failure(.gone):
                checkRunning(session.ownerNode) { [self] isRunning in
                    // A node that borrowed one of the tokens may keep sending until the loan expires.
                    guard isRunning else {
                        loop.schedule(after: TokenRegistry.grantTime) { answer(.success(0)) }
                        return
                    }
                    // The owner node may be running, just not subscribed at the moment, and still sending.
                    guard time.uptime() < end else { return answer(.failure(.silent)) }
                    loop.schedule(after: Self.renewalInterval) { [self] in
                        cancel(tokens, in: session, for: client, until: end, answer: answer)
                    }
                }
            case .failure(let failure): answer(.failure(failure))
            }
        }
    }

    func requestForwarding(
        _ token: Token, image: ImageID, rendition: Rendition, for client: Client,
        answer: @escaping @Sendable (Result<ForwardingReply, ForwardingFailure>) -> Void
    ) {
        ask(token.ownerNode, .requestForwarding(token, image: image, rendition), for: client, within: Self.timeout) {
            result in
            answer(
                result.flatMap { body in
                    if case .reply(let reply) = body { .success(reply) } else { .failure(.silent) }
                })
        }
    }

    func announce(_ token: Token, ended end: TokenEnd) {
        client.loop.execute { [self] in publish(.ended(token, end), number: 0, to: token.ownerNode) }
    }

    func revoke(
        _ token: Token, from forwarder: NodeTag, within time: Duration, stopped: @escaping @Sendable () -> Void
    ) {
        // Whatever the reply, and even if the borrower can't be reached, it may keep sending until then.
        client.loop.execute { [self] in
            let begun = self.time.uptime()
            ask(forwarder, .revoke(token), for: nil, within: time) { [client] result in
                if case .success(.stopped) = result { return stopped() }
                let left = time - (self.time.uptime() - begun)
                guard left > .zero else { return stopped() }
                client.loop.schedule(after: left) { stopped() }
            }
        }
    }

    // MARK: - Requests

    private func ask(
        _ node: NodeTag, _ body: NodeMessage.Body, for requester: Client?, within time: Duration,
        answer: @escaping @Sendable (Result<NodeMessage.Body, ForwardingFailure>) -> Void
    ) {
        guard client.loop.isCurrent else {
            return client.loop.execute { [self] in ask(node, body, for: requester, within: time, answer: answer) }
        }
        guard client.isConnected, isSubscribed else { return answer(.failure(.silent)) }
        guard requester == nil || requests.count < Self.maximumRequests else { return answer(.failure(.overloaded)) }
        if let requester, !requesters.take(for: requester, upTo: Self.maximumRequestsPerClient) {
            return answer(.failure(.overloaded))
        }
        published.withLock { $0.forwards += 1 }
        lastNumber += 1
        let number = lastNumber
        let timer = client.loop.schedule(after: time) { [weak self] in self?.end(number, .failure(.silent)) }
        requests[number] = Request(node: node, client: requester, timer: timer, answer: answer)
        publish(body, number: number, to: node) { [weak self] result in
            switch result {
            case .success(.integer(0)): self?.end(number, .failure(.gone))
            case .success: break
            case .failure: self?.end(number, .failure(.silent))
            }
        }
    }

    /// Whether an unreachable node still sends heartbeats. Also true if that can't be determined.
    private func checkRunning(_ node: NodeTag, answer: @escaping @Sendable (Bool) -> Void) {
        client.send([Array("EXISTS".utf8), keys.heartbeat(of: node)], within: Self.timeout) { result in
            if case .success(.integer(0)) = result { answer(false) } else { answer(true) }
        }
    }

    private func sendHeartbeat(at now: Duration) {
        if let lastHeartbeat, now - lastHeartbeat < Self.heartbeatInterval { return }
        lastHeartbeat = now
        let lifetime = Array("\(Self.heartbeatLifetime.milliseconds)".utf8)
        client.send(
            [Array("SET".utf8), keys.heartbeat(of: node), Array("1".utf8), Array("PX".utf8), lifetime],
            within: Self.timeout
        ) { [weak self] result in
            if case .success = result { self?.onStored() }
        }
    }

    private func end(_ number: UInt64, _ result: Result<NodeMessage.Body, ForwardingFailure>) {
        guard let ask = requests.removeValue(forKey: number) else { return }
        ask.timer.cancel()
        if let requester = ask.client { requesters.giveBack(by: requester) }
        if case .failure = result { published.withLock { $0.failedForwards += 1 } }
        ask.answer(result)
    }

    /// - Parameters:
    ///   - number: Pairs a request with its reply; 0 if no reply is expected.
    ///   - completion: Receives Redis's reply to the PUBLISH command.
    func publish(
        _ body: NodeMessage.Body, number: UInt64, to node: NodeTag,
        completion: @escaping @Sendable (Result<RedisReply, RedisError>) -> Void = { _ in }
    ) {
        let message = NodeMessage(sender: self.node, number: number, body: body)
        let words = [Array("PUBLISH".utf8), Array(keys.channel(of: node).utf8), message.bytes]
        client.send(words, within: Self.ownerTimeout, answer: completion)
    }

    private func received(_ message: NodeMessage) {
        let (sender, number) = (message.sender, message.number)
        switch message.body {
        case .issued, .cancelled, .reply, .renewed, .stopped:
            if requests[number]?.node == sender { end(number, .success(message.body)) }
        case .overloaded:
            if requests[number]?.node == sender { end(number, .failure(.overloaded)) }
        case .revoke(let token):
            guard token.ownerNode == sender else { return }
            forwarded?.revoked([token])
            publish(.stopped, number: number, to: sender)
        case .issue, .cancel, .requestForwarding, .renew, .ended: serve(message)
        }
    }

    // MARK: - Borrowed

    private func renewLater() {
        renewal = client.loop.schedule(after: Self.renewalInterval) { [weak self] in
            self?.renew()
            self?.renewLater()
        }
    }

    private func renew() {
        guard let owner, let forwarded else { return }
        let (permitted, held) = (owner.settleGrants(), forwarded.count)
        published.withLock { figures in
            figures.permitted = permitted
            figures.forwarded = held
        }
        if permitted == 0 { notifyIfIdle() }
        let now = time.uptime()
        sendHeartbeat(at: now)
        for (ownerNode, tokens) in forwarded.renewals() {
            for start in stride(from: 0, to: tokens.count, by: Self.batch) {
                let some = Array(tokens[start..<min(tokens.count, start + Self.batch)])
                ask(ownerNode, .renew(some), for: nil, within: Self.renewalTimeout) { result in
                    guard case .success(.renewed(let granted)) = result else { return }
                    forwarded.renewed(granted, of: some, since: now)
                }
            }
        }
    }

    /// Updated four times per lifetime of a loan. Callable from any thread.
    var figures: Statistics { published.withLock { $0 } }
}
