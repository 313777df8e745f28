import Images
import Locking
import Renditions
import Scheduling
import Testing

@testable import Loading

/// No session starves another: what is rendered goes round the sessions, whatever each of them asks for.
@Suite(.timeLimit(.minutes(1))) struct FairnessPromiseTests {
    /// Whose picture each render was of: the pictures of a session begin with its number.
    private func sessions(_ house: TestHouse) -> [UInt8] { house.renderer.renders.all.compactMap(\.content.first) }

    private func image(_ session: UInt8, _ number: Int, _ house: TestHouse) -> GalleryImage {
        let id = UInt64(session) << 32 + UInt64(number)
        house.write([session, UInt8(truncatingIfNeeded: number)], to: id)
        return house.local(id)
    }

    @Test func `ten sessions with ten pictures each are rendered in turn, the newest not before the oldest`()
        async throws
    {
        let house = try TestHouse(places: 1)
        house.renderer.isHeld = true
        let results = Recorder<TestHouse.Outcome>()
        house.load(image(99, 0, house), .screen, into: results)
        _ = await house.renderer.renders.element(0)
        for session in 1...10 as ClosedRange<UInt8> {
            for slot in 0..<10 {
                let priority = Priority.visible(UInt64(session), UInt32(slot), for: Int(session))
                house.load(image(session, slot, house), .screen, .webp, priority, into: results)
            }
        }
        await house.reached { $0.rendersBegun == 101 }
        house.renderer.isHeld = false
        _ = await results.first(101)
        let order = sessions(house).dropFirst()
        for round in 0..<10 { #expect(Set(order.dropFirst(10 * round).prefix(10)).count == 10) }
        let slots = house.renderer.renders.all.filter { $0.content[0] == 5 }.map { $0.content[1] }
        #expect(slots == Array(0..<10), "each session's centre first")
        await house.close()
    }

    @Test func `one that flings without pause leaves one that rests its share of every stage`() async throws {
        let house = try TestHouse(places: 1)
        house.renderer.isHeld = true
        let flinger = Flinger(loader: house.loader) { image(2, $0, house) }
        flinger.fling()
        _ = await house.renderer.renders.element(0)
        let rested = Recorder<TestHouse.Outcome>()
        for slot in 0..<40 {
            house.load(image(1, slot, house), .screen, .webp, .visible(1, UInt32(slot), for: 1), into: rested)
        }
        await house.reached { $0.rendersBegun >= 41 }
        house.renderer.isHeld = false
        _ = await rested.first(40)
        flinger.stop()
        let order = sessions(house)
        let last = try #require(order.lastIndex(of: 1))
        #expect(order[...last].count { $0 == 2 } <= 41, "one each in turn, and the one before")
        await house.close()
    }

    @Test func `what several want counts for the most urgent of them, and for the next when that one leaves`()
        async throws
    {
        let house = try TestHouse()
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .screen, .webp, .visible(1, 5, for: 1), into: results)
        let fetch = await house.origins.fetches.element(0)
        #expect(fetch.priority == .visible(1, 5, for: 1))
        let newer = house.load(house.remote(1), .screen, .webp, .visible(2, 9, for: 2), into: results)
        #expect(await fetch.steering.element(0) == .reprioritise(.visible(2, 9, for: 2)))
        newer.cancel()
        #expect(await fetch.steering.element(1) == .reprioritise(.visible(1, 5, for: 1)))
        await house.close()
    }
}

/// A session whose every answer brings a new viewport, in which nothing stays that was wanted before.
private final class Flinger: Sendable {
    private struct State {
        var viewport: UInt64 = 1
        var next = 0
        var handles: [any LoadHandle] = []
        var isStopped = false
    }

    private let loader: Loader
    private let image: @Sendable (Int) -> GalleryImage
    private let state = Guarded(State())

    init(loader: Loader, image: @escaping @Sendable (Int) -> GalleryImage) {
        self.loader = loader
        self.image = image
    }

    func fling() {
        let (viewport, first, left) = state.withLock { state -> (UInt64, Int, [any LoadHandle]) in
            guard !state.isStopped else { return (0, 0, []) }
            state.viewport += 1
            state.next += 8
            defer { state.handles = [] }
            return (state.viewport, state.next, state.handles)
        }
        guard viewport > 0 else { return }
        let handles = (0..<8).map { slot in
            let request = LoadRequest(image: image(first + slot), rendition: .screen, format: .webp)
            return loader.load(request, priority: .visible(viewport, UInt32(slot), for: 2)) { [weak self] _ in
                self?.fling()
            }
        }
        state.withLock { $0.handles += handles }
        for handle in left { handle.cancel() }
    }

    func stop() {
        let handles = state.withLock { state in
            state.isStopped = true
            return state.handles
        }
        for handle in handles { handle.cancel() }
    }
}
