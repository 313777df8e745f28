import Clients
import Images
import Locking
import Renditions
import TestSupport
import Testing

@testable import Loading

/// Three nodes under random schedules of issue, claim on any node, cancel, delivery in any order, loss, renewal and
/// expiry.
@Suite struct ForwardingFuzzTests {
    @Test(arguments: 0..<4) func `random schedules on three nodes never send a token twice or after its cancel`(
        part: Int
    ) {
        var served = 0
        for schedule in 0..<500 {
            var world = ForwardingWorld(seed: UInt64(part * 1_000_000 + schedule))
            world.run()
            served += world.served
            if let complaint = world.complaint {
                Issue.record("schedule \(part * 1_000_000 + schedule): \(complaint)")
                return
            }
        }
        #expect(served > 300, "\(served) tokens were served")
    }

    @Test func `with many threads on three nodes every token ends once and nothing is left behind`() async {
        let nodes = MockNodes()
        let counts = Guarded((claims: 0, answers: 0, served: [Token: Int]()))
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<6 as Range<UInt64> {
                group.addTask { Self.hammer(nodes, counts, seed: thread) }
            }
        }
        nodes.deliverAll()
        nodes.lapse()
        for node in nodes.nodes {
            let ends = node.registry.statistics
            #expect(ends.live == 0 && ends.issued == ends.delivered + ends.cancelled + ends.failed && ends.issued > 100)
            #expect(node.registry.holdsNothing && node.forwarded.count == 0)
        }
        let (claims, answers, served) = counts.withLock { $0 }
        #expect(claims == answers && served.count > 100)
        #expect(served.values.allSatisfy { $0 == 1 })
    }

    /// Issues on one node, claims on others, cancels, renews and closes at random, from one thread of several.
    private static func hammer(
        _ nodes: MockNodes, _ counts: Guarded<(claims: Int, answers: Int, served: [Token: Int])>, seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        let home = nodes[Int(seed) % 3].registry
        let image = GalleryImage(
            id: ImageID(rawValue: seed), name: "", location: .remote(url: ""), version: nil, metadata: ImageMetadata())
        for _ in 0..<20 {
            var session: SessionID?
            for slot in 0..<6 {
                let rendition: Rendition = slot == 0 ? .original : .tile
                let request = TokenRegistry.TokenRequest(
                    slot: slot / 2, request: LoadRequest(image: image, rendition: rendition, format: .webp))
                let issued = home.issue([request], session: session)
                session = issued.session
                let token = issued.tokens[0].token
                for _ in 0..<2 {
                    let node = nodes[(Int(seed) + 1 + random.number(below: 2)) % 3]
                    counts.withLock { $0.claims += 1 }
                    let claim = node.forwarded.claim(token, image: image, rendition: rendition, client: .one) {
                        sending, outcome in
                        counts.withLock { $0.answers += 1 }
                        guard case .content = outcome else { return }
                        counts.withLock { $0.served[token, default: 0] += 1 }
                        sending.finish(token, .delivered)
                    }
                    if random.number(below: 8) == 0 { claim.finish(token, .cancelled) }
                }
                nodes.deliverAll()
                if random.number(below: 3) == 0 { home.cancel([token], in: issued.session) }
                for node in nodes.nodes {
                    for load in node.loader.loads.all where load.cancels.count == 0 && load.request.image == image {
                        load.succeed()
                    }
                }
                nodes.renew(random.number(below: 3))
            }
            nodes.deliverAll()
            if let session { home.close(session) }
        }
    }
}

private struct ForwardingWorld {
    private struct Claim {
        let token: Token
        let node: Int
        let sending: any TokenSending
        let outcomes: Guarded<[TokenRegistry.Outcome]>
    }

    private static let images: [GalleryImage] = (0..<3).map {
        GalleryImage(
            id: ImageID(rawValue: $0), name: "", location: .remote(url: ""), version: nil, metadata: ImageMetadata())
    }

