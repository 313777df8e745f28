import Testing

@testable import GalleryServer

/// A preview is not sent if its tile will replace it almost at once.
@Suite struct PromptTilesTests {
    private static let fast = 2_500_000.0

    @Test func `on a link that delivers all tiles at once no previews are sent`() {
        var fixture = PlanFixture.on(rate: Self.fast, roundTrip: 0.03)
        fixture.show(1_000, 10)
        let sent = fixture.drain().filter { (1_000..<1_010).contains($0.slot) }
        #expect(sent.count == 10 && sent.allSatisfy { $0.rendition == .tile && $0.endsToken })
    }

    @Test(arguments: [(200_000.0, 0.03), (fast, 0.3)])
    func `on a link that needs longer for the tiles previews are sent first`(rate: Double, roundTrip: Double) {
        var fixture = PlanFixture.on(rate: rate, roundTrip: roundTrip)
        fixture.show(1_000, 10)
        let sent = fixture.drain().prefix(10)
        #expect(sent.allSatisfy { $0.rendition == .preview && (1_000..<1_010).contains($0.slot) })
    }

    @Test func `uncached slots load their previews first, and tiles only in the places left over`() {
        var fixture = PlanFixture.on(rate: Self.fast, roundTrip: 0.03)
        fixture.isSlow = true
        fixture.show(1_000, 10)
        #expect(fixture.next() == nil)
        let first = fixture.looked.prefix(10)
        #expect(first.allSatisfy { $0.piece.rendition == .preview && (1_000..<1_010).contains($0.piece.slot) })
        #expect(fixture.looked.dropFirst(10).prefix(6).allSatisfy { $0.piece.rendition == .tile })
    }

    @Test func `slots that show nothing yet get their tiles first`() {
        var fixture = PlanFixture.on(rate: Self.fast, roundTrip: 0.03)
        fixture.hold((1_003..<1_010).map { PlanFixture.held($0, .preview) })
        fixture.show(1_000, 10)
        #expect(Set(fixture.drain().prefix(3).map(\.slot)) == [1_000, 1_001, 1_002])
    }

    @Test func `while scrolling slowly, slots that leave too soon for a tile get a preview`() {
        var fixture = PlanFixture.on(rate: Self.fast, roundTrip: 0.03)
        fixture.show(1_000, 40, velocity: 30)
        let sent = fixture.drain()
        #expect(Set(sent.map(\.slot)).isSuperset(of: 1_003..<1_012))
        #expect(sent.contains { $0.slot < 1_010 && $0.rendition == .preview })
    }

    @Test func `ahead of a slow scroll only tiles are sent, with previews first for uncached slots`() {
        for isSlow in [false, true] {
            var fixture = PlanFixture.on(rate: Self.fast, roundTrip: 0.06)
            fixture.show(1_000, 40)
            // The slots on screen and then, once their pictures have arrived, the slots ahead.
            for _ in 0..<12 {
                _ = fixture.drain()
                fixture.now += 0.06
                fixture.acknowledgeAll()
                fixture.now += 0.3
            }
            fixture.isSlow = isSlow
            fixture.show(1_040, 40, velocity: 10)
            let sent = fixture.drain().filter { $0.slot >= 1_085 }
            let looked = fixture.looked.filter { $0.piece.slot >= 1_085 }
            if isSlow {
                #expect(sent.isEmpty && looked.first?.piece.rendition == .preview)
            } else {
                #expect(!sent.isEmpty && sent.allSatisfy { $0.rendition == .tile })
            }
        }
    }
}
