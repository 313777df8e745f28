import Images
import Loading
import TestSupport
import Testing

@testable import GalleryServer

/// What goes first, while somebody looks and does not scroll.
@Suite(.unsanitized) struct OrderOfServiceTests {
    @Test func `at rest previews go first and then tiles, each from the centre, and then what lies ahead`() {
        var house = PlanHouse()
        house.show(100, 5)
        let sent = house.drain()
        #expect(sent.prefix(10).map(\.slot) == [102, 103, 101, 104, 100, 102, 103, 101, 104, 100])
        #expect(
            sent.prefix(10).map(\.rendition) == Array(repeating: .preview, count: 5) + Array(repeating: .tile, count: 5)
        )
        #expect(sent.dropFirst(10).map(\.slot) == [105, 106, 107, 108, 109, 99, 98, 105, 106, 107, 108, 109, 99, 98])
        #expect(
            sent.dropFirst(10).map(\.rendition) == Array(repeating: .preview, count: 7)
                + Array(repeating: .tile, count: 7))
        #expect(house.isResting && house.drain().isEmpty)
    }

    @Test func `what lies ahead is where the scrolling went last`() {
        var house = PlanHouse()
        house.show(1_000, 10, velocity: 2, direction: -1)
        house.show(1_000, 10)
        let ahead = house.drain().filter { !(1_000..<1_010).contains($0.slot) && $0.rendition == .preview }
        #expect(ahead.map(\.slot) == Array((990..<1_000).reversed()) + Array(1_010..<1_015))
    }

    @Test func `at the ends of the gallery there is nothing beyond`() {
        var house = PlanHouse(total: 12)
        house.show(8, 10)
        #expect(Set(house.drain().map(\.slot)) == Set(3..<12))
        house.show(400, 10)
        #expect(house.drain().isEmpty)
        var empty = PlanHouse(total: 0)
        empty.show(0, 10)
        #expect(empty.drain().isEmpty)
    }

    @Test func `while the catalog is read anew nothing is given up and nobody is told of nothing`() {
        var house = PlanHouse()
        house.isSlow = true
        house.show(100, 40)
        #expect(house.next() == nil)
        house.adopt(revision: 2, total: 100_000)
        house.show(110, 40)
        // Before the page of the new revision comes the plan waits: it neither looks for pictures that it does not know
        // nor tells of slots of which it has nothing to say.
        guard case .rest = house.plan.next(at: house.now) else {
            Issue.record("The plan goes on without knowing what stands in its slots.")
            return
        }
        #expect(house.plan.showings[120]?.isSettled == false)
        house.isSlow = false
        house.deliver(Array(house.plan.loads.keys))
        let tiles = house.drain().filter { $0.rendition == .tile }.map(\.slot)
        #expect(Set(tiles).isSuperset(of: 110..<150))
    }

    @Test func `in fast motion through what is not in memory few looks at the plan find that out`() {
        var house = PlanHouse()
        house.plan.loadTook(0.5)
        for _ in 0..<100 { house.plan.loadTook(0.5) }
        house.show(10_000, 500, velocity: 4_000)
        house.read()
        var recalls = 0
        while case .recall(let pieces) = house.plan.next(at: house.now) {
            for piece in pieces { house.plan.miss(piece) }
            recalls += 1
        }
        #expect((2...30).contains(recalls))
    }

    @Test func `however fast a client says that it scrolls, what is remembered of slots is bounded`() {
        var house = PlanHouse(total: 10_000_000)
        for _ in 0..<100 { house.plan.loadTook(0.5) }
        for step in 0..<20 {
            house.show(step * 1_000, 500, velocity: 1e7)
            _ = house.drain(limit: 20)
            house.acknowledgeAll()
            house.now += 0.01
        }
        #expect(house.plan.images.count < 8_000 && house.plan.showings.count < 8_000)
    }

    @Test func `a new viewport goes before all that was not sent`() {
        var house = PlanHouse()
        house.show(0, 40)
        for _ in 0..<45 { _ = house.next() }
        house.show(5_000, 40)
        let sent = house.drain().prefix(80)
        #expect(sent.count == 80 && sent.allSatisfy { (5_000..<5_040).contains($0.slot) })
        #expect(sent.prefix(40).allSatisfy { $0.rendition == .preview })
    }

    @Test func `nothing is sent for a slot that a viewport has left out, and its token is cancelled once`() {
        var house = PlanHouse()
        house.show(0, 40)
        for _ in 0..<45 { _ = house.next() }
        let live = house.plan.showings.values.compactMap(\.token)
        #expect(live.count == 40 - house.delivered.count)
        house.show(5_000, 40)
        #expect(Set(house.cancelled) == Set(live) && house.cancelled.count == live.count)
        let sent = house.drain()
        #expect(sent.count >= 80 && sent.allSatisfy { $0.slot > 4_000 })
        #expect(house.cancelled.count == live.count)
    }

    @Test func `each token ends once, with the message that says so`() {
        var house = PlanHouse()
        house.show(0, 30)
        let sent = house.drain()
        let ends = sent.filter(\.endsToken)
        #expect(ends.map(\.token) == house.delivered && Set(house.delivered).count == house.delivered.count)
        #expect(ends.count >= 30 && ends.allSatisfy { $0.rendition == .tile })
        #expect(Set(sent.map(\.token)) == Set(house.delivered))
        house.show(9_000, 30)
        #expect(house.cancelled.isEmpty)
    }

    @Test func `the client is told of a slot before it is sent anything for it`() {
        var house = PlanHouse()
        house.show(0, 30)
        while let sent = house.next() {
            let told = house.told.last { $0.slot == sent.slot }
            #expect(told?.token == sent.token && told?.image == PlanHouse.image(sent.slot).id)
        }
        #expect(house.told.prefix(30).map(\.slot) == Array(0..<30))
        #expect(Set(house.told.map(\.slot)).count == house.told.count)
    }

    @Test func `where a preview has as many pixels no tile is sent`() {
        var house = PlanHouse()
        var viewport = Viewport(first: 0, count: 10)
        viewport.pixels = 64
        house.show(viewport)
        let sent = house.drain()
        #expect(sent.count >= 10 && sent.allSatisfy { $0.rendition == .preview && $0.endsToken })
        viewport.pixels = 200
        house.show(viewport)
        #expect(house.drain().filter { $0.slot < 10 }.map(\.rendition) == Array(repeating: .tile, count: 10))
    }

    @Test func `what is still loading holds nothing else up`() {
        var house = PlanHouse()
        house.isSlow = true
        house.show(0, 40)
        #expect(house.next() == nil)
        #expect(house.looked.allSatisfy { !$0.isAhead && $0.piece.rendition == .preview })
        #expect(house.looked.map(\.piece.slot).sorted() == Array(12..<28))
        house.deliver([house.looked[9].piece])
        #expect(house.next()?.slot == house.looked[9].piece.slot)
        _ = house.next()
        #expect(house.looked.count == 17)
    }

    @Test func `what is ahead takes at most half of the places, and none from what is on screen`() {
        var house = PlanHouse()
        house.show(0, 20)
        for _ in 0..<40 { _ = house.next() }
        house.isSlow = true
        _ = house.drain()
        #expect(house.plan.loads.count == 8 && house.plan.loads.values.allSatisfy { $0 })
        house.show(20, 20)
        _ = house.drain()
        #expect(house.plan.loads.values.count { !$0 } == 16)
        #expect(house.plan.loads.values.count { $0 } <= 8)
    }

    @Test func `loads that a viewport leaves out are under way no more`() {
        var house = PlanHouse()
        house.isSlow = true
        for first in stride(from: 0, to: 20_000, by: 37) {
            house.show(first, 40)
            _ = house.next()
            #expect(house.plan.loads.count <= 24)
        }
        house.show(90_000, 40)
        #expect(house.plan.loads.isEmpty)
    }

    @Test func `a client that takes nothing costs no more than a bounded number of pictures`() {
        var house = PlanHouse()
        var viewport = Viewport(first: 0, count: 500)
        viewport.received = 0
        house.plan.acknowledge(0, at: house.now)
        house.show(viewport)
        _ = house.drain()
        #expect(house.plan.link.inFlight < 600 << 10)
        #expect(house.plan.waitingBytes <= 400 << 10 && house.plan.contents.count <= 48)
        for first in 1...200 {
            house.now += 0.01
            house.show(first * 450, 500)
            _ = house.drain()
            #expect(house.plan.waitingBytes <= 400 << 10 && house.plan.contents.count <= 48)
            #expect(house.plan.showings.count <= 900 && house.plan.images.count <= 6_000)
        }
    }

    @Test func `a failure is told once, ends the token, and is tried again when a person asks`() {
        var house = PlanHouse()
        house.isSlow = true
        house.show(0, 1)
        #expect(house.next() == nil)
        let piece = house.looked[0].piece
        house.plan.provide(piece, .problem(.init(status: 502, publicMessage: "No."), json: [1, 2, 3]))
        let sent = house.next()
        #expect(sent?.endsToken == true && sent?.rendition == .preview)
        #expect(house.next() == nil && house.plan.showings[0]?.isSettled == true)
        house.retry([0, 77])
        house.isSlow = false
        #expect(house.next()?.slot == 0)
        #expect(house.plan.showings[0]?.insists == true)
        #expect(house.told.map(\.slot).filter { $0 == 0 }.count == 2)
    }

    @Test func `a client that tries again by itself insists on nothing, and disturbs nothing`() {
        var house = PlanHouse()
        house.isSlow = true
        house.show(0, 2)
        #expect(house.next() == nil)
        let underWay = house.plan.showings[1]?.token
        let piece = Piece(slot: 0, rendition: .preview)
        house.plan.provide(piece, .problem(.init(status: 503, publicMessage: "No."), json: [1, 2, 3]))
        #expect(house.next()?.slot == 0)
        house.retry([0], insists: true)
        _ = house.next()
        house.plan.provide(piece, .problem(.init(status: 503, publicMessage: "No."), json: [1, 2, 3]))
        #expect(house.next()?.slot == 0)
        house.retry([0, 1], insists: false)
        #expect(house.plan.showings[0]?.insists == false && house.plan.showings[0]?.isSettled == false)
        #expect(underWay != nil && house.plan.showings[1]?.token == underWay, "that one has not failed")
        #expect(house.cancelled.isEmpty)
    }

    @Test func `a slot in which another image stands has another token`() {
        var house = PlanHouse()
        house.show(0, 10)
        _ = house.next()
        let token = house.plan.showings[3]?.token
        house.adopt(revision: 2, total: 100)
        let moved = PlanHouse.image(3)
        house.know(
            GalleryImage(
                id: ImageID(rawValue: 999), name: "new", location: moved.location, version: nil, facts: moved.facts),
            at: 3)
        #expect(house.cancelled == [token])
        house.know((0..<10).filter { $0 != 3 }.map { PlanHouse.image($0) })
        #expect(house.cancelled == [token])
        _ = house.drain()
        #expect(house.told.last { $0.slot == 3 }?.image == ImageID(rawValue: 999))
        house.adopt(revision: 3, total: 2)
        #expect(house.plan.showings.keys.sorted() == [0, 1])
    }

    @Test func `for the benchmark alone everything that was ever on screen is sent, oldest first`() {
        var house = PlanHouse(keepsCancelled: true)
        house.show(0, 10)
        house.show(1_000, 10)
        house.show(2_000, 10)
        let sent = house.drain()
        #expect(sent.count == 60 && house.cancelled.isEmpty)
        #expect(sent.map(\.slot) == sent.map(\.slot).sorted())
    }
}
