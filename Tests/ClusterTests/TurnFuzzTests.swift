import Glibc
import Images
import Loading
import Renditions
import Scheduling
import TestSupport
import Testing

@testable import Cluster

/// Three books of turns and one server, under random courses of questions, answers, messages, ends, leaves and the clock.
@Suite(.unsanitized) struct TurnFuzzTests {
    private static let count = getenv("TESSERA_SCHEDULES").flatMap { Int(String(cString: $0)) } ?? 10_000

    @Test(arguments: 0..<4) func `while nothing is lost each rendition is made once`(part: Int) {
        run(part, isWild: false)
    }

    @Test(arguments: 0..<4) func `whatever is lost, whoever asks is answered once and nothing is left`(part: Int) {
        run(part, isWild: true)
    }

    private func run(_ part: Int, isWild: Bool) {
        for course in 0..<Self.count / 40 {
            let seed = UInt64(part * 1_000_000 + course)
            var world = TurnWorld(seed: seed, isWild: isWild)
            world.run()
            if let complaint = world.complaint {
                Issue.record("course \(seed), \(isWild ? "wild" : "calm"): \(complaint)")
                return
            }
        }
    }
}

/// One course. What a node sends, is answered and hears comes in the order in which it was sent, each on its own way.
private struct TurnWorld {
    private enum Answer {
        case reply(TurnBook.AskID, TurnBook.Reply)
        case ranOut(TurnBook.AskID)
        case wanted([SharedName])
    }

    private struct Node {
        var book = TurnBook()
        var requests: [TurnBook.Effect] = []
        var answers: [Answer] = []
        var news: [TurnMessage] = []
        var waits: Set<TurnBook.AskID> = []
        var asked: [TurnBook.AskID: SharedName] = [:]
        var told: [TurnBook.AskID: TurnNews] = [:]
        /// Those that make something now.
        var making: Set<TurnBook.AskID> = []
        var left: Set<TurnBook.AskID> = []
        var wanted: [SharedName] = []
    }

    private var random: SeededRandom
    private let isWild: Bool
    private var server = ModelServer()
    private var nodes = [Node(), Node(), Node()]
    private var lastAsk: TurnBook.AskID = 0
    private var makes: [SharedName: Int] = [:]
    private(set) var complaint: String?

