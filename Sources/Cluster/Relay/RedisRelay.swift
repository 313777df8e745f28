import Clients
import EventLoops
import Images
import Loading
import Locking
import Redis
import Renditions

/// Reaches other nodes by publication: each listens to a channel of its own, where it is asked and answered.
///
/// A question to a node that nobody listens for is answered at once, since the server tells how many have heard it; one to
/// a node that hangs is given up after a while. What is lost costs that long and nothing else: loans that are not renewed
/// lapse by themselves on both sides.
final class RedisRelay: SessionRelaying, @unchecked Sendable {
    // Sendable because everything mutable but what is guarded is touched on the client's loop alone.
    let client: RedisClient
    private let keys: Keys
    let node: NodeTag
    private let time: any TimeKeeping
    private(set) var host: (any SessionHosting)?
    private var borrowed: BorrowedTokens?
    private var asks: [UInt64: Ask] = [:]
    private var askers = Tally<Client>()
    private var lastNumber: UInt64 = 0
    /// Questions of others that are being answered.
    var hosted = 0
    /// What is to be done once nothing is owed to other nodes.
    var whenAtRest: (() -> Void)?
    private var renewal: LoopTimer?
    /// Whether what others say is heard: who asks without that does something there, and never learns of it.
    private var hears = false
    private var saidAlive: Duration?
    private let published = Guarded(Figures())

    /// How it fares.
    struct Figures: Hashable, Sendable {
        /// Tokens that other nodes have now, and those of theirs that this one has.
        var lent = 0
        var borrowed = 0
        /// Questions to other nodes so far, and those of them that found nobody or had no answer in time.
        var relays = 0
        var relaysInVain = 0
    }

    private struct Ask {
        let node: NodeTag
        /// Whose bound it counts for; nil for a question of the node's own.
        let client: Client?
        let timer: LoopTimer
        let answer: (Result<RelayMessage.Body, RelayFailure>) -> Void
    }

    /// How long a request may wait for a loan.
    private static let patience = Duration.milliseconds(250)
    /// The home may have to wait until a loan lapses before it can answer.
    private static let longPatience = TokenBook.loanTime + .milliseconds(500)
    private static let renewalPause = TokenBook.loanTime / 4
    /// An answer is good until the loan would lapse.
    private static let renewalPatience = TokenBook.loanTime - renewalPause
    /// Between two words that this node runs, and for how long each counts.
    private static let lifePause = Duration.milliseconds(500)
    private static let lifeTime = Duration.milliseconds(1_500)
    /// Questions for clients; those of the node's own are as many as its loans.
    private static let mostAsks = 4_096
    private static let mostAsksPerClient = 256
    static let mostHosted = 512
    /// Tokens in one question whether they may still be sent.
    private static let batch = 256

    init(client: RedisClient, keys: Keys, node: NodeTag, time: any TimeKeeping = SystemTime()) {
        self.client = client
        self.keys = keys
        self.node = node
        self.time = time
    }

    /// Begins to listen.
    func start(host: any SessionHosting, borrowed: BorrowedTokens) {
        client.loop.execute { [self] in
            self.host = host
            self.borrowed = borrowed
            renewLater()
        }
        client.subscribe(to: keys.channel(of: node)) { [weak self] state in
            self?.hears = state == .connected
        } heard: { [weak self] bytes in
            guard let message = RelayMessage(bytes) else { return }
            self?.heard(message)
        }
    }

    func stop() {
        client.loop.execute { [self] in
            renewal?.cancel()
            if host != nil {
                client.send([Array("DEL".utf8), keys.life(of: node)], within: Self.patience) { _ in }
            }
            host = nil
            borrowed = nil
            for number in asks.keys { end(number, .failure(.silent)) }
        }
    }

    // MARK: - SessionRelaying

    var isAlone: Bool { false }

    func issue(
        _ order: RelayedOrder, answer: @escaping @Sendable (Result<[Token?], RelayFailure>) -> Void
    ) {
        let home = order.session.home
        ask(home, .issue(order), for: order.client, within: Self.longPatience) { result in
            answer(
                result.flatMap { body in
                    guard case .issued(let tokens) = body, tokens.count == order.slots.count,
                        tokens.allSatisfy({ $0 == nil || $0?.home == home })
                    else { return .failure(.silent) }
                    return .success(tokens)
                })
        }
    }

