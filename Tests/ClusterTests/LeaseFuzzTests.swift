import Glibc
import Images
import Loading
import Renditions
import Scheduling
import TestSupport
import Testing

@testable import Cluster

/// Three lease tables and one server, under random sequences of requests, replies, messages, ends, cancellations and
/// timers.
@Suite(.unsanitized) struct LeaseFuzzTests {
    private static let count = getenv("TESSERA_SCHEDULES").flatMap { Int(String(cString: $0)) } ?? 10_000

    @Test(arguments: 0..<4) func `without losses each rendition is made exactly once`(part: Int) {
        run(part, isWild: false)
    }

    @Test(arguments: 0..<4) func `with losses every request gets one reply and no state remains`(part: Int) {
        run(part, isWild: true)
    }

    private func run(_ part: Int, isWild: Bool) {
        for course in 0..<Self.count / 40 {
            let seed = UInt64(part * 1_000_000 + course)
            var world = LeaseWorld(seed: seed, isWild: isWild)
            world.run()
            if let complaint = world.complaint {
                Issue.record("course \(seed), \(isWild ? "wild" : "calm"): \(complaint)")
                return
            }
        }
    }
}

/// One sequence. Each node's requests, replies and messages arrive in the order in which they were sent, each on its
/// own path.
private struct LeaseWorld {
    private enum Answer {
        case reply(LeaseTable.RequestID, LeaseTable.Reply)
        case timedOut(LeaseTable.RequestID)
        case requested([SharedName])
    }

    private struct Node {
        var book = LeaseTable()
        var requests: [LeaseTable.Effect] = []
        var answers: [Answer] = []
        var news: [LeaseMessage] = []
        var waits: Set<LeaseTable.RequestID> = []
        var asked: [LeaseTable.RequestID: SharedName] = [:]
        var told: [LeaseTable.RequestID: LeaseEvent] = [:]
        /// Requests that are making something now.
        var making: Set<LeaseTable.RequestID> = []
        var left: Set<LeaseTable.RequestID> = []
        var requested: [SharedName] = []
    }

    private var random: SeededRandom
    private let isWild: Bool
    private var server = ModelServer()
    private var nodes = [Node(), Node(), Node()]
    private var lastRequest: LeaseTable.RequestID = 0
    private var makes: [SharedName: Int] = [:]
    private(set) var complaint: String?

    /// Two renditions of one remote image, one of another, and one of a local file.
    private static let names: [SharedName] = [
        .init(image: ImageID(rawValue: 1), version: nil, rendition: .tile, format: .webp),
        .init(image: ImageID(rawValue: 1), version: nil, rendition: .preview, format: .webp),
        .init(image: ImageID(rawValue: 2), version: nil, rendition: .tile, format: .avif),
        .init(image: ImageID(rawValue: 3), version: ContentVersion(rawValue: 9), rendition: .tile, format: .webp),
    ]

    init(seed: UInt64, isWild: Bool) {
        random = SeededRandom(seed: seed)
        self.isWild = isWild
    }

    mutating func run() {
        for _ in 0..<random.number(below: 80) where complaint == nil { step() }
        for _ in 0..<2_000 where complaint == nil && !isIdle { drain() }
        guard complaint == nil else { return }
        if !isIdle { return complain("the sequence never ends") }
        for (number, node) in nodes.enumerated() {
            for id in node.asked.keys where node.told[id] == nil && !node.left.contains(id) {
                complain("node \(number) never got a reply")
            }
            if !node.book.isEmpty { complain("the lease table of node \(number) is not empty") }
        }
        // A lease kept to make more for other nodes expires by itself; nothing else may be left.
        if !isWild, !server.leases.isEmpty { complain("a lease was never released") }
    }

    private var isIdle: Bool {
        nodes.allSatisfy {
            $0.requests.isEmpty && $0.answers.isEmpty && $0.news.isEmpty && $0.waits.isEmpty && $0.making.isEmpty
                && $0.requested.isEmpty
        }
    }

    private func isBusy(_ node: Int) -> Bool {
        let node = nodes[node]
        return !(node.requests.isEmpty && node.answers.isEmpty && node.news.isEmpty && node.requested.isEmpty)
    }

    private mutating func complain(_ text: String) { complaint = complaint ?? text }

    // MARK: - Steps

    private mutating func step() {
        let node = random.number(below: nodes.count)
        switch random.number(below: isWild ? 16 : 12) {
        case 0...2: ask(Self.names[random.number(below: Self.names.count)], on: node)
        case 3: leave(node)
        case 4: endOne(node)
        case 12: nodes[node].news = []
        case 13:
            if let lease = server.leases.keys.sorted().first { server.lapse(lease) }
        case 14: perform(nodes[node].book.disconnected(), on: node)
        case 15:
            if random.number(below: 6) == 0 { server.forget() }
            perform(nodes[node].book.subscribed(), on: node)
        default: move(node)
        }
    }

    private mutating func drain() {
        // A lease that no table knows is not renewed.
        if isWild {
            for (subject, lease) in server.leases {
                let isKnown = nodes[lease.node].book.leases.contains { $0.subject == subject }
                if !isKnown { server.lapse(subject) }
            }
        }
        for node in nodes.indices { endOne(node) }
        // The clock is slower than any path.
        while complaint == nil, let busy = nodes.indices.first(where: { isBusy($0) }) { move(busy) }
        for node in nodes.indices { if let id = nodes[node].waits.min() { wake(id, on: node) } }
    }

