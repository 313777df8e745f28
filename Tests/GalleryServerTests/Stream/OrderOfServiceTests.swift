import Images
import Loading
import TestSupport
import Testing

@testable import GalleryServer

/// The order in which renditions are sent, above all at rest.
@Suite(.unsanitized) struct OrderOfServiceTests {
    @Test func `at rest previews are sent before tiles, each from the centre, and slots ahead last`() {
        var fixture = PlanFixture()
        fixture.show(100, 5)
        let sent = fixture.drain()
        #expect(sent.prefix(10).map(\.slot) == [102, 103, 101, 104, 100, 102, 103, 101, 104, 100])
        #expect(
            sent.prefix(10).map(\.rendition) == Array(repeating: .preview, count: 5) + Array(repeating: .tile, count: 5)
        )
        #expect(sent.dropFirst(10).map(\.slot) == [105, 106, 107, 108, 109, 99, 98, 105, 106, 107, 108, 109, 99, 98])
        #expect(
            sent.dropFirst(10).map(\.rendition) == Array(repeating: .preview, count: 7)
                + Array(repeating: .tile, count: 7))
        #expect(fixture.isResting && fixture.drain().isEmpty)
    }

    @Test func `the slots ahead lie in the direction of the last scroll`() {
        var fixture = PlanFixture()
        fixture.show(1_000, 10, velocity: 2, direction: -1)
        fixture.show(1_000, 10)
        let ahead = fixture.drain().filter { !(1_000..<1_010).contains($0.slot) && $0.rendition == .preview }
        #expect(ahead.map(\.slot) == Array((990..<1_000).reversed()) + Array(1_010..<1_015))
    }

    @Test func `nothing is sent beyond the ends of the gallery`() {
        var fixture = PlanFixture(total: 12)
        fixture.show(8, 10)
        #expect(Set(fixture.drain().map(\.slot)) == Set(3..<12))
        fixture.show(400, 10)
        #expect(fixture.drain().isEmpty)
        var empty = PlanFixture(total: 0)
        empty.show(0, 10)
        #expect(empty.drain().isEmpty)
    }

    @Test func `while a new revision is read nothing is given up and no unknown slot is assigned`() {
        var fixture = PlanFixture()
        fixture.isSlow = true
        fixture.show(100, 40)
        #expect(fixture.next() == nil)
        fixture.adopt(revision: 2, total: 100_000)
        fixture.show(110, 40)
        // The plan waits for the page of the new revision: until then it neither looks up unknown images nor assigns
        // slots about which it knows nothing.
        guard case .rest = fixture.plan.next(at: fixture.now) else {
            Issue.record("The plan continues without knowing the images in its slots.")
            return
        }
        #expect(fixture.plan.displays[120]?.isSettled == false)
        fixture.isSlow = false
        fixture.deliver(Array(fixture.plan.loads.keys))
        let tiles = fixture.drain().filter { $0.rendition == .tile }.map(\.slot)
        #expect(Set(tiles).isSuperset(of: 110..<150))
    }

    @Test func `while scrolling fast, memory misses are found in few batches`() {
        var fixture = PlanFixture()
        fixture.plan.loadTook(0.5)
        for _ in 0..<100 { fixture.plan.loadTook(0.5) }
        fixture.show(10_000, 500, velocity: 4_000)
        fixture.read()
        var recalls = 0
        while case .loadFromMemory(let pieces) = fixture.plan.next(at: fixture.now) {
            for piece in pieces { fixture.plan.miss(piece) }
            recalls += 1
        }
        #expect((2...30).contains(recalls))
    }

    @Test func `memory for slots is bounded, however fast a client claims to scroll`() {
        var fixture = PlanFixture(total: 10_000_000)
        for _ in 0..<100 { fixture.plan.loadTook(0.5) }
        for step in 0..<20 {
            fixture.show(step * 1_000, 500, velocity: 1e7)
            _ = fixture.drain(limit: 20)
            fixture.acknowledgeAll()
            fixture.now += 0.01
        }
        #expect(fixture.plan.images.count < 8_000 && fixture.plan.displays.count < 8_000)
    }

    @Test func `a new viewport goes before everything not yet sent`() {
        var fixture = PlanFixture()
        fixture.show(0, 40)
        for _ in 0..<45 { _ = fixture.next() }
        fixture.show(5_000, 40)
        let sent = fixture.drain().prefix(80)
        #expect(sent.count == 80 && sent.allSatisfy { (5_000..<5_040).contains($0.slot) })
        #expect(sent.prefix(40).allSatisfy { $0.rendition == .preview })
    }

    @Test func `nothing is sent for a slot that left the viewport, and its token is cancelled once`() {
        var fixture = PlanFixture()
        fixture.show(0, 40)
        for _ in 0..<45 { _ = fixture.next() }
        let live = fixture.plan.displays.values.compactMap(\.token)
        #expect(live.count == 40 - fixture.delivered.count)
        fixture.show(5_000, 40)
        #expect(Set(fixture.cancelled) == Set(live) && fixture.cancelled.count == live.count)
        let sent = fixture.drain()
        #expect(sent.count >= 80 && sent.allSatisfy { $0.slot > 4_000 })
        #expect(fixture.cancelled.count == live.count)
    }

    @Test func `each token ends once, with the message that is marked as its end`() {
        var fixture = PlanFixture()
        fixture.show(0, 30)
        let sent = fixture.drain()
        let ends = sent.filter(\.endsToken)
        #expect(ends.map(\.token) == fixture.delivered && Set(fixture.delivered).count == fixture.delivered.count)
        #expect(ends.count >= 30 && ends.allSatisfy { $0.rendition == .tile })
        #expect(Set(sent.map(\.token)) == Set(fixture.delivered))
        fixture.show(9_000, 30)
        #expect(fixture.cancelled.isEmpty)
    }

    @Test func `a slot is announced before anything is sent for it`() {
        var fixture = PlanFixture()
        fixture.show(0, 30)
        while let sent = fixture.next() {
            let told = fixture.told.last { $0.slot == sent.slot }
            #expect(told?.token == sent.token && told?.image == PlanFixture.image(sent.slot).id)
        }
        #expect(fixture.told.prefix(30).map(\.slot) == Array(0..<30))
        #expect(Set(fixture.told.map(\.slot)).count == fixture.told.count)
    }

    @Test func `no tile is sent if the preview has enough pixels`() {
        var fixture = PlanFixture()
        var viewport = Viewport(first: 0, count: 10)
        viewport.pixels = 64
        fixture.show(viewport)
        let sent = fixture.drain()
        #expect(sent.count >= 10 && sent.allSatisfy { $0.rendition == .preview && $0.endsToken })
        viewport.pixels = 200
        fixture.show(viewport)
        #expect(fixture.drain().filter { $0.slot < 10 }.map(\.rendition) == Array(repeating: .tile, count: 10))
    }

    @Test func `a pending load delays no other`() {
        var fixture = PlanFixture()
        fixture.isSlow = true
        fixture.show(0, 40)
        #expect(fixture.next() == nil)
        #expect(fixture.looked.allSatisfy { !$0.isAhead && $0.piece.rendition == .preview })
        #expect(fixture.looked.map(\.piece.slot).sorted() == Array(12..<28))
        fixture.deliver([fixture.looked[9].piece])
        #expect(fixture.next()?.slot == fixture.looked[9].piece.slot)
        _ = fixture.next()
        #expect(fixture.looked.count == 17)
    }

    @Test func `loads ahead use at most half of the limit and take nothing from visible slots`() {
        var fixture = PlanFixture()
        fixture.show(0, 20)
        for _ in 0..<40 { _ = fixture.next() }
        fixture.isSlow = true
        _ = fixture.drain()
        #expect(fixture.plan.loads.count == 8 && fixture.plan.loads.values.allSatisfy(\.isAhead))
        fixture.show(20, 20)
        _ = fixture.drain()
        #expect(fixture.plan.loads.values.count { !$0.isAhead } == 16)
        #expect(fixture.plan.loads.values.count(where: \.isAhead) <= 8)
    }

    @Test func `loads for slots that left the viewport are given up`() {
        var fixture = PlanFixture()
        fixture.isSlow = true
        for first in stride(from: 0, to: 20_000, by: 37) {
            fixture.show(first, 40)
            _ = fixture.next()
            #expect(fixture.plan.loads.count <= 24)
        }
        fixture.show(90_000, 40)
        #expect(fixture.plan.loads.isEmpty)
    }

    @Test func `a client that acknowledges nothing costs a bounded number of pictures`() {
        var fixture = PlanFixture()
        var viewport = Viewport(first: 0, count: 500)
        viewport.received = 0
        fixture.plan.acknowledge(0, at: fixture.now)
        fixture.show(viewport)
        _ = fixture.drain()
        #expect(fixture.plan.link.inFlight < 600 << 10)
        #expect(fixture.plan.waitingBytes <= 400 << 10 && fixture.plan.contents.count <= 48)
        for first in 1...200 {
            fixture.now += 0.01
            fixture.show(first * 450, 500)
            _ = fixture.drain()
            #expect(fixture.plan.waitingBytes <= 400 << 10 && fixture.plan.contents.count <= 48)
            #expect(fixture.plan.displays.count <= 900 && fixture.plan.images.count <= 6_000)
        }
    }

    @Test func `a failure is sent once, ends the token, and is retried on request`() {
        var fixture = PlanFixture()
        fixture.isSlow = true
        fixture.show(0, 1)
        #expect(fixture.next() == nil)
        let piece = fixture.looked[0].piece
        fixture.plan.provide(piece, .problem(.init(status: 502, publicMessage: "No."), json: [1, 2, 3]))
        let sent = fixture.next()
        #expect(sent?.endsToken == true && sent?.rendition == .preview)
        #expect(fixture.next() == nil && fixture.plan.displays[0]?.isSettled == true)
        fixture.retry([0, 77])
        fixture.isSlow = false
        #expect(fixture.next()?.slot == 0)
        #expect(fixture.plan.displays[0]?.bypassesNegativeCache == true)
        #expect(fixture.told.map(\.slot).filter { $0 == 0 }.count == 2)
    }

    @Test func `an automatic retry neither bypasses the negative cache nor disturbs other slots`() {
        var fixture = PlanFixture()
        fixture.isSlow = true
        fixture.show(0, 2)
        #expect(fixture.next() == nil)
        let underWay = fixture.plan.displays[1]?.token
        let piece = Piece(slot: 0, rendition: .preview)
        fixture.plan.provide(piece, .problem(.init(status: 503, publicMessage: "No."), json: [1, 2, 3]))
        #expect(fixture.next()?.slot == 0)
        fixture.retry([0], bypassesNegativeCache: true)
        _ = fixture.next()
        fixture.plan.provide(piece, .problem(.init(status: 503, publicMessage: "No."), json: [1, 2, 3]))
        #expect(fixture.next()?.slot == 0)
        fixture.retry([0, 1], bypassesNegativeCache: false)
        #expect(
            fixture.plan.displays[0]?.bypassesNegativeCache == false && fixture.plan.displays[0]?.isSettled == false)
        #expect(underWay != nil && fixture.plan.displays[1]?.token == underWay, "this slot has not failed")
        #expect(fixture.cancelled.isEmpty)
    }

    @Test func `a slot whose image changes gets another token`() {
        var fixture = PlanFixture()
        fixture.show(0, 10)
        _ = fixture.next()
        let token = fixture.plan.displays[3]?.token
        fixture.adopt(revision: 2, total: 100)
        let moved = PlanFixture.image(3)
        fixture.setImages(
            GalleryImage(
                id: ImageID(rawValue: 999), name: "new", location: moved.location, version: nil,
                metadata: moved.metadata),
            at: 3)
        #expect(fixture.cancelled == [token])
        fixture.setImages((0..<10).filter { $0 != 3 }.map { PlanFixture.image($0) })
        #expect(fixture.cancelled == [token])
        _ = fixture.drain()
        #expect(fixture.told.last { $0.slot == 3 }?.image == ImageID(rawValue: 999))
        fixture.adopt(revision: 3, total: 2)
        #expect(fixture.plan.displays.keys.sorted() == [0, 1])
    }
}