    func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, RelayFailure>) -> Void
    ) {
        // By then a home that has died is no longer said to run.
        let end = time.uptime() + Self.lifeTime + Self.renewalPause
        cancel(tokens, in: session, for: client, until: end, answer: answer)
    }

    private func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client, until end: Duration,
        answer: @escaping @Sendable (Result<Int, RelayFailure>) -> Void
    ) {
        ask(session.home, .cancel(tokens, in: session, for: client), for: client, within: Self.longPatience) {
            [self, loop = self.client.loop] result in
            switch result {
            case .success(.cancelled(let count)): answer(.success(count))
            case .success: answer(.failure(.silent))
            case .failure(.gone):
                whetherRunning(session.home) { [self] isRunning in
                    // Whoever has borrowed of it may send until that has lapsed.
                    guard isRunning else {
                        loop.schedule(after: TokenBook.loanTime) { answer(.success(0)) }
                        return
                    }
                    // It may not listen at the moment, and be sending.
                    guard time.uptime() < end else { return answer(.failure(.silent)) }
                    loop.schedule(after: Self.renewalPause) { [self] in
                        cancel(tokens, in: session, for: client, until: end, answer: answer)
                    }
                }
            case .failure(let failure): answer(.failure(failure))
            }
        }
    }

    func borrow(
        _ token: Token, image: ImageID, rendition: Rendition, for client: Client,
        answer: @escaping @Sendable (Result<Lending, RelayFailure>) -> Void
    ) {
        ask(token.home, .borrow(token, image: image, rendition), for: client, within: Self.patience) { result in
            answer(
                result.flatMap { body in
                    if case .lending(let lending) = body { .success(lending) } else { .failure(.silent) }
                })
        }
    }

    func tell(_ token: Token, ended end: TokenEnd) {
        client.loop.execute { [self] in publish(.ended(token, end), number: 0, to: token.home) }
    }

    func recall(
        _ token: Token, from borrower: NodeTag, within time: Duration, stopped: @escaping @Sendable () -> Void
    ) {
        // Whatever the answer, and also where nobody can be asked, it may be sent until then.
        client.loop.execute { [self] in
            let begun = self.time.uptime()
            ask(borrower, .recall(token), for: nil, within: time) { [client] result in
                if case .success(.stopped) = result { return stopped() }
                let left = time - (self.time.uptime() - begun)
                guard left > .zero else { return stopped() }
                client.loop.schedule(after: left) { stopped() }
            }
        }
    }

    // MARK: - Asking

    private func ask(
        _ node: NodeTag, _ body: RelayMessage.Body, for asker: Client?, within time: Duration,
        answer: @escaping @Sendable (Result<RelayMessage.Body, RelayFailure>) -> Void
    ) {
        guard client.loop.isCurrent else {
            return client.loop.execute { [self] in ask(node, body, for: asker, within: time, answer: answer) }
        }
        guard client.isConnected, hears else { return answer(.failure(.silent)) }
        guard asker == nil || asks.count < Self.mostAsks else { return answer(.failure(.crowded)) }
        if let asker, !askers.take(for: asker, upTo: Self.mostAsksPerClient) { return answer(.failure(.crowded)) }
        published.withLock { $0.relays += 1 }
        lastNumber += 1
        let number = lastNumber
        let timer = client.loop.schedule(after: time) { [weak self] in self?.end(number, .failure(.silent)) }
        asks[number] = Ask(node: node, client: asker, timer: timer, answer: answer)
        publish(body, number: number, to: node) { [weak self] result in
            switch result {
            case .success(.integer(0)): self?.end(number, .failure(.gone))
            case .success: break
            case .failure: self?.end(number, .failure(.silent))
            }
        }
    }

    /// Whether a node that nobody can reach says that it runs; also where that cannot be found out.
    private func whetherRunning(_ node: NodeTag, answer: @escaping @Sendable (Bool) -> Void) {
        client.send([Array("EXISTS".utf8), keys.life(of: node)], within: Self.patience) { result in
            if case .success(.integer(0)) = result { answer(false) } else { answer(true) }
        }
    }

    private func sayAlive(at now: Duration) {
        if let saidAlive, now - saidAlive < Self.lifePause { return }
        saidAlive = now
        let life = Array("\(Self.lifeTime.milliseconds)".utf8)
        client.send(
            [Array("SET".utf8), keys.life(of: node), Array("1".utf8), Array("PX".utf8), life], within: Self.patience
        ) { _ in }
    }

    private func end(_ number: UInt64, _ result: Result<RelayMessage.Body, RelayFailure>) {
        guard let ask = asks.removeValue(forKey: number) else { return }
        ask.timer.cancel()
        if let asker = ask.client { askers.giveBack(by: asker) }
        if case .failure = result { published.withLock { $0.relaysInVain += 1 } }
        ask.answer(result)
    }

    /// - Parameters:
    ///   - number: Of a question or its answer; 0 where none is awaited.
    ///   - told: What the server says of it.
    func publish(
        _ body: RelayMessage.Body, number: UInt64, to node: NodeTag,
        told: @escaping @Sendable (Result<RedisReply, RedisError>) -> Void = { _ in }
    ) {
        let message = RelayMessage(sender: self.node, number: number, body: body)
        let words = [Array("PUBLISH".utf8), Array(keys.channel(of: node).utf8), message.bytes]
        client.send(words, within: Self.longPatience, answer: told)
    }

    private func heard(_ message: RelayMessage) {
        let (sender, number) = (message.sender, message.number)
        switch message.body {
        case .issued, .cancelled, .lending, .renewed, .stopped:
            if asks[number]?.node == sender { end(number, .success(message.body)) }
        case .crowded:
            if asks[number]?.node == sender { end(number, .failure(.crowded)) }
        case .recall(let token):
            guard token.home == sender else { return }
            borrowed?.recalled([token])
            publish(.stopped, number: number, to: sender)
        case .issue, .cancel, .borrow, .renew, .ended: serve(message)
        }
    }

    // MARK: - Borrowed

    private func renewLater() {
        renewal = client.loop.schedule(after: Self.renewalPause) { [weak self] in
            self?.renew()
            self?.renewLater()
        }
    }

    private func renew() {
        guard let host, let borrowed else { return }
        let (lent, held) = (host.settleLoans(), borrowed.count)
        published.withLock { figures in
            figures.lent = lent
            figures.borrowed = held
        }
        if lent == 0 { tellWhenAtRest() }
        let now = time.uptime()
        sayAlive(at: now)
        for (home, tokens) in borrowed.renewals() {
            for start in stride(from: 0, to: tokens.count, by: Self.batch) {
                let some = Array(tokens[start..<min(tokens.count, start + Self.batch)])
                ask(home, .renew(some), for: nil, within: Self.renewalPatience) { result in
                    guard case .success(.renewed(let granted)) = result else { return }
                    borrowed.renewed(granted, of: some, since: now)
                }
            }
        }
    }

    /// As of a quarter of a second ago. From any thread.
    var figures: Figures { published.withLock { $0 } }
}
