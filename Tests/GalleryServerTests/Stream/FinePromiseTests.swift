import Images
import Loading
import Testing

@testable import GalleryServer

/// What is larger than a tile: when it comes, and what comes before it.
@Suite struct FinePromiseTests {
    private func viewport(_ pixels: Int = 400, count: Int = 10, savesData: Bool = false) -> Viewport {
        var viewport = Viewport(first: 0, count: count)
        (viewport.pixels, viewport.side, viewport.savesData) = (pixels, .longer, savesData)
        return viewport
    }

    private func onScreen(_ sent: [PlanHouse.Sent]) -> [StreamRendition] {
        sent.filter { $0.slot < 10 }.map(\.rendition)
    }

    @Test func `on a slow link the tiles of all that is on screen come before anything larger`() {
        var house = PlanHouse.on(rate: 50_000)
        house.show(viewport())
        var sent: [PlanHouse.Sent] = []
        while sent.count < 200 {
            guard let next = house.next() else {
                guard house.plan.link.inFlight > 0 else {
                    // What came last has been painted.
                    house.now += 0.3
                    guard let next = house.next() else { break }
                    sent.append(next)
                    continue
                }
                house.now += Double(house.plan.link.inFlight) / 50_000
                house.acknowledgeAll()
                continue
            }
            sent.append(next)
        }
        let fine = Array(repeating: StreamRendition.step640, count: 10)
        #expect(
            onScreen(sent) == Array(repeating: .preview, count: 10) + Array(repeating: .tile, count: 10) + fine)
        // What lies ahead has to do with tiles.
        #expect(sent.contains { $0.slot >= 10 && $0.rendition == .tile })
        #expect(!sent.contains { $0.slot >= 10 && $0.rendition == .step640 })
    }

    @Test func `a link of which nothing is known is taken for a slow one`() {
        var house = PlanHouse()
        house.show(viewport())
        #expect(onScreen(house.drain()).filter { $0 != .preview }.prefix(10).allSatisfy { $0 == .tile })
    }

    @Test func `on a fast link what is needed comes at once, and no tile`() {
        var house = PlanHouse.on(rate: 10_000_000)
        house.show(viewport())
        let sent = house.drain()
        #expect(
            onScreen(sent)
                == Array(repeating: .preview, count: 10) + Array(repeating: StreamRendition.step640, count: 10))
        #expect(sent.count { $0.slot < 10 && $0.rendition == .step640 && $0.endsToken } == 10)
    }

    @Test func `in motion there are tiles alone`() {
        var house = PlanHouse.on(rate: 10_000_000)
        var moving = viewport()
        (moving.velocity, moving.direction) = (1, 1)
        house.show(moving)
        let sent = house.drain()
        #expect(sent.contains { $0.rendition == .tile } && !sent.contains { $0.rendition == .step640 })
        house.show(viewport())
        #expect(onScreen(house.drain()) == Array(repeating: .step640, count: 10))
    }

    @Test func `whoever saves data gets no more than tiles`() {
        var house = PlanHouse.on(rate: 10_000_000)
        house.show(viewport(1_500, savesData: true))
        let sent = house.drain()
        #expect(sent.contains { $0.rendition == .tile })
        #expect(sent.allSatisfy { $0.rendition == .preview || $0.rendition == .tile })
    }

    @Test func `what is larger serves for what is smaller, and not the other way round`() {
        var house = PlanHouse.on(rate: 10_000_000)
        house.hold([
            PlanHouse.held(3, [StreamRenditions(.step1280)]), PlanHouse.held(4, [.preview, .tile]),
        ])
        house.show(viewport())
        let sent = house.drain()
        #expect(!sent.contains { $0.slot == 3 })
        #expect(sent.filter { $0.slot == 4 }.map(\.rendition) == [.step640])
        #expect(house.told.first { $0.slot == 3 }?.token == nil)
        #expect(house.told.first { $0.slot == 3 }?.rendition == .step640)
    }

    @Test func `slots that grow get what has more pixels, and slots that shrink nothing`() {
        var house = PlanHouse.on(rate: 10_000_000)
        house.show(viewport(300))
        #expect(onScreen(house.drain()).filter { $0 != .preview } == Array(repeating: .tile, count: 10))
        house.now += 0.1
        house.acknowledgeAll()
        house.show(viewport(1_000))
        #expect(onScreen(house.drain()) == Array(repeating: .step1280, count: 10))
        house.now += 0.1
        house.acknowledgeAll()
        house.show(viewport(300))
        #expect(onScreen(house.drain()).isEmpty)
    }

    @Test func `what is under way when slots change their size ends once, and its token with it`() {
        var house = PlanHouse.on(rate: 10_000_000)
        house.isSlow = true
        house.show(viewport(1_000))
        while house.next() != nil {}
        let before = Set(house.plan.showings.values.compactMap(\.token))
        let loads = house.plan.loads.keys.filter { $0.rendition == .step1280 }
        house.show(viewport(300))
        #expect(!house.plan.loads.keys.contains { $0.rendition == .step1280 })
        for piece in loads {
            let isWanted = house.plan.provide(piece, .image(PlanHouse.rendition(.step1280)))
            #expect(!isWanted)
        }
        house.isSlow = false
        house.deliver(Array(house.plan.loads.keys))
        let sent = house.drain()
        #expect(onScreen(sent).filter { $0 != .preview } == Array(repeating: .tile, count: 10))
        #expect(Set(house.delivered).isSuperset(of: before) && Set(house.delivered).count == house.delivered.count)
    }

    @Test func `a picture whose proportions are seen of its preview only gets the pixels that follow from them`() {
        var house = PlanHouse.on(rate: 10_000_000)
        house.isSlow = true
        var cropped = viewport(200)
        cropped.side = .shorter
        house.show(cropped)
        while house.next() != nil {}
        #expect(house.plan.showings[3]?.needs.largest == .tile)
        house.plan.provide(
            Piece(slot: 3, rendition: .preview), .image(PlanHouse.rendition(.preview, ratio: 3)))
        #expect(house.next()?.slot == 3)
        #expect(house.plan.showings[3]?.needs.largest == .step640)
    }

    @Test func `a tile is loaded together with what comes after it`() {
        var house = PlanHouse.on(rate: 50_000)
        house.show(viewport())
        _ = house.drain()
        #expect(house.plan.next(after: Piece(slot: 3, rendition: .tile)) == .step640)
        #expect(house.plan.next(after: Piece(slot: 3, rendition: .preview)) == nil)
        #expect(house.plan.next(after: Piece(slot: 3, rendition: .step640)) == nil)
    }
}
