import Images
import Loading
import Testing

@testable import GalleryServer

/// Pictures that are looked at one by one: each as sharp as the window, its neighbours made ready, and nobody waits for the
/// rest of a large one that has left the screen.
@Suite struct OneByOnePromiseTests {
    private let large = 300_000

    private func viewport(_ slot: Int, direction: Int = 1, takesParts: Bool = true) -> Viewport {
        var viewport = Viewport(first: slot, count: 1)
        (viewport.pixels, viewport.height, viewport.side) = (2_400, 1_600, .box)
        (viewport.ahead, viewport.behind, viewport.direction) = (2, 1, direction)
        viewport.takesParts = takesParts
        return viewport
    }

    private func house(rate: Double) -> PlanHouse {
        var house = PlanHouse.on(rate: rate)
        house.fineBytes = large
        return house
    }

    /// What goes out while the client takes everything at once.
    private func flow(
        _ house: inout PlanHouse, until isEnough: (PlanHouse.Sent) -> Bool = { _ in false }
    ) -> [PlanHouse.Sent] {
        var all: [PlanHouse.Sent] = []
        while all.count < 2_000 {
            guard let sent = house.next() else {
                guard house.plan.link.inFlight > 0 else { break }
                house.now += 0.01
                house.acknowledgeAll()
                continue
            }
            all.append(sent)
            if isEnough(sent) { break }
        }
        return all
    }

    @Test(arguments: [1, -1])
    func `the picture comes whole, then its neighbours in the direction of travel, and no others`(
        direction: Int
    ) {
        var house = house(rate: 1e8)
        house.show(viewport(100, direction: direction))
        let sent = flow(&house).filter { $0.rendition == .step2560 }
        var slots: [Int] = []
        for each in sent where slots.last != each.slot { slots.append(each.slot) }
        #expect(slots == [100, 100 + direction, 100 + 2 * direction, 100 - direction])
        for slot in slots {
            let parts = sent.filter { $0.slot == slot }.map(\.part)
            #expect(parts.first?.lowerBound == 0 && parts.last?.upperBound == large)
            #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        }
    }

    @Test func `a part is small, the last one says that it is the last, and it alone ends the token`() {
        var house = house(rate: 1e8)
        house.show(viewport(100))
        let sent = flow(&house).filter { $0.slot == 100 && $0.rendition == .step2560 }
        #expect(sent.count >= 15 && sent.allSatisfy { $0.part.count <= 24 << 10 })
        #expect(sent.dropLast().allSatisfy { $0.isPart && !$0.endsToken })
        #expect(sent.last.map { !$0.isPart && $0.endsToken } == true)
    }

    @Test func `whoever goes on waits for no more than a part of what they left`() {
        var house = house(rate: 1e8)
        house.show(viewport(100))
        let begun = flow(&house) { $0.slot == 100 && $0.rendition == .step2560 }
        #expect(begun.last?.isPart == true)
        house.show(viewport(500))
        #expect(house.cancelled.contains { $0 == begun.last?.token })
        house.acknowledgeAll()
        let next = flow(&house)
        #expect(!next.isEmpty && next.allSatisfy { $0.slot != 100 })
    }

    @Test func `who steps on and back gets the rest of what came in part, and not its beginning again`() throws {
        var house = house(rate: 1e8)
        house.show(viewport(100))
        let begun = try #require(flow(&house) { $0.slot == 100 && $0.rendition == .step2560 }.last)
        house.show(viewport(101))
        let rest = flow(&house).filter { $0.slot == 100 && $0.rendition == .step2560 }
        #expect(rest.first?.part.lowerBound == begun.part.upperBound && rest.last?.part.upperBound == large)
    }

    @Test func `what is looked at does not wait for the rest of a neighbour`() throws {
        var house = house(rate: 1e8)
        house.fineBytes = 500_000
        house.show(viewport(100))
        let begun = flow(&house) { $0.slot == 101 && $0.rendition == .step2560 }
        #expect(begun.last?.isPart == true)
        house.show(viewport(102))
        let sent = flow(&house).filter { $0.rendition == .step2560 }
        let first = try #require(sent.firstIndex { $0.slot == 102 })
        let rest = try #require(sent.firstIndex { $0.slot == 101 && !$0.isPart })
        #expect(first < rest && sent.prefix(first).count { $0.slot == 101 } <= 1)
    }

    @Test func `a client that does not put parts together gets wholes`() {
        var house = house(rate: 1e8)
        house.show(viewport(100, takesParts: false))
        let sent = flow(&house).filter { $0.rendition == .step2560 }
        #expect(sent.count == 4 && sent.allSatisfy { !$0.isPart && $0.part == 0..<large })
    }

    @Test func `on a slow link a tile comes before what is sharp`() {
        var house = house(rate: 100_000)
        house.show(viewport(100))
        let sent = flow(&house) { $0.rendition == .step2560 }.filter { $0.slot == 100 }
        #expect(sent.map(\.rendition) == [.tile, .step2560])
    }
}
