import Clients
import Images
import Locking
import Renditions

@testable import Loading

/// Several nodes of one gallery. What they tell each other is under way until the test delivers it or lets it be lost, in
/// any order; time passes for all of them as the test says.
final class MockNodes: Sendable {
    /// One node, whose loader does what the test says.
    struct Node: Sendable {
        let book: TokenBook
        let borrowed: BorrowedTokens
        let loader: MockLoader
    }

    private struct Message: Sendable {
        let sender: NodeTag
        let receiver: NodeTag
        let deliver: @Sendable () -> Void
        let lose: @Sendable () -> Void
    }

    private struct Recall: Sendable {
        let deadline: Duration
        let stopped: @Sendable () -> Void
    }

    private struct State {
        var underWay: [Message] = []
        var recalls: [Int: Recall] = [:]
        var lastRecall = 0
        var dead: Set<NodeTag> = []
    }

    let time = HeldTime()
    let nodes: [Node]
    private let state = Guarded(State())

    init(_ count: Int = 3) {
        let relays = (0..<count).map { _ in MockRelay(NodeTag()) }
        nodes = relays.map { [time] relay in
            let loader = MockLoader()
            return Node(
                book: TokenBook(node: relay.node, loader: loader, relay: relay, time: time),
                borrowed: BorrowedTokens(loader: loader, relay: relay, time: time), loader: loader)
        }
        for relay in relays { relay.nodes.withLock { $0.all = self } }
    }

    subscript(_ number: Int) -> Node { nodes[number] }
    subscript(_ tag: NodeTag) -> Node? { nodes.first { $0.book.node == tag } }

    var countUnderWay: Int { state.withLock { $0.underWay.count } }

    func isDead(_ tag: NodeTag) -> Bool { state.withLock { $0.dead.contains(tag) } }

    /// Without a word to anybody.
    func kill(_ number: Int) {
        let lost = state.withLock { state in
            let tag = nodes[number].book.node
            state.dead.insert(tag)
            let lost = state.underWay.filter { $0.sender == tag || $0.receiver == tag }
            state.underWay.removeAll { $0.sender == tag || $0.receiver == tag }
            return lost
        }
        for message in lost { message.lose() }
    }

    /// Lets all loans that are left lapse, on both sides.
    func lapse() {
        pass(.seconds(2))
        for node in nodes {
            _ = node.borrowed.renewals()
            node.book.closeIdleSessions()
        }
        deliverAll()
    }

    /// Delivers what is under way, and what that leads to, until nothing is. From any number of threads at once.
    func deliverAll() {
        while let message = state.withLock({ $0.underWay.isEmpty ? nil : $0.underWay.removeFirst() }) {
            message.deliver()
        }
    }

    func deliver(_ position: Int) { state.withLock { $0.underWay.remove(at: position) }.deliver() }
    func lose(_ position: Int) { state.withLock { $0.underWay.remove(at: position) }.lose() }

    /// Recalls that have had no answer are over when their time is.
    func pass(_ duration: Duration) {
        time.pass(duration)
        let now = time.uptime()
        let over = state.withLock { state in
            let over = state.recalls.filter { $0.value.deadline <= now }
            for number in over.keys { state.recalls[number] = nil }
            return over
        }
        for recall in over.values { recall.stopped() }
    }

    /// What a node's relay does four times a second.
    func renew(_ number: Int) {
        let node = nodes[number]
        let now = time.uptime()
        for (home, tokens) in node.borrowed.renewals() {
            send(from: node.book.node, to: home) { [self] in
                guard let granted = self[home]?.book.renew(tokens, of: node.book.node) else { return }
                send(from: home, to: node.book.node) { node.borrowed.renewed(granted, of: tokens, since: now) }
            }
        }
    }

    fileprivate func send(
        from sender: NodeTag, to receiver: NodeTag, lost: @escaping @Sendable () -> Void = {},
        _ deliver: @escaping @Sendable () -> Void
    ) {
        let isSent = state.withLock { state in
            guard self[receiver] != nil, !state.dead.contains(receiver), !state.dead.contains(sender) else {
                return false
            }
            state.underWay.append(Message(sender: sender, receiver: receiver, deliver: deliver, lose: lost))
            return true
        }
        if !isSent { lost() }
    }

    fileprivate func recall(
        _ token: Token, by home: NodeTag, from borrower: NodeTag, _ recall: Duration,
        _ stopped: @escaping @Sendable () -> Void
    ) {
        let now = time.uptime()
        let number = state.withLock { state in
            state.lastRecall += 1
            state.recalls[state.lastRecall] = Recall(deadline: now + recall, stopped: stopped)
            return state.lastRecall
        }
        send(from: home, to: borrower) { [self] in
            self[borrower]?.borrowed.recalled([token])
            send(from: borrower, to: home) { [self] in
                state.withLock { $0.recalls.removeValue(forKey: number) }?.stopped()
            }
        }
    }
}

/// How one node reaches the others.
private final class MockRelay: SessionRelaying {
    struct Nodes {
        weak var all: MockNodes?
    }

    let node: NodeTag
    let nodes = Guarded(Nodes())

    init(_ node: NodeTag) { self.node = node }

    var isAlone: Bool { false }
    private var all: MockNodes? { nodes.withLock { $0.all } }

    func issue(_ order: RelayedOrder, answer: @escaping @Sendable (Result<[Token?], RelayFailure>) -> Void) {
        answer(.failure(.gone))
    }

    func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, RelayFailure>) -> Void
    ) { answer(.failure(.gone)) }

    func borrow(
        _ token: Token, image: ImageID, rendition: Rendition, for client: Client,
        answer: @escaping @Sendable (Result<Lending, RelayFailure>) -> Void
    ) {
        guard let all else { return answer(.failure(.gone)) }
        let lost = { @Sendable in answer(.failure(all.isDead(token.home) ? .gone : .silent)) }
        all.send(from: node, to: token.home, lost: lost) { [node] in
            guard let home = all[token.home] else { return }
            let lending = home.book.lend(token, image: image, rendition: rendition, to: node)
            all.send(from: token.home, to: node, lost: lost) { answer(.success(lending)) }
        }
    }

    func tell(_ token: Token, ended end: TokenEnd) {
        guard let all else { return }
        all.send(from: node, to: token.home) { [node] in all[token.home]?.book.end(token, end, by: node) }
    }

    func recall(
        _ token: Token, from borrower: NodeTag, within time: Duration, stopped: @escaping @Sendable () -> Void
    ) {
        guard let all else { return stopped() }
        all.recall(token, by: node, from: borrower, time, stopped)
    }
}