    private mutating func ask(_ name: SharedName, on node: Int) {
        // A second request for the same rendition on one node joins the same load.
        let isUnderWay = nodes[node].asked.contains { id, other in
            other == name && !nodes[node].left.contains(id)
                && (nodes[node].told[id] == nil || nodes[node].making.contains(id))
        }
        guard !isUnderWay else { return }
        lastRequest += 1
        nodes[node].asked[lastRequest] = name
        perform(nodes[node].book.ask(lastRequest, name, .visible, bypassesNegativeCache: false), on: node)
    }

    private mutating func leave(_ node: Int) {
        guard let id = nodes[node].asked.keys.sorted().first(where: { nodes[node].told[$0] == nil }) else { return }
        nodes[node].left.insert(id)
        nodes[node].waits.remove(id)
        perform(nodes[node].book.end(id, .abandoned), on: node)
    }

    private mutating func endOne(_ node: Int) {
        guard let id = nodes[node].making.min(), let name = nodes[node].asked[id] else { return }
        nodes[node].making.remove(id)
        let isMade = !isWild || random.number(below: 4) > 0
        if isMade { server.made.insert(name) }
        perform(nodes[node].book.end(id, isMade ? .made : .abandoned), on: node)
    }

    private mutating func wake(_ id: LeaseTable.RequestID, on node: Int) {
        nodes[node].waits.remove(id)
        perform(nodes[node].book.timerFired(id), on: node)
    }

    /// Delivers one thing on one of a node's paths.
    private mutating func move(_ node: Int) {
        let ways = [!nodes[node].requests.isEmpty, !nodes[node].answers.isEmpty, !nodes[node].news.isEmpty]
        let busy = ways.indices.filter { ways[$0] }
        if let name = nodes[node].requested.popLast() { return ask(name, on: node) }
        guard !busy.isEmpty else { return }
        switch busy[random.number(below: busy.count)] {
        case 0: serve(nodes[node].requests.removeFirst(), of: node)
        case 1:
            switch nodes[node].answers.removeFirst() {
            case .reply(let id, let reply): perform(nodes[node].book.replied(id, reply), on: node)
            case .timedOut(let id): perform(nodes[node].book.timedOut(id), on: node)
            case .requested(let names): nodes[node].requested += names
            }
        default: perform(nodes[node].book.received(nodes[node].news.removeFirst(), node: "\(node)"), on: node)
        }
    }

    // MARK: - The server

    private mutating func serve(_ request: LeaseTable.Effect, of node: Int) {
        switch request {
        case .ask(let id, let name, let level, _):
            let (reply, message) = server.ask(name, level, by: node)
            publish(message)
            let isLost = isWild && random.number(below: 8) == 0
            if isWild, random.number(below: 8) == 0 { nodes[node].answers.append(.timedOut(id)) }
            nodes[node].answers.append(.reply(id, isLost ? .nothing : reply))
        case .end(_, let name, let fence, let outcome, let isLast):
            let (requested, message) = server.end(name, fence, outcome, isLast: isLast, by: node)
            publish(message)
            // In a wild sequence, the node may not learn that more is wanted; the lease expires.
            if requested.isEmpty { return }
            if isWild, random.number(below: 2) == 0 {
                server.lapse(name.subject)
            } else {
                nodes[node].answers.append(.requested(requested))
            }
        case .withdraw(let name): publish(server.withdraw(name, by: node))
        case .notify, .wait: complain("not a request to the server")
        }
    }

    private mutating func publish(_ message: LeaseMessage?) {
        guard let message else { return }
        for node in nodes.indices { nodes[node].news.append(message) }
    }

    // MARK: - Effects

    private mutating func perform(_ effects: [LeaseTable.Effect], on node: Int) {
        for effect in effects {
            switch effect {
            case .ask, .end, .withdraw: nodes[node].requests.append(effect)
            case .wait(let id, _): nodes[node].waits.insert(id)
            case .notify(let id, let event): onEvent(event, id, on: node)
            }
        }
    }

    private mutating func onEvent(_ news: LeaseEvent, _ id: LeaseTable.RequestID, on node: Int) {
        switch news {
        case .requested, .requestWithdrawn:
            if case .granted? = nodes[node].told[id] { return }
            return complain("a node without the lease was asked for a rendition")
        case .granted, .made, .failed, .alone: break
        }
        nodes[node].waits.remove(id)
        if nodes[node].told.updateValue(news, forKey: id) != nil { complain("a request got two replies") }
        if nodes[node].left.contains(id) { complain("a cancelled request got a reply") }
        guard let name = nodes[node].asked[id] else { return complain("an unknown request got a reply") }
        switch news {
        case .made: if !server.made.contains(name) { complain("a rendition reported as made is missing") }
        case .granted: begin(id, name, on: node)
        case .alone: if !isWild { complain("a node continues alone although the server is available") }
        case .failed, .requested, .requestWithdrawn: break
        }
    }

    private mutating func begin(_ id: LeaseTable.RequestID, _ name: SharedName, on node: Int) {
        // Before making anything, a node looks for it once more.
        guard !server.made.contains(name) else { return perform(nodes[node].book.end(id, .made), on: node) }
        nodes[node].making.insert(id)
        guard !isWild else { return }
        makes[name, default: 0] += 1
        if makes[name] != 1 { complain("\(name.text) was made twice") }
        let others = nodes.indices.filter { other in
            other != node && nodes[other].making.contains { nodes[other].asked[$0]?.subject == name.subject }
        }
        if !others.isEmpty { complain("two nodes hold the same lease") }
    }
}
