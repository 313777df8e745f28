import Images
import Loading
import Testing

@testable import GalleryServer

/// Renditions larger than a tile: when they are sent, and what is sent before them.
@Suite struct FinePromiseTests {
    private func viewport(_ pixels: Int = 400, count: Int = 10, savesData: Bool = false) -> Viewport {
        var viewport = Viewport(first: 0, count: count)
        (viewport.pixels, viewport.side, viewport.savesData) = (pixels, .longer, savesData)
        return viewport
    }

    private func onScreen(_ sent: [PlanFixture.Sent]) -> [StreamRendition] {
        sent.filter { $0.slot < 10 }.map(\.rendition)
    }

    @Test func `on a slow link all visible tiles are sent before anything larger`() {
        var fixture = PlanFixture.on(rate: 50_000)
        fixture.show(viewport())
        var sent: [PlanFixture.Sent] = []
        while sent.count < 200 {
            guard let next = fixture.next() else {
                guard fixture.plan.link.inFlight > 0 else {
                    // By then the last tiles have been painted.
                    fixture.now += 0.3
                    guard let next = fixture.next() else { break }
                    sent.append(next)
                    continue
                }
                fixture.now += Double(fixture.plan.link.inFlight) / 50_000
                fixture.acknowledgeAll()
                continue
            }
            sent.append(next)
        }
        let fine = Array(repeating: StreamRendition.step640, count: 10)
        #expect(
            onScreen(sent) == Array(repeating: .preview, count: 10) + Array(repeating: .tile, count: 10) + fine)
        // Slots ahead get only tiles.
        #expect(sent.contains { $0.slot >= 10 && $0.rendition == .tile })
        #expect(!sent.contains { $0.slot >= 10 && $0.rendition == .step640 })
    }

    @Test func `a link of unknown rate is treated as slow`() {
        var fixture = PlanFixture()
        fixture.show(viewport())
        #expect(onScreen(fixture.drain()).filter { $0 != .preview }.prefix(10).allSatisfy { $0 == .tile })
    }

    @Test func `on a fast link the needed rendition is sent at once, without a tile`() {
        var fixture = PlanFixture.on(rate: 10_000_000)
        fixture.show(viewport())
        let sent = fixture.drain()
        #expect(
            onScreen(sent)
                == Array(repeating: .preview, count: 10) + Array(repeating: StreamRendition.step640, count: 10))
        #expect(sent.count { $0.slot < 10 && $0.rendition == .step640 && $0.endsToken } == 10)
    }

    @Test func `while scrolling nothing larger than a tile is sent`() {
        var fixture = PlanFixture.on(rate: 10_000_000)
        var moving = viewport()
        (moving.velocity, moving.direction) = (1, 1)
        fixture.show(moving)
        let sent = fixture.drain()
        #expect(sent.contains { $0.rendition == .tile } && !sent.contains { $0.rendition == .step640 })
        fixture.show(viewport())
        #expect(onScreen(fixture.drain()) == Array(repeating: .step640, count: 10))
    }

    @Test func `with data saving nothing larger than a tile is sent`() {
        var fixture = PlanFixture.on(rate: 10_000_000)
        fixture.show(viewport(1_500, savesData: true))
        let sent = fixture.drain()
        #expect(sent.contains { $0.rendition == .tile })
        #expect(sent.allSatisfy { $0.rendition == .preview || $0.rendition == .tile })
    }

    @Test func `a larger held rendition satisfies a smaller need, and not the other way round`() {
        var fixture = PlanFixture.on(rate: 10_000_000)
        fixture.hold([
            PlanFixture.held(3, [StreamRenditions(.step1280)]), PlanFixture.held(4, [.preview, .tile]),
        ])
        fixture.show(viewport())
        let sent = fixture.drain()
        #expect(!sent.contains { $0.slot == 3 })
        #expect(sent.filter { $0.slot == 4 }.map(\.rendition) == [.step640])
        #expect(fixture.told.first { $0.slot == 3 }?.token == nil)
        #expect(fixture.told.first { $0.slot == 3 }?.rendition == .step640)
    }

    @Test func `slots that grow get a larger rendition, and slots that shrink get nothing`() {
        var fixture = PlanFixture.on(rate: 10_000_000)
        fixture.show(viewport(300))
        #expect(onScreen(fixture.drain()).filter { $0 != .preview } == Array(repeating: .tile, count: 10))
        fixture.now += 0.1
        fixture.acknowledgeAll()
        fixture.show(viewport(1_000))
        #expect(onScreen(fixture.drain()) == Array(repeating: .step1280, count: 10))
        fixture.now += 0.1
        fixture.acknowledgeAll()
        fixture.show(viewport(300))
        #expect(onScreen(fixture.drain()).isEmpty)
    }

    /// The client may not know the size of an image, and cannot tell what a slot needs for another side.
    @Test(arguments: [false, true])
    func `every slot is announced again when the side changes, even if nothing is to be sent`(isSlow: Bool) {
        var fixture = PlanFixture.on(rate: 10_000_000)
        var small = ImageMetadata()
        (small.width, small.height) = (320, 240)
        fixture.setImages((0..<10).map { PlanFixture.image($0, metadata: small) })
        fixture.isSlow = isSlow
        fixture.show(viewport(300))
        _ = fixture.drain()
        fixture.now += 0.1
        fixture.acknowledgeAll()
        let before = fixture.told.filter { $0.slot < 10 }
        #expect(before.count == 10)
        var box = viewport(1_200)
        (box.side, box.height) = (.box, 800)
        fixture.show(box)
        #expect(onScreen(fixture.drain()).isEmpty)
        let again = fixture.told.filter { $0.slot < 10 }.dropFirst(10)
        #expect(again.map(\.slot).sorted() == Array(0..<10))
        #expect(again.allSatisfy { $0.rendition == .tile && ($0.token != nil) == isSlow })
        fixture.show(box)
        _ = fixture.drain()
        #expect(fixture.told.count { $0.slot < 10 } == 20, "once")
    }

    @Test func `loads in flight when slots change size are given up, and each token ends once`() {
        var fixture = PlanFixture.on(rate: 10_000_000)
        fixture.isSlow = true
        fixture.show(viewport(1_000))
        while fixture.next() != nil {}
        let before = Set(fixture.plan.displays.values.compactMap(\.token))
        let loads = fixture.plan.loads.keys.filter { $0.rendition == .step1280 }
        fixture.show(viewport(300))
        #expect(!fixture.plan.loads.keys.contains { $0.rendition == .step1280 })
        for piece in loads {
            let isWanted = fixture.plan.provide(piece, .image(PlanFixture.rendition(.step1280)))
            #expect(!isWanted)
        }
        fixture.isSlow = false
        fixture.deliver(Array(fixture.plan.loads.keys))
        let sent = fixture.drain()
        #expect(onScreen(sent).filter { $0 != .preview } == Array(repeating: .tile, count: 10))
        #expect(
            Set(fixture.delivered).isSuperset(of: before) && Set(fixture.delivered).count == fixture.delivered.count)
    }

    @Test func `an image of unknown proportions needs the pixels that follow from those of its preview`() {
        var fixture = PlanFixture.on(rate: 10_000_000)
        fixture.isSlow = true
        var cropped = viewport(200)
        cropped.side = .shorter
        fixture.show(cropped)
        while fixture.next() != nil {}
        #expect(fixture.plan.displays[3]?.needs.largest == .tile)
        fixture.plan.provide(
            Piece(slot: 3, rendition: .preview), .image(PlanFixture.rendition(.preview, ratio: 3)))
        #expect(fixture.next()?.slot == 3)
        #expect(fixture.plan.displays[3]?.needs.largest == .step640)
    }

    @Test func `a tile is loaded together with the rendition that follows it`() {
        var fixture = PlanFixture.on(rate: 50_000)
        fixture.show(viewport())
        _ = fixture.drain()
        #expect(fixture.plan.next(after: Piece(slot: 3, rendition: .tile)) == .step640)
        #expect(fixture.plan.next(after: Piece(slot: 3, rendition: .preview)) == nil)
        #expect(fixture.plan.next(after: Piece(slot: 3, rendition: .step640)) == nil)
    }
}