    private var random: SeededRandom
    private let nodes = MockNodes()
    private let session: SessionID
    private var tokens: [(token: Token, image: GalleryImage)] = []
    private var claims: [Claim] = []
    private var cancelled: Set<Token> = []
    private var finished: Set<ObjectIdentifier> = []
    private(set) var served = 0
    private(set) var complaint: String?

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        session = nodes[0].registry.open()
    }

    mutating func run() {
        for _ in 0..<60 where complaint == nil {
            step()
            checkInvariants()
        }
        guard complaint == nil else { return }
        nodes.deliverAll()
        for node in 0..<3 { finishLoads(of: node) }
        nodes.deliverAll()
        checkInvariants()
        for claim in claims { claim.sending.finish(claim.token, .delivered) }
        nodes.deliverAll()
        nodes.lapse()
        _ = nodes[0].registry.close(session)
        for claim in claims where claim.outcomes.withLock({ $0.count }) != 1 { complain("a claim waits forever") }
        let counts = nodes[0].registry.statistics
        if counts.live != 0 || counts.issued != counts.delivered + counts.cancelled + counts.failed {
            complain("the counts of ended tokens do not add up: \(counts)")
        }
        if !nodes.nodes.allSatisfy({ $0.registry.holdsNothing && $0.forwarded.count == 0 }) {
            complain("something is left behind")
        }
        served = claims.count { Self.isContent($0) }
    }

    private mutating func complain(_ text: String) { complaint = complaint ?? text }

    private static func isContent(_ claim: Claim) -> Bool {
        claim.outcomes.withLock { outcomes in
            outcomes.contains { if case .content = $0 { true } else { false } }
        }
    }

    /// Checks the invariants that hold at every moment.
    private mutating func checkInvariants() {
        let isAcknowledged = nodes[0].registry.state.withLock { $0.revocations[session] == nil }
        for (token, _) in tokens {
            let own = claims.filter { $0.token == token }
            if own.count(where: Self.isContent) > 1 { complain("a token was served twice") }
            if isAcknowledged, cancelled.contains(token), own.contains(where: { $0.sending.mayContinue(token) }) {
                complain("a token is sent after its cancel was acknowledged")
            }
        }
        if claims.contains(where: { $0.outcomes.withLock { $0.count } > 1 }) { complain("a claim was answered twice") }
    }

    private mutating func step() {
        switch random.number(below: 12) {
        case 0, 1: issue()
        case 2, 3: claim()
        case 4: cancel()
        case 5: finishLoads(of: random.number(below: 3))
        case 6: nodes.renew(random.number(below: 3))
        case 7: nodes.pass(.milliseconds(Int64(random.number(below: 500))))
        case 8 where nodes.countUnderWay > 0 && random.number(below: 3) == 0:
            nodes.lose(random.number(below: nodes.countUnderWay))
        case 9 where !claims.isEmpty:
            let claim = claims[random.number(below: claims.count)]
            claim.sending.finish(claim.token, random.number(below: 2) == 0 ? .delivered : .cancelled)
        default:
            if nodes.countUnderWay > 0 { nodes.deliver(random.number(below: nodes.countUnderWay)) }
        }
    }

    private mutating func issue() {
        let image = Self.images[random.number(below: 3)]
        let rendition: Rendition = random.number(below: 4) == 0 ? .original : .tile
        let before = nodes[0].registry.state.withLock { state in
            (0..<4).map { state.table.current(of: $0, in: session) }
        }
        let slot = random.number(below: 4)
        let request = TokenRegistry.TokenRequest(
            slot: slot, request: LoadRequest(image: image, rendition: rendition, format: .webp))
        tokens.append((nodes[0].registry.issue([request], session: session).tokens[0].token, image))
        if let token = before[slot] { cancelled.insert(token) }
    }

    private mutating func claim() {
        guard !tokens.isEmpty else { return }
        let (token, image) = tokens[random.number(below: tokens.count)]
        let rendition = nodes[0].registry.state.withLock { $0.table.record(of: token)?.request?.rendition } ?? .tile
        let outcomes = Guarded<[TokenRegistry.Outcome]>([])
        let node = random.number(below: 3)
        let sending: any TokenSending
        if node == 0 {
            sending = nodes[0].registry
            // A refused request does not end the token that another request uses.
            guard claims.allSatisfy({ $0.token != token }) else { return }
            nodes[0].registry.claim(token, image: image.id, rendition: rendition) { outcome in
                outcomes.withLock { $0.append(outcome) }
            }
        } else {
            sending = nodes[node].forwarded.claim(token, image: image, rendition: rendition, client: .one) {
                _, outcome in
                outcomes.withLock { $0.append(outcome) }
            }
        }
        claims.append(Claim(token: token, node: node, sending: sending, outcomes: outcomes))
    }

    private mutating func cancel() {
        guard !tokens.isEmpty else { return }
        let token = tokens[random.number(below: tokens.count)].token
        nodes[0].registry.cancel([token], in: session)
        cancelled.insert(token)
    }

    /// Cancelled loads deliver nothing.
    private mutating func finishLoads(of node: Int) {
        for load in nodes[node].loader.loads.all
        where load.cancels.count == 0 && finished.insert(ObjectIdentifier(load)).inserted {
            if random.number(below: 4) == 0 { load.fail() } else { load.succeed() }
        }
    }
}
