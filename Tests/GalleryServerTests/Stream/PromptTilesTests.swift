import Testing

@testable import GalleryServer

/// A preview that its tile replaces within a glance is not sent.
@Suite struct PromptTilesTests {
    private static let fast = 2_500_000.0

    @Test func `on a link that brings all tiles within a glance they come alone`() {
        var house = PlanHouse.on(rate: Self.fast, roundTrip: 0.03)
        house.show(1_000, 10)
        let sent = house.drain().filter { (1_000..<1_010).contains($0.slot) }
        #expect(sent.count == 10 && sent.allSatisfy { $0.rendition == .tile && $0.endsToken })
    }

    @Test(arguments: [(200_000.0, 0.03), (fast, 0.3)])
    func `on a link that needs longer for them previews come first`(rate: Double, roundTrip: Double) {
        var house = PlanHouse.on(rate: rate, roundTrip: roundTrip)
        house.show(1_000, 10)
        let sent = house.drain().prefix(10)
        #expect(sent.allSatisfy { $0.rendition == .preview && (1_000..<1_010).contains($0.slot) })
    }

    @Test func `what is not in memory has its preview first, and takes no place that a preview waits for`() {
        var house = PlanHouse.on(rate: Self.fast, roundTrip: 0.03)
        house.isSlow = true
        house.show(1_000, 10)
        #expect(house.next() == nil)
        let first = house.looked.prefix(10)
        #expect(first.allSatisfy { $0.piece.rendition == .preview && (1_000..<1_010).contains($0.piece.slot) })
        #expect(house.looked.dropFirst(10).prefix(6).allSatisfy { $0.piece.rendition == .tile })
    }

    @Test func `where nothing is shown yet, tiles come first`() {
        var house = PlanHouse.on(rate: Self.fast, roundTrip: 0.03)
        house.hold((1_003..<1_010).map { PlanHouse.held($0, .preview) })
        house.show(1_000, 10)
        #expect(Set(house.drain().prefix(3).map(\.slot)) == [1_000, 1_001, 1_002])
    }

    @Test func `in slow motion what leaves the screen too soon for its tile has its preview`() {
        var house = PlanHouse.on(rate: Self.fast, roundTrip: 0.03)
        house.show(1_000, 40, velocity: 30)
        let sent = house.drain()
        #expect(Set(sent.map(\.slot)).isSuperset(of: 1_003..<1_012))
        #expect(sent.contains { $0.slot < 1_010 && $0.rendition == .preview })
    }

    @Test func `of what lies ahead of somebody who reads the tiles come alone, and previews of what is not in memory`()
    {
        for isSlow in [false, true] {
            var house = PlanHouse.on(rate: Self.fast, roundTrip: 0.06)
            house.show(1_000, 40)
            // What is on screen, and once that has come what lies ahead.
            for _ in 0..<12 {
                _ = house.drain()
                house.now += 0.06
                house.acknowledgeAll()
                house.now += 0.3
            }
            house.isSlow = isSlow
            house.show(1_040, 40, velocity: 10)
            let sent = house.drain().filter { $0.slot >= 1_085 }
            let looked = house.looked.filter { $0.piece.slot >= 1_085 }
            if isSlow {
                #expect(sent.isEmpty && looked.first?.piece.rendition == .preview)
            } else {
                #expect(!sent.isEmpty && sent.allSatisfy { $0.rendition == .tile })
            }
        }
    }
}
