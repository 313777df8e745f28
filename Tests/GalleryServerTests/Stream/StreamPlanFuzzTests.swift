import Images
import Loading
import TestSupport
import Testing

@testable import GalleryServer

/// Whatever comes in whatever order: what is true of the plan at every moment.
@Suite(.unsanitized) struct StreamPlanFuzzTests {
    @Test(arguments: 0..<24)
    func `no order of events breaks a promise`(seed: UInt64) {
        var random = SeededRandom(seed: seed &+ 1)
        var house = PlanHouse(total: Int.random(in: 0...3_000, using: &random))
        var life = TokenLives()
        var sentPieces: [Token: Set<StreamRendition>] = [:]
        var seen = (contents: 0, loads: 0, shown: 0, parts: 0)
        house.isSlow = seed % 2 == 0
        house.fineBytes = 60_000
        /// How far the client has what comes in parts.
        var partial: [String: Int] = [:]
        if seed % 3 != 0 { house.plan.acknowledge(0, at: house.now) }
        for _ in 0..<200 {
            house.now += Double.random(in: 0...0.05, using: &random)
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
                house.show(viewport)
            case 3:
                house.plan.acknowledge(Int.random(in: 0...(house.plan.link.handed + 1), using: &random), at: house.now)
            case 4: house.acknowledgeAll()
            case 5:
                house.hold([
                    PlanHouse.held(
                        Int.random(in: 0...3_000, using: &random),
                        StreamRenditions(rawValue: UInt8.random(in: 0...63, using: &random)))
                ])
            case 6: house.plan.forget([PlanHouse.held(Int.random(in: 0...3_000, using: &random), [.preview, .tile])])
            case 7: house.retry([Int.random(in: 0...3_000, using: &random)], insists: .random(using: &random))
            case 8:
                house.adopt(
                    revision: house.plan.revision + UInt64.random(in: 0...1, using: &random),
                    total: Int.random(in: 0...3_000, using: &random))
            case 9:
                let token = house.plan.showings.values.compactMap(\.token).min { "\($0)" < "\($1)" }
                if let token {
                    house.plan.dismiss([token])
                    life.end(token)
                }
            default:
                let pieces = house.plan.loads.keys.sorted {
                    ($0.slot, $0.rendition.rawValue) < ($1.slot, $1.rendition.rawValue)
                }
                if let piece = pieces.randomElement(using: &random) {
                    if Int.random(in: 0...3, using: &random) == 0 {
                        house.plan.provide(piece, .problem(LoadFailure(status: 502, publicMessage: "No."), json: [1]))
                    } else {
                        house.deliver([piece])
                    }
                }
            }
            for token in house.cancelled.dropFirst(life.cancelledSeen) { life.end(token) }
            life.cancelledSeen = house.cancelled.count
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                guard let sent = house.next() else { break }
                // A token never ends twice, and nothing comes after its end; nor does a piece of it come twice.
                #expect(!life.ended.contains(sent.token))
                let name = "\(sent.token) \(sent.rendition)"
                #expect(sent.part.lowerBound == 0 || sent.part.lowerBound == partial[name])
                partial[name] = sent.part.upperBound
                #expect(sent.isPart || sentPieces[sent.token, default: []].insert(sent.rendition).inserted)
                seen.parts += sent.isPart ? 1 : 0
                // It is the token that the client was told of last for this slot, and for this image.
                let told = house.told.last { $0.slot == sent.slot }
                #expect(told?.token == sent.token && told?.image == PlanHouse.image(sent.slot).id)
                if sent.endsToken { life.end(sent.token) }
            }
            let plan = house.plan
            seen.contents += plan.contents.count
            seen.loads += plan.loads.count
            seen.shown += plan.showings.count
            #expect(plan.waitingBytes == plan.contents.values.reduce(0) { $0 + $1.body.count })
            #expect(plan.contents.keys.allSatisfy { plan.showings[$0.slot]?[$0.rendition] == .atHand })
            #expect(plan.loads.keys.allSatisfy { plan.showings[$0.slot]?[$0.rendition] == .loading })
            #expect(plan.showings.allSatisfy { $0.value.token == nil || !$0.value.isSettled })
            #expect(plan.showings.count <= 700 && plan.contents.count <= 49)
            #expect(plan.loads.values.count { $0 } <= 8 + 16 && plan.loads.count <= 40)
        }
        #expect(seen.shown > 0 && (seen.contents > 0 || seen.loads > 0), "there was nothing to look at: \(seen)")
    }

    private struct TokenLives {
        var ended: Set<Token> = []
        var cancelledSeen = 0

        mutating func end(_ token: Token) {
            #expect(ended.insert(token).inserted, "a token ended twice")
        }
    }
}
