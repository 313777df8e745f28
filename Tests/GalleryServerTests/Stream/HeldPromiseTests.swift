import Images
import Testing

@testable import GalleryServer

/// What the client holds already is not sent again.
@Suite struct HeldPromiseTests {
    @Test func `what the client says that it holds is not sent, and it is told of the slot without a token`() {
        var house = PlanHouse()
        house.hold((0..<10).map { PlanHouse.held($0, .tile) } + (10..<20).map { PlanHouse.held($0, .preview) })
        house.show(0, 30)
        let sent = house.drain().filter { $0.slot < 30 }
        #expect(sent.allSatisfy { $0.slot >= 10 })
        #expect(!sent.contains { $0.slot < 20 && $0.rendition == .preview })
        #expect(sent.filter { $0.rendition == .tile }.count == 20)
        #expect(house.told.filter { $0.slot < 10 }.allSatisfy { $0.token == nil })
        #expect(house.told.filter { $0.slot < 10 }.count == 10)
    }

    @Test func `a seen viewport costs nothing when it is seen again`() {
        var house = PlanHouse()
        house.show(0, 30)
        _ = house.drain()
        house.show(5_000, 30)
        _ = house.drain()
        let looked = house.looked.count
        house.show(0, 30)
        #expect(house.drain().isEmpty && house.looked.count == looked)
        #expect(house.told.filter { $0.slot < 30 }.suffix(30).allSatisfy { $0.token == nil })
    }

    @Test func `who rests is told of what is held about the screen, after what is on it`() {
        var house = PlanHouse()
        house.hold((30..<60).map { PlanHouse.held($0, [.preview, .tile]) })
        house.show(0, 30)
        let sent = house.drain()
        #expect(house.told.map(\.slot) == Array(0..<60))
        #expect(house.told.suffix(30).allSatisfy { $0.token == nil })
        #expect(Set(sent.map(\.slot)) == Set(0..<30))
    }

    @Test func `what holds another version is sent`() {
        var house = PlanHouse()
        house.hold([PlanHouse.held(0, [.preview, .tile], version: 44)])
        house.show(0, 1)
        #expect(house.drain().filter { $0.slot == 0 }.map(\.rendition) == [.preview, .tile])
    }

    @Test func `what was let go of is sent again`() {
        var house = PlanHouse()
        house.show(0, 10)
        _ = house.drain()
        house.plan.forget([PlanHouse.held(4, [.preview, .tile]), PlanHouse.held(5, .preview)])
        #expect(house.drain().map(\.slot) == [4, 4])
    }

    @Test func `what the client says after it was promised is left out, and the token ends`() {
        var house = PlanHouse()
        house.show(0, 5)
        _ = house.next()
        let tokens = (0..<5).map { house.plan.showings[$0]?.token }
        house.hold([PlanHouse.held(0, .tile), PlanHouse.held(4, .preview)])
        #expect(house.cancelled == [tokens[0]])
        let sent = house.drain().filter { $0.slot < 5 }
        #expect(!sent.contains { $0.slot == 0 } && !sent.contains { $0.slot == 4 && $0.rendition == .preview })
    }

    @Test func `what was never fetched is remembered by the version that it came with`() {
        var house = PlanHouse()
        house.adopt(revision: 1, total: 1)
        house.show(0, 1)
        house.know([PlanHouse.image(0, version: nil)])
        #expect(house.drain().count == 2)
        #expect(house.told.first?.version == nil)
        house.adopt(revision: 1, total: 1)
        house.show(0, 1)
        house.know([PlanHouse.image(0, version: 1)])
        #expect(house.drain().isEmpty && house.cancelled.isEmpty)
    }

    @Test func `a preview is of no use once its tile was sent`() {
        var house = PlanHouse()
        house.isSlow = true
        house.show(0, 1)
        _ = house.drain()
        house.plan.abandon(Piece(slot: 0, rendition: .preview))
        house.deliver([Piece(slot: 0, rendition: .tile)])
        #expect(house.plan.showings[0]?.tile == .atHand)
        let sent = house.next()
        #expect(sent?.rendition == .tile && sent?.endsToken == true)
        #expect(house.drain().filter { $0.slot == 0 }.isEmpty)
    }

    @Test func `the list of what is held has an end, and what was said least recently goes`() {
        var held = HeldRenditions(limit: 1_000)
        let version = ContentVersion(rawValue: 1)
        for number in 0..<50_000 {
            held.insert(.tile, of: ImageID(rawValue: UInt64(number)), version)
            #expect(held.count <= 1_000)
        }
        #expect(held.renditions(of: ImageID(rawValue: 49_999), version) == .tile)
        #expect(held.renditions(of: ImageID(rawValue: 49_600), version) == .tile)
        #expect(held.renditions(of: ImageID(rawValue: 48_000), version) == [])
        held.insert(.preview, of: ImageID(rawValue: 49_999), version)
        held.remove(.tile, of: ImageID(rawValue: 49_999), version)
        #expect(held.renditions(of: ImageID(rawValue: 49_999), version) == .preview)
        #expect(held.renditions(of: ImageID(rawValue: 49_999), nil) == [])
    }
}
