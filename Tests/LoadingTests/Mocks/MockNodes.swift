import Clients
import Images
import Locking
import Renditions

@testable import Loading

/// Several nodes of one gallery. Their messages stay in flight until the test delivers or loses them, in any order. The
/// test controls the time of all nodes.
final class MockNodes: Sendable {
    /// One node, whose loader does what the test says.
    struct Node: Sendable {
        let registry: TokenRegistry
        let forwarded: ForwardedTokens
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
        var revocations: [Int: Recall] = [:]
        var lastRecall = 0
        var dead: Set<NodeTag> = []
    }

    let time = HeldTime()
    let nodes: [Node]
    private let state = Guarded(State())

    init(_ count: Int = 3) {
        let relays = (0..<count).map { _ in MockForwarding(NodeTag()) }
        nodes = relays.map { [time] forwarding in
            let loader = MockLoader()
            return Node(
                registry: TokenRegistry(node: forwarding.node, loader: loader, forwarding: forwarding, time: time),
                forwarded: ForwardedTokens(loader: loader, forwarding: forwarding, time: time), loader: loader)
        }
        for forwarding in relays { forwarding.nodes.withLock { $0.all = self } }
    }

    subscript(_ number: Int) -> Node { nodes[number] }
    subscript(_ tag: NodeTag) -> Node? { nodes.first { $0.registry.node == tag } }

    var countUnderWay: Int { state.withLock { $0.underWay.count } }

    func isDead(_ tag: NodeTag) -> Bool { state.withLock { $0.dead.contains(tag) } }

    /// Stops a node without notifying the others.
    func kill(_ number: Int) {
        let lost = state.withLock { state in
            let tag = nodes[number].registry.node
            state.dead.insert(tag)
            let lost = state.underWay.filter { $0.sender == tag || $0.receiver == tag }
            state.underWay.removeAll { $0.sender == tag || $0.receiver == tag }
            return lost
        }
        for message in lost { message.lose() }
    }

    /// Lets all remaining grants expire, on both sides.
    func lapse() {
        pass(.seconds(2))
        for node in nodes {
            _ = node.forwarded.renewals()
            node.registry.closeIdleSessions()
        }
        deliverAll()
    }

    /// Delivers the messages in flight, and those they cause, until none is left. May be called from several threads at
    /// once.
    func deliverAll() {
        while let message = state.withLock({ $0.underWay.isEmpty ? nil : $0.underWay.removeFirst() }) {
            message.deliver()
        }
    }

    func deliver(_ position: Int) { state.withLock { $0.underWay.remove(at: position) }.deliver() }
    func lose(_ position: Int) { state.withLock { $0.underWay.remove(at: position) }.lose() }

    /// Advances the time. Revocations without a reply complete when their time is over.
    func pass(_ duration: Duration) {
        time.pass(duration)
        let now = time.uptime()
        let over = state.withLock { state in
            let over = state.revocations.filter { $0.value.deadline <= now }
            for number in over.keys { state.revocations[number] = nil }
            return over
        }
        for revoke in over.values { revoke.stopped() }
    }

    /// Sends the renewals that a node's messaging sends four times a second.
    func renew(_ number: Int) {
        let node = nodes[number]
        let now = time.uptime()
        for (home, tokens) in node.forwarded.renewals() {
            send(from: node.registry.node, to: home) { [self] in
                guard let granted = self[home]?.registry.renew(tokens, of: node.registry.node) else { return }
                send(from: home, to: node.registry.node) { node.forwarded.renewed(granted, of: tokens, since: now) }
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

    fileprivate func revoke(
        _ token: Token, by home: NodeTag, from forwarder: NodeTag, _ revoke: Duration,
        _ stopped: @escaping @Sendable () -> Void
    ) {
        let now = time.uptime()
        let number = state.withLock { state in
            state.lastRecall += 1
            state.revocations[state.lastRecall] = Recall(deadline: now + revoke, stopped: stopped)
            return state.lastRecall
        }
        send(from: home, to: forwarder) { [self] in
            self[forwarder]?.forwarded.revoked([token])
            send(from: forwarder, to: home) { [self] in
                state.withLock { $0.revocations.removeValue(forKey: number) }?.stopped()
            }
        }
    }
}

/// Connects one node to the others.
private final class MockForwarding: SessionForwarding {
    struct Nodes {
        weak var all: MockNodes?
    }

    let node: NodeTag
    let nodes = Guarded(Nodes())

    init(_ node: NodeTag) { self.node = node }

    var isSingleNode: Bool { false }
    private var all: MockNodes? { nodes.withLock { $0.all } }

    func issue(
        _ order: ForwardedTokenRequest, answer: @escaping @Sendable (Result<[Token?], ForwardingFailure>) -> Void
    ) {
        answer(.failure(.gone))
    }

    func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, ForwardingFailure>) -> Void
    ) { answer(.failure(.gone)) }

    func requestForwarding(
        _ token: Token, image: ImageID, rendition: Rendition, for client: Client,
        answer: @escaping @Sendable (Result<ForwardingReply, ForwardingFailure>) -> Void
    ) {
        guard let all else { return answer(.failure(.gone)) }
        let lost = { @Sendable in answer(.failure(all.isDead(token.ownerNode) ? .gone : .silent)) }
        all.send(from: node, to: token.ownerNode, lost: lost) { [node] in
            guard let ownerNode = all[token.ownerNode] else { return }
            let reply = ownerNode.registry.grantForwarding(token, image: image, rendition: rendition, to: node)
            all.send(from: token.ownerNode, to: node, lost: lost) { answer(.success(reply)) }
        }
    }

    func announce(_ token: Token, ended end: TokenEnd) {
        guard let all else { return }
        all.send(from: node, to: token.ownerNode) { [node] in all[token.ownerNode]?.registry.end(token, end, by: node) }
    }

    func revoke(
        _ token: Token, from forwarder: NodeTag, within time: Duration, stopped: @escaping @Sendable () -> Void
    ) {
        guard let all else { return stopped() }
        all.revoke(token, by: node, from: forwarder, time, stopped)
    }
}
