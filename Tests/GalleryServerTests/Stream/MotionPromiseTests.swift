import Images
import TestSupport
import Testing

@testable import GalleryServer

/// What goes out while the scrolling goes on.
@Suite(.unsanitized) struct MotionPromiseTests {
    /// A house whose link is known: 2.5 MB/s, 60 ms.
    private func house(rate: Double = 2_500_000, roundTrip: Double = 0.06) -> PlanHouse {
        var house = PlanHouse()
        house.plan.acknowledge(0, at: house.now)
        house.plan.link.hand(700, at: house.now)
        house.now += roundTrip
        house.plan.acknowledge(700, at: house.now)
        let bytes = Int(rate * roundTrip)
        for _ in 0..<40 {
            house.plan.link.hand(bytes, at: house.now)
            house.now += roundTrip
            house.plan.acknowledge(house.plan.link.handed, at: house.now)
        }
        return house
    }

    @Test func `in fast motion previews alone are sent, and only for slots that will still be on screen`() throws {
        var house = house()
        for step in 0..<50 {
            let first = 1_000 + step * 8
            house.show(first, 40, velocity: 500)
            for sent in house.drain() {
                #expect(sent.rendition == .preview)
                // It arrives in half a round trip, as does the report; with 40 ms to paint it.
                let arrival = Double(first) + 500 * (0.06 + 0.04)
                #expect(Double(sent.slot) >= arrival && Double(sent.slot) <= arrival + 500 * 0.1 + 41)
            }
            #expect(!house.looked.contains { $0.piece.rendition == .tile })
            house.now += 0.016
            house.acknowledgeAll()
        }
    }

    @Test func `the farther the client the farther ahead is aimed`() {
        var lowest: [Int] = []
        for roundTrip in [0.02, 0.06, 0.2, 0.4] {
            var house = house(roundTrip: roundTrip)
            house.show(1_000, 40, velocity: 500)
            lowest.append(house.drain().map(\.slot).min() ?? 0)
        }
        #expect(lowest == lowest.sorted() && Set(lowest).count == 4)
    }