    /// Two of one remote image, one of another, and one of a file.
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
        if !isIdle { return complain("it goes on for ever") }
        for (number, node) in nodes.enumerated() {
            for id in node.asked.keys where node.told[id] == nil && !node.left.contains(id) {
                complain("node \(number) waits for ever")
            }
            if !node.book.isEmpty { complain("something is left in the book of node \(number)") }
        }
        // What was kept to make more for others lapses by itself, and nothing else may be left.
        if !isWild, !server.leases.isEmpty { complain("a turn was never given back") }
    }

    private var isIdle: Bool {
        nodes.allSatisfy {
            $0.requests.isEmpty && $0.answers.isEmpty && $0.news.isEmpty && $0.waits.isEmpty && $0.making.isEmpty
                && $0.wanted.isEmpty
        }
    }

    private func isBusy(_ node: Int) -> Bool {
        let node = nodes[node]
        return !(node.requests.isEmpty && node.answers.isEmpty && node.news.isEmpty && node.wanted.isEmpty)
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
        case 14: perform(nodes[node].book.isAlone(), on: node)
        case 15:
            if random.number(below: 6) == 0 { server.forget() }
            perform(nodes[node].book.listens(), on: node)
        default: move(node)
        }
    }

    private mutating func drain() {
        // Nobody renews what nobody knows of.
        if isWild {
            for (subject, lease) in server.leases {
                let isKnown = nodes[lease.node].book.leases.contains { $0.subject == subject }
                if !isKnown { server.lapse(subject) }
            }
        }
        for node in nodes.indices { endOne(node) }
        // The clock is slower than any way.
        while complaint == nil, let busy = nodes.indices.first(where: { isBusy($0) }) { move(busy) }
        for node in nodes.indices { if let id = nodes[node].waits.min() { wake(id, on: node) } }
    }

    private mutating func ask(_ name: SharedName, on node: Int) {
        // Whoever wants the same on one node waits for the same load.
        let isUnderWay = nodes[node].asked.contains { id, other in
            other == name && !nodes[node].left.contains(id)
                && (nodes[node].told[id] == nil || nodes[node].making.contains(id))
        }
        guard !isUnderWay else { return }
        lastAsk += 1
        nodes[node].asked[lastAsk] = name
        perform(nodes[node].book.ask(lastAsk, name, .visible, insists: false), on: node)
    }

    private mutating func leave(_ node: Int) {
        guard let id = nodes[node].asked.keys.sorted().first(where: { nodes[node].told[$0] == nil }) else { return }
        nodes[node].left.insert(id)
        nodes[node].waits.remove(id)
        perform(nodes[node].book.end(id, .gaveUp), on: node)
    }

    private mutating func endOne(_ node: Int) {
        guard let id = nodes[node].making.min(), let name = nodes[node].asked[id] else { return }
        nodes[node].making.remove(id)
        let isMade = !isWild || random.number(below: 4) > 0
        if isMade { server.made.insert(name) }
        perform(nodes[node].book.end(id, isMade ? .made : .gaveUp), on: node)
    }

    private mutating func wake(_ id: TurnBook.AskID, on node: Int) {
        nodes[node].waits.remove(id)
        perform(nodes[node].book.woke(id), on: node)
    }

    /// One thing on one of a node's ways arrives.
    private mutating func move(_ node: Int) {
        let ways = [!nodes[node].requests.isEmpty, !nodes[node].answers.isEmpty, !nodes[node].news.isEmpty]
        let busy = ways.indices.filter { ways[$0] }
        if let name = nodes[node].wanted.popLast() { return ask(name, on: node) }
        guard !busy.isEmpty else { return }
        switch busy[random.number(below: busy.count)] {
        case 0: serve(nodes[node].requests.removeFirst(), of: node)
        case 1:
            switch nodes[node].answers.removeFirst() {
            case .reply(let id, let reply): perform(nodes[node].book.replied(id, reply), on: node)
            case .ranOut(let id): perform(nodes[node].book.ranOut(id), on: node)
            case .wanted(let names): nodes[node].wanted += names
            }
        default: perform(nodes[node].book.heard(nodes[node].news.removeFirst(), node: "\(node)"), on: node)
        }
    }

    // MARK: - The server

    private mutating func serve(_ request: TurnBook.Effect, of node: Int) {
        switch request {
        case .ask(let id, let name, let urgency, _):
            let (reply, message) = server.ask(name, urgency, by: node)
            publish(message)
            let isLost = isWild && random.number(below: 8) == 0
            if isWild, random.number(below: 8) == 0 { nodes[node].answers.append(.ranOut(id)) }
            nodes[node].answers.append(.reply(id, isLost ? .nothing : reply))
        case .end(_, let name, let fence, let outcome, let isLast):
            let (wanted, message) = server.end(name, fence, outcome, isLast: isLast, by: node)
            publish(message)
            // In a wild course who is asked for more may not hear of it; the lease lapses.
            if wanted.isEmpty { return }
            if isWild, random.number(below: 2) == 0 {
                server.lapse(name.subject)
            } else {
                nodes[node].answers.append(.wanted(wanted))
            }
        case .withdraw(let name): publish(server.withdraw(name, by: node))
        case .tell, .wait: complain("no request")
        }
    }

    private mutating func publish(_ message: TurnMessage?) {
        guard let message else { return }
        for node in nodes.indices { nodes[node].news.append(message) }
    }

    // MARK: - What a book says

    private mutating func perform(_ effects: [TurnBook.Effect], on node: Int) {
        for effect in effects {
            switch effect {
            case .ask, .end, .withdraw: nodes[node].requests.append(effect)
            case .wait(let id, _): nodes[node].waits.insert(id)
            case .tell(let id, let news): hear(news, id, on: node)
            }
        }
    }

    private mutating func hear(_ news: TurnNews, _ id: TurnBook.AskID, on node: Int) {
        switch news {
        case .wanted, .unwanted:
            if case .mine? = nodes[node].told[id] { return }
            return complain("who has no turn was asked for something")
        case .mine, .made, .failed, .alone: break
        }
        nodes[node].waits.remove(id)
        if nodes[node].told.updateValue(news, forKey: id) != nil { complain("somebody was answered twice") }
        if nodes[node].left.contains(id) { complain("somebody who left was answered") }
        guard let name = nodes[node].asked[id] else { return complain("somebody unknown was answered") }
        switch news {
        case .made: if !server.made.contains(name) { complain("what was made is not there") }
        case .mine: begin(id, name, on: node)
        case .alone: if !isWild { complain("alone, though the server was there") }
        case .failed, .wanted, .unwanted: break
        }
    }

    private mutating func begin(_ id: TurnBook.AskID, _ name: SharedName, on node: Int) {
        // Before anything is made it is looked for once more.
        guard !server.made.contains(name) else { return perform(nodes[node].book.end(id, .made), on: node) }
        nodes[node].making.insert(id)
        guard !isWild else { return }
        makes[name, default: 0] += 1
        if makes[name] != 1 { complain("\(name.text) was made twice") }
        let others = nodes.indices.filter { other in
            other != node && nodes[other].making.contains { nodes[other].asked[$0]?.subject == name.subject }
        }
        if !others.isEmpty { complain("two nodes have the same turn") }
    }
}
