import Images
import TestSupport
import Testing

@testable import GalleryServer

/// The renditions that are sent during scrolling.
@Suite(.unsanitized) struct MotionPromiseTests {
    /// A plan whose link is known: 2.5 MB/s, 60 ms.
    private func fixture(rate: Double = 2_500_000, roundTrip: Double = 0.06) -> PlanFixture {
        var fixture = PlanFixture()
        fixture.plan.acknowledge(0, at: fixture.now)
        fixture.plan.link.sent(700, at: fixture.now)
        fixture.now += roundTrip
        fixture.plan.acknowledge(700, at: fixture.now)
        let bytes = Int(rate * roundTrip)
        for _ in 0..<40 {
            fixture.plan.link.sent(bytes, at: fixture.now)
            fixture.now += roundTrip
            fixture.plan.acknowledge(fixture.plan.link.sentBytes, at: fixture.now)
        }
        return fixture
    }

    @Test func `while scrolling fast only previews are sent, for slots that will still be visible`() throws {
        var fixture = fixture()
        for step in 0..<50 {
            let first = 1_000 + step * 8
            fixture.show(first, 40, velocity: 500)
            for sent in fixture.drain() {
                #expect(sent.rendition == .preview)
                // It arrives after half a round trip, as does the report; painting takes 40 ms.
                let arrival = Double(first) + 500 * (0.06 + 0.04)
                #expect(Double(sent.slot) >= arrival && Double(sent.slot) <= arrival + 500 * 0.1 + 41)
            }
            #expect(!fixture.looked.contains { $0.piece.rendition == .tile })
            fixture.now += 0.016
            fixture.acknowledgeAll()
        }
    }

    @Test func `the longer the round trip, the farther ahead the plan aims`() {
        var lowest: [Int] = []
        for roundTrip in [0.02, 0.06, 0.2, 0.4] {
            var fixture = fixture(roundTrip: roundTrip)
            fixture.show(1_000, 40, velocity: 500)
            lowest.append(fixture.drain().map(\.slot).min() ?? 0)
        }
        #expect(lowest == lowest.sorted() && Set(lowest).count == 4)
    }