    @Test func `what takes long to load is asked for before it comes on screen, and kept until it passes`() {
        var house = house()
        for _ in 0..<60 { house.plan.loadTook(0.3) }
        house.isSlow = true
        house.show(1_000, 40, velocity: 500)
        #expect(house.drain().isEmpty)
        let slots = house.looked.map(\.piece.slot)
        #expect(slots.count == 16 && slots.allSatisfy { 1_000 + 200..<1_000 + 290 ~= $0 })
        for step in 1...20 {
            house.now += 0.016
            house.acknowledgeAll()
            house.show(1_000 + step * 8, 40, velocity: 500)
            if step == 18 { house.deliver(Array(house.plan.loads.keys.filter { slots.contains($0.slot) })) }
            let sent = house.drain()
            if step == 18 { #expect(!sent.isEmpty && sent.allSatisfy { slots.contains($0.slot) }) }
        }
    }

    @Test func `upwards is as good as downwards`() {
        var house = house()
        house.show(5_000, 40, velocity: 500, direction: -1)
        let slots = house.drain().map(\.slot)
        #expect(!slots.isEmpty && slots.allSatisfy { $0 < 5_000 - 45 + 40 && $0 > 4_800 })
    }

    @Test(arguments: [200_000.0, 2_500_000])
    func `in a fling what is sent ahead of need has at most a tile and 16 KB on its way, or what the link bears`(
        rate: Double
    ) {
        for velocity in [60.0, 500, 3_000] {
            var house = house(rate: rate)
            let rate = house.plan.link.rate ?? 0
            let most = max(Int(house.plan.tileBytes) + 16_384, Int(max(0.032 * rate, min(0.16 * rate, 65_536))))
            var viewport = 10_000.0
            for _ in 0..<40 {
                house.show(Int(viewport), 40, velocity: velocity)
                let reported = Int(viewport)..<Int(viewport) + 40
                _ = house.drain()
                #expect(house.plan.flights.bytes(outside: reported) <= most)
                viewport += velocity * 0.016
                house.now += 0.016
                house.acknowledgeAll()
            }
        }
    }

    @Test func `while somebody reads, tiles on their way are what the link holds and a little more`() throws {
        for velocity in [15.0, 25] {
            var house = house()
            for step in 0..<40 {
                house.show(10_000 + Int(velocity * 0.016 * Double(step)), 40, velocity: velocity)
                _ = house.drain()
                let capacity = try #require(house.plan.link.capacity)
                #expect(Double(house.plan.flights.tileBytes) <= 1.3 * capacity + house.plan.tileBytes)
                house.now += 0.016
            }
        }
    }

    @Test func `a stop sends the tiles of where it stopped at once`() {
        var house = house()
        house.show(1_000, 40, velocity: 500)
        _ = house.drain()
        house.now += 0.016
        house.show(1_008, 40)
        let sent = house.drain().prefix(while: { _ in true })
        #expect(sent.allSatisfy { (1_008..<1_048).contains($0.slot) })
        #expect(sent.contains { $0.rendition == .tile })
        let previews = sent.prefix { $0.rendition == .preview }.count
        #expect(sent.dropFirst(previews).allSatisfy { $0.rendition == .tile })
    }

    @Test func `where the scrolling will end is sent while it slows, after what is passing`() {
        var house = house()
        house.show(1_000, 40, velocity: 900, landing: 1_300)
        var sent = house.drain()
        for _ in 0..<30 {
            house.now += 0.05
            house.acknowledgeAll()
            house.show(1_000, 40, velocity: 900, landing: 1_300)
            sent += house.drain()
        }
        let tiles = sent.filter { $0.rendition == .tile }
        #expect(!tiles.isEmpty && tiles.allSatisfy { (1_300..<1_340).contains($0.slot) })
        let firstTile = sent.firstIndex { $0.rendition == .tile } ?? 0
        #expect(sent[..<firstTile].contains { $0.slot < 1_300 })
    }

    @Test func `tiles of a motion that ends somewhere else take at most half of what the link holds`() {
        var house = house()
        house.show(1_000, 40, velocity: 25, landing: 1_200)
        _ = house.drain()
        #expect(house.plan.flights.tileBytes <= 75_000 && house.plan.flights.tileBytes > 45_000)
        house.show(1_000, 40)
        _ = house.drain()
        #expect(house.plan.flights.tileBytes > 200_000)
    }

    @Test func `at rest nothing that lies ahead goes out before what is on screen has come and been painted`() {
        var house = house()
        house.show(1_000, 10)
        let first = house.drain()
        #expect(!first.isEmpty && first.allSatisfy { (1_000..<1_010).contains($0.slot) })
        house.now += 0.1
        house.acknowledgeAll()
        house.now += 0.2
        #expect(house.drain().isEmpty)
        house.now += 0.06
        let ahead = house.drain()
        #expect(!ahead.isEmpty && ahead.allSatisfy { !(1_000..<1_010).contains($0.slot) })
    }

    @Test func `at rest over a thin link what comes next follows at once and fills it, and what was passed does not`()
        throws
    {
        var house = house(rate: 200_000, roundTrip: 0.4)
        house.show(1_000, 10)
        _ = house.drain()
        for _ in 0..<20 {
            house.now += 0.4
            house.acknowledgeAll()
            let sent = house.drain()
            let capacity = try #require(house.plan.link.capacity)
            let passed = sent.filter { $0.slot < 1_000 }.reduce(0) { $0 + $1.bytes }
            #expect(passed <= Int(house.plan.tileBytes) + 32_768)
            #expect(Double(house.plan.flights.bytes(outside: 1_000..<1_010)) <= capacity + house.plan.tileBytes)
        }
        #expect((1_010..<1_020).allSatisfy { house.plan.showings[$0]?.isSettled == true })
        house.show(1_500, 10)
        #expect(house.drain().contains { $0.slot >= 1_510 }, "nothing waits for what is under way")
    }

    @Test func `for a page that paints late what goes out lies further ahead`() {
        func window(lag: Double?) -> ServiceWindow {
            let viewport = Viewport(first: 1_000, count: 40, direction: 1, velocity: 500, lag: lag)
            return ServiceWindow(
                motion: Motion(viewport: viewport, moment: 0), arrival: 0.06, now: 0.03, loading: 0, total: 100_000,
                direction: 1)
        }
        #expect(window(lag: 0.01) == window(lag: nil))
        #expect(window(lag: 0.1).previews.lowerBound == window(lag: nil).previews.lowerBound + 30)
    }

    @Test func `a page that falls silent in motion is taken to rest where it was`() {
        var house = house()
        house.show(1_000, 40, velocity: 500)
        _ = house.drain()
        for _ in 0..<110 {
            house.now += 0.016
            house.acknowledgeAll()
            for sent in house.drain() { #expect(sent.slot < 1_000 + 500 + 100) }
        }
        #expect((1_000..<1_040).allSatisfy { house.plan.showings[$0]?.isSettled == true })
        #expect(house.isResting)
    }

    @Test func `the link is not left idle for want of acknowledgements, nor flooded`() {
        var house = house()
        house.show(1_000, 500)
        _ = house.drain()
        let most = 1.5 * 2_500_000 * 0.06 + 32_768
        #expect(Double(house.plan.link.inFlight) >= most * 0.9)
        #expect(Double(house.plan.link.inFlight) <= most * 1.1 + 20_000)
        var mute = PlanHouse()
        mute.show(1_000, 500)
        #expect(mute.drain().filter { (1_000..<1_500).contains($0.slot) }.count == 1_000)
    }
}
