import Images
import Loading
import Testing

@testable import GalleryServer

/// Pictures displayed one at a time: each as sharp as the window allows, with its neighbours prefetched, and no waiting
/// for the rest of a large picture that has left the screen.
@Suite struct OneByOnePromiseTests {
    private let large = 300_000

    private func viewport(_ slot: Int, direction: Int = 1, takesParts: Bool = true) -> Viewport {
        var viewport = Viewport(first: slot, count: 1)
        (viewport.pixels, viewport.height, viewport.side) = (2_400, 1_600, .box)
        (viewport.ahead, viewport.behind, viewport.direction) = (2, 1, direction)
        viewport.takesParts = takesParts
        return viewport
    }

    private func fixture(rate: Double) -> PlanFixture {
        var fixture = PlanFixture.on(rate: rate)
        fixture.fineBytes = large
        return fixture
    }

    /// The renditions sent while the client acknowledges everything at once.
    private func flow(
        _ fixture: inout PlanFixture, until isEnough: (PlanFixture.Sent) -> Bool = { _ in false }
    ) -> [PlanFixture.Sent] {
        var all: [PlanFixture.Sent] = []
        while all.count < 2_000 {
            guard let sent = fixture.next() else {
                guard fixture.plan.link.inFlight > 0 else { break }
                fixture.now += 0.01
                fixture.acknowledgeAll()
                continue
            }
            all.append(sent)
            if isEnough(sent) { break }
        }
        return all
    }

    @Test(arguments: [1, -1])
    func `the picture is sent whole, then its neighbours ahead and behind, and no others`(direction: Int) {
        var fixture = fixture(rate: 1e8)
        fixture.show(viewport(100, direction: direction))
        let sent = flow(&fixture).filter { $0.rendition == .step2560 }
        var slots: [Int] = []
        for each in sent where slots.last != each.slot { slots.append(each.slot) }
        #expect(slots == [100, 100 + direction, 100 + 2 * direction, 100 - direction])
        for slot in slots {
            let parts = sent.filter { $0.slot == slot }.map(\.part)
            #expect(parts.first?.lowerBound == 0 && parts.last?.upperBound == large)
            #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        }
    }

    @Test func `parts are small, and only the last one is marked as last and ends the token`() {
        var fixture = fixture(rate: 1e8)
        fixture.show(viewport(100))
        let sent = flow(&fixture).filter { $0.slot == 100 && $0.rendition == .step2560 }
        #expect(sent.count >= 15 && sent.allSatisfy { $0.part.count <= 24 << 10 })
        #expect(sent.dropLast().allSatisfy { $0.isPart && !$0.endsToken })
        #expect(sent.last.map { !$0.isPart && $0.endsToken } == true)
    }

    @Test func `the next picture waits for at most one part of the previous one`() {
        var fixture = fixture(rate: 1e8)
        fixture.show(viewport(100))
        let begun = flow(&fixture) { $0.slot == 100 && $0.rendition == .step2560 }
        #expect(begun.last?.isPart == true)
        fixture.show(viewport(500))
        #expect(fixture.cancelled.contains { $0 == begun.last?.token })
        fixture.acknowledgeAll()
        let next = flow(&fixture)
        #expect(!next.isEmpty && next.allSatisfy { $0.slot != 100 })
    }

    @Test func `a partly sent picture that becomes a neighbour is continued, not started again`() throws {
        var fixture = fixture(rate: 1e8)
        fixture.show(viewport(100))
        let begun = try #require(flow(&fixture) { $0.slot == 100 && $0.rendition == .step2560 }.last)
        fixture.show(viewport(101))
        let rest = flow(&fixture).filter { $0.slot == 100 && $0.rendition == .step2560 }
        #expect(rest.first?.part.lowerBound == begun.part.upperBound && rest.last?.part.upperBound == large)
    }

    @Test func `the visible picture does not wait for the rest of a neighbour`() throws {
        var fixture = fixture(rate: 1e8)
        fixture.fineBytes = 500_000
        fixture.show(viewport(100))
        let begun = flow(&fixture) { $0.slot == 101 && $0.rendition == .step2560 }
        #expect(begun.last?.isPart == true)
        fixture.show(viewport(102))
        let sent = flow(&fixture).filter { $0.rendition == .step2560 }
        let first = try #require(sent.firstIndex { $0.slot == 102 })
        let rest = try #require(sent.firstIndex { $0.slot == 101 && !$0.isPart })
        #expect(first < rest && sent.prefix(first).count { $0.slot == 101 } <= 1)
    }

    @Test func `a client that does not support parts gets whole pictures`() {
        var fixture = fixture(rate: 1e8)
        fixture.show(viewport(100, takesParts: false))
        let sent = flow(&fixture).filter { $0.rendition == .step2560 }
        #expect(sent.count == 4 && sent.allSatisfy { !$0.isPart && $0.part == 0..<large })
    }

    @Test func `on a slow link a tile is sent before the sharp rendition`() {
        var fixture = fixture(rate: 100_000)
        fixture.show(viewport(100))
        let sent = flow(&fixture) { $0.rendition == .step2560 }.filter { $0.slot == 100 }
        #expect(sent.map(\.rendition) == [.tile, .step2560])
    }
}