    @Test func `slow loads start before their slots become visible and are kept until those pass`() {
        var fixture = fixture()
        for _ in 0..<60 { fixture.plan.loadTook(0.3) }
        fixture.isSlow = true
        fixture.show(1_000, 40, velocity: 500)
        #expect(fixture.drain().isEmpty)
        let slots = fixture.looked.map(\.piece.slot)
        #expect(slots.count == 16 && slots.allSatisfy { 1_000 + 200..<1_000 + 290 ~= $0 })
        for step in 1...20 {
            fixture.now += 0.016
            fixture.acknowledgeAll()
            fixture.show(1_000 + step * 8, 40, velocity: 500)
            if step == 18 { fixture.deliver(Array(fixture.plan.loads.keys.filter { slots.contains($0.slot) })) }
            let sent = fixture.drain()
            if step == 18 { #expect(!sent.isEmpty && sent.allSatisfy { slots.contains($0.slot) }) }
        }
    }

    @Test func `scrolling upwards is handled like scrolling downwards`() {
        var fixture = fixture()
        fixture.show(5_000, 40, velocity: 500, direction: -1)
        let slots = fixture.drain().map(\.slot)
        #expect(!slots.isEmpty && slots.allSatisfy { $0 < 5_000 - 45 + 40 && $0 > 4_800 })
    }

    @Test(arguments: [200_000.0, 2_500_000])
    func `in a fling at most a tile and 16 KB, or what the link bears, is in flight ahead of need`(rate: Double) {
        for velocity in [60.0, 500, 3_000] {
            var fixture = fixture(rate: rate)
            let rate = fixture.plan.link.rate ?? 0
            let most = max(Int(fixture.plan.tileBytes) + 16_384, Int(max(0.032 * rate, min(0.16 * rate, 65_536))))
            var viewport = 10_000.0
            for _ in 0..<40 {
                fixture.show(Int(viewport), 40, velocity: velocity)
                let reported = Int(viewport)..<Int(viewport) + 40
                _ = fixture.drain()
                #expect(fixture.plan.inFlight.bytes(outside: reported) <= most)
                viewport += velocity * 0.016
                fixture.now += 0.016
                fixture.acknowledgeAll()
            }
        }
    }

    @Test func `while scrolling slowly, tiles in flight exceed the link's capacity only a little`() throws {
        for velocity in [15.0, 25] {
            var fixture = fixture()
            for step in 0..<40 {
                fixture.show(10_000 + Int(velocity * 0.016 * Double(step)), 40, velocity: velocity)
                _ = fixture.drain()
                let capacity = try #require(fixture.plan.link.capacity)
                #expect(Double(fixture.plan.inFlight.tileBytes) <= 1.3 * capacity + fixture.plan.tileBytes)
                fixture.now += 0.016
            }
        }
    }

    @Test func `after a stop the visible slots are sent at once, previews and then tiles`() {
        var fixture = fixture()
        fixture.show(1_000, 40, velocity: 500)
        _ = fixture.drain()
        fixture.now += 0.016
        fixture.show(1_008, 40)
        let sent = fixture.drain().prefix(while: { _ in true })
        #expect(sent.allSatisfy { (1_008..<1_048).contains($0.slot) })
        #expect(sent.contains { $0.rendition == .tile })
        let previews = sent.prefix { $0.rendition == .preview }.count
        #expect(sent.dropFirst(previews).allSatisfy { $0.rendition == .tile })
    }

    @Test func `landing slots are sent while the scroll slows down, after the passing slots`() {
        var fixture = fixture()
        fixture.show(1_000, 40, velocity: 900, landing: 1_300)
        var sent = fixture.drain()
        for _ in 0..<30 {
            fixture.now += 0.05
            fixture.acknowledgeAll()
            fixture.show(1_000, 40, velocity: 900, landing: 1_300)
            sent += fixture.drain()
        }
        let tiles = sent.filter { $0.rendition == .tile }
        #expect(!tiles.isEmpty && tiles.allSatisfy { (1_300..<1_340).contains($0.slot) })
        let firstTile = sent.firstIndex { $0.rendition == .tile } ?? 0
        #expect(sent[..<firstTile].contains { $0.slot < 1_300 })
    }

    @Test func `tiles in a scroll that lands elsewhere take at most half of the link's capacity`() {
        var fixture = fixture()
        fixture.show(1_000, 40, velocity: 25, landing: 1_200)
        _ = fixture.drain()
        #expect(fixture.plan.inFlight.tileBytes <= 75_000 && fixture.plan.inFlight.tileBytes > 45_000)
        fixture.show(1_000, 40)
        _ = fixture.drain()
        #expect(fixture.plan.inFlight.tileBytes > 200_000)
    }

    @Test func `at rest no slot ahead is sent before the visible ones have arrived and been painted`() {
        var fixture = fixture()
        fixture.show(1_000, 10)
        let first = fixture.drain()
        #expect(!first.isEmpty && first.allSatisfy { (1_000..<1_010).contains($0.slot) })
        fixture.now += 0.1
        fixture.acknowledgeAll()
        fixture.now += 0.2
        #expect(fixture.drain().isEmpty)
        fixture.now += 0.06
        let ahead = fixture.drain()
        #expect(!ahead.isEmpty && ahead.allSatisfy { !(1_000..<1_010).contains($0.slot) })
    }

    @Test func `at rest a thin link is filled with slots ahead at once, and not with passed ones`() throws {
        var fixture = fixture(rate: 200_000, roundTrip: 0.4)
        fixture.show(1_000, 10)
        _ = fixture.drain()
        for _ in 0..<20 {
            fixture.now += 0.4
            fixture.acknowledgeAll()
            let sent = fixture.drain()
            let capacity = try #require(fixture.plan.link.capacity)
            let passed = sent.filter { $0.slot < 1_000 }.reduce(0) { $0 + $1.bytes }
            #expect(passed <= Int(fixture.plan.tileBytes) + 32_768)
            #expect(Double(fixture.plan.inFlight.bytes(outside: 1_000..<1_010)) <= capacity + fixture.plan.tileBytes)
        }
        #expect((1_010..<1_020).allSatisfy { fixture.plan.displays[$0]?.isSettled == true })
        fixture.show(1_500, 10)
        #expect(fixture.drain().contains { $0.slot >= 1_510 }, "the slots ahead do not wait for messages in flight")
    }

    @Test func `for a page that paints late the plan aims farther ahead`() {
        func window(lag: Double?) -> ServiceWindow {
            let viewport = Viewport(first: 1_000, count: 40, direction: 1, velocity: 500, lag: lag)
            return ServiceWindow(
                motion: Motion(viewport: viewport, moment: 0), arrival: 0.06, now: 0.03, loading: 0, total: 100_000,
                direction: 1)
        }
        #expect(window(lag: 0.01) == window(lag: nil))
        #expect(window(lag: 0.1).previews.lowerBound == window(lag: nil).previews.lowerBound + 30)
    }

    @Test func `a page that falls silent while scrolling is treated as resting where it was`() {
        var fixture = fixture()
        fixture.show(1_000, 40, velocity: 500)
        _ = fixture.drain()
        for _ in 0..<110 {
            fixture.now += 0.016
            fixture.acknowledgeAll()
            for sent in fixture.drain() { #expect(sent.slot < 1_000 + 500 + 100) }
        }
        #expect((1_000..<1_040).allSatisfy { fixture.plan.displays[$0]?.isSettled == true })
        #expect(fixture.isResting)
    }

    @Test func `the link is neither left idle between acknowledgements nor flooded`() {
        var fixture = fixture()
        fixture.show(1_000, 500)
        _ = fixture.drain()
        let most = 1.5 * 2_500_000 * 0.06 + 32_768
        #expect(Double(fixture.plan.link.inFlight) >= most * 0.9)
        #expect(Double(fixture.plan.link.inFlight) <= most * 1.1 + 20_000)
        var mute = PlanFixture()
        mute.show(1_000, 500)
        #expect(mute.drain().filter { (1_000..<1_500).contains($0.slot) }.count == 1_000)
    }
}
