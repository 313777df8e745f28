import Images
import Testing

@testable import GalleryServer

/// Renditions that the client already holds are not sent again.
@Suite struct HeldPromiseTests {
    @Test func `held renditions are not sent, and their slots are announced without a token`() {
        var fixture = PlanFixture()
        fixture.hold((0..<10).map { PlanFixture.held($0, .tile) } + (10..<20).map { PlanFixture.held($0, .preview) })
        fixture.show(0, 30)
        let sent = fixture.drain().filter { $0.slot < 30 }
        #expect(sent.allSatisfy { $0.slot >= 10 })
        #expect(!sent.contains { $0.slot < 20 && $0.rendition == .preview })
        #expect(sent.filter { $0.rendition == .tile }.count == 20)
        #expect(fixture.told.filter { $0.slot < 10 }.allSatisfy { $0.token == nil })
        #expect(fixture.told.filter { $0.slot < 10 }.count == 10)
    }

    @Test func `returning to a viewport that was already sent looks up and sends nothing`() {
        var fixture = PlanFixture()
        fixture.show(0, 30)
        _ = fixture.drain()
        fixture.show(5_000, 30)
        _ = fixture.drain()
        let looked = fixture.looked.count
        fixture.show(0, 30)
        #expect(fixture.drain().isEmpty && fixture.looked.count == looked)
        #expect(fixture.told.filter { $0.slot < 30 }.suffix(30).allSatisfy { $0.token == nil })
    }

    @Test func `at rest, held slots around the viewport are announced after the visible ones`() {
        var fixture = PlanFixture()
        fixture.hold((30..<60).map { PlanFixture.held($0, [.preview, .tile]) })
        fixture.show(0, 30)
        let sent = fixture.drain()
        #expect(fixture.told.map(\.slot) == Array(0..<60))
        #expect(fixture.told.suffix(30).allSatisfy { $0.token == nil })
        #expect(Set(sent.map(\.slot)) == Set(0..<30))
    }

    @Test func `an image held in another version is sent`() {
        var fixture = PlanFixture()
        fixture.hold([PlanFixture.held(0, [.preview, .tile], version: 44)])
        fixture.show(0, 1)
        #expect(fixture.drain().filter { $0.slot == 0 }.map(\.rendition) == [.preview, .tile])
    }

    @Test func `a rendition that the client has dropped is sent again`() {
        var fixture = PlanFixture()
        fixture.show(0, 10)
        _ = fixture.drain()
        fixture.plan.forget([PlanFixture.held(4, [.preview, .tile]), PlanFixture.held(5, .preview)])
        #expect(fixture.drain().map(\.slot) == [4, 4])
    }

    @Test func `a rendition reported as held after its announcement is left out, and its token ends`() {
        var fixture = PlanFixture()
        fixture.show(0, 5)
        _ = fixture.next()
        let tokens = (0..<5).map { fixture.plan.displays[$0]?.token }
        fixture.hold([PlanFixture.held(0, .tile), PlanFixture.held(4, .preview)])
        #expect(fixture.cancelled == [tokens[0]])
        let sent = fixture.drain().filter { $0.slot < 5 }
        #expect(!sent.contains { $0.slot == 0 } && !sent.contains { $0.slot == 4 && $0.rendition == .preview })
    }

    @Test func `an image without a known version is remembered by the version it was sent with`() {
        var fixture = PlanFixture()
        fixture.adopt(revision: 1, total: 1)
        fixture.show(0, 1)
        fixture.setImages([PlanFixture.image(0, version: nil)])
        #expect(fixture.drain().count == 2)
        #expect(fixture.told.first?.version == nil)
        fixture.adopt(revision: 1, total: 1)
        fixture.show(0, 1)
        fixture.setImages([PlanFixture.image(0, version: 1)])
        #expect(fixture.drain().isEmpty && fixture.cancelled.isEmpty)
    }

    @Test func `a preview is not sent after its tile`() {
        var fixture = PlanFixture()
        fixture.isSlow = true
        fixture.show(0, 1)
        _ = fixture.drain()
        fixture.plan.abandon(Piece(slot: 0, rendition: .preview))
        fixture.deliver([Piece(slot: 0, rendition: .tile)])
        #expect(fixture.plan.displays[0]?.tile == .atHand)
        let sent = fixture.next()
        #expect(sent?.rendition == .tile && sent?.endsToken == true)
        #expect(fixture.drain().filter { $0.slot == 0 }.isEmpty)
    }

    @Test func `the list of held renditions is limited, and the least recently reported go first`() {
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
