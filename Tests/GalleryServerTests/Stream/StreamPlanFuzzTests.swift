import Images
import Loading
import TestSupport
import Testing

@testable import GalleryServer

/// Invariants of the plan under any sequence of events.
@Suite(.unsanitized) struct StreamPlanFuzzTests {
    @Test(arguments: 0..<24)
    func `the invariants hold under any sequence of events`(seed: UInt64) {
        var random = SeededRandom(seed: seed &+ 1)
        var fixture = PlanFixture(total: Int.random(in: 0...3_000, using: &random))
        var life = TokenLives()
        var sentPieces: [Token: Set<StreamRendition>] = [:]
        var seen = (contents: 0, loads: 0, shown: 0, parts: 0)
        fixture.isSlow = seed % 2 == 0
        fixture.fineBytes = 60_000
        /// How much the client has of renditions sent in parts.
        var partial: [String: Int] = [:]
        if seed % 3 != 0 { fixture.plan.acknowledge(0, at: fixture.now) }
        for _ in 0..<200 {
            fixture.now += Double.random(in: 0...0.05, using: &random)
            switch Int.random(in: 0...11, using: &random) {
            case 0, 1, 2:
                var viewport = Viewport(
                    first: Int.random(in: 0...3_200, using: &random), count: Int.random(in: 1...80, using: &random))
                viewport.direction = Int.random(in: -1...1, using: &random)
                viewport.velocity = [0, 5, 60, 800, 1e7].randomElement(using: &random) ?? 0
                if Bool.random(using: &random) { viewport.landing = Int.random(in: 0...3_200, using: &random) }
                viewport.pixels = [nil, 64, 300, 900].randomElement(using: &random) ?? nil
                viewport.side = [nil, .longer, .shorter, .box].randomElement(using: &random) ?? nil
                viewport.height = viewport.side == .box ? Int.random(in: 1...3_000, using: &random) : nil
                viewport.ahead = Bool.random(using: &random) ? Int.random(in: 0...4, using: &random) : nil
                viewport.takesParts = Bool.random(using: &random)
                viewport.savesData = .random(using: &random)
                fixture.show(viewport)
            case 3:
                fixture.plan.acknowledge(
                    Int.random(in: 0...(fixture.plan.link.sentBytes + 1), using: &random), at: fixture.now)
            case 4: fixture.acknowledgeAll()
            case 5:
                fixture.hold([
                    PlanFixture.held(
                        Int.random(in: 0...3_000, using: &random),
                        StreamRenditions(rawValue: UInt8.random(in: 0...63, using: &random)))
                ])
            case 6:
                fixture.plan.forget([PlanFixture.held(Int.random(in: 0...3_000, using: &random), [.preview, .tile])])
            case 7:
                fixture.retry(
                    [Int.random(in: 0...3_000, using: &random)], bypassesNegativeCache: .random(using: &random))
            case 8:
                fixture.adopt(
                    revision: fixture.plan.revision + UInt64.random(in: 0...1, using: &random),
                    total: Int.random(in: 0...3_000, using: &random))
            case 9:
                let token = fixture.plan.displays.values.compactMap(\.token).min { "\($0)" < "\($1)" }
                if let token {
                    fixture.plan.tokensEnded([token])
                    life.end(token)
                }
            default:
                let pieces = fixture.plan.loads.keys.sorted {
                    ($0.slot, $0.rendition.rawValue) < ($1.slot, $1.rendition.rawValue)
                }
                if let piece = pieces.randomElement(using: &random) {
                    if Int.random(in: 0...3, using: &random) == 0 {
                        fixture.plan.provide(piece, .problem(LoadFailure(status: 502, publicMessage: "No."), json: [1]))
                    } else {
                        fixture.deliver([piece])
                    }
                }
            }
            for token in fixture.cancelled.dropFirst(life.cancelledSeen) { life.end(token) }
            life.cancelledSeen = fixture.cancelled.count
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                guard let sent = fixture.next() else { break }
                // A token never ends twice, nothing is sent after its end, and no piece is sent twice.
                #expect(!life.ended.contains(sent.token))
                let name = "\(sent.token) \(sent.rendition)"
                #expect(sent.part.lowerBound == 0 || sent.part.lowerBound == partial[name])
                partial[name] = sent.part.upperBound
                #expect(sent.isPart || sentPieces[sent.token, default: []].insert(sent.rendition).inserted)
                seen.parts += sent.isPart ? 1 : 0
                // It is the token last assigned to this slot, for this image.
                let told = fixture.told.last { $0.slot == sent.slot }
                #expect(told?.token == sent.token && told?.image == PlanFixture.image(sent.slot).id)
                if sent.endsToken { life.end(sent.token) }
            }
            let plan = fixture.plan
            seen.contents += plan.contents.count
            seen.loads += plan.loads.count
            seen.shown += plan.displays.count
            #expect(plan.waitingBytes == plan.contents.values.reduce(0) { $0 + $1.body.count })
            #expect(plan.contents.keys.allSatisfy { plan.displays[$0.slot]?[$0.rendition] == .atHand })
            #expect(plan.loads.keys.allSatisfy { plan.displays[$0.slot]?[$0.rendition] == .loading })
            #expect(plan.displays.allSatisfy { $0.value.token == nil || !$0.value.isSettled })
            #expect(plan.displays.count <= 700 && plan.contents.count <= 49)
            #expect(plan.loads.values.count(where: \.isAhead) <= 8 + 16 && plan.loads.count <= 40)
        }
        #expect(seen.shown > 0 && (seen.contents > 0 || seen.loads > 0), "nothing was exercised: \(seen)")
    }

    private struct TokenLives {
        var ended: Set<Token> = []
        var cancelledSeen = 0

        mutating func end(_ token: Token) {
            #expect(ended.insert(token).inserted, "a token ended twice")
        }
    }
}
