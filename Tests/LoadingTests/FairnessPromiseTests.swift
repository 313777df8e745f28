import Images
import Locking
import Renditions
import Scheduling
import Testing

@testable import Loading

/// No session starves another: renders rotate among the sessions, however much each requests.
@Suite(.timeLimit(.minutes(1))) struct FairnessPromiseTests {
    /// The session of each render: the first byte of an image is the number of its session.
    private func sessions(_ fixture: LoaderFixture) -> [UInt8] {
        fixture.renderer.renders.all.compactMap(\.content.first)
    }

    private func image(_ session: UInt8, _ number: Int, _ fixture: LoaderFixture) -> GalleryImage {
        let id = UInt64(session) << 32 + UInt64(number)
        fixture.write([session, UInt8(truncatingIfNeeded: number)], to: id)
        return fixture.local(id)
    }

    @Test func `renders rotate among ten sessions, and the newest one is not favoured`() async throws {
        let fixture = try LoaderFixture(permits: 1)
        fixture.renderer.isHeld = true
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(image(99, 0, fixture), .screen, into: results)
        _ = await fixture.renderer.renders.element(0)
        for session in 1...10 as ClosedRange<UInt8> {
            for slot in 0..<10 {
                let priority = Priority.visible(UInt64(session), UInt32(slot), for: Int(session))
                fixture.load(image(session, slot, fixture), .screen, .webp, priority, into: results)
            }
        }
        await fixture.reached { $0.rendersBegun == 101 }
        fixture.renderer.isHeld = false
        _ = await results.first(101)
        let order = sessions(fixture).dropFirst()
        for round in 0..<10 { #expect(Set(order.dropFirst(10 * round).prefix(10)).count == 10) }
        let slots = fixture.renderer.renders.all.filter { $0.content[0] == 5 }.map { $0.content[1] }
        #expect(slots == Array(0..<10), "each session's centre first")
        await fixture.close()
    }

    @Test func `a session that flings without pause leaves a resting one its share of the renders`() async throws {
        let fixture = try LoaderFixture(permits: 1)
        fixture.renderer.isHeld = true
        let flinger = Flinger(loader: fixture.loader) { image(2, $0, fixture) }
        flinger.fling()
        _ = await fixture.renderer.renders.element(0)
        let rested = Recorder<LoaderFixture.Outcome>()
        for slot in 0..<40 {
            fixture.load(image(1, slot, fixture), .screen, .webp, .visible(1, UInt32(slot), for: 1), into: rested)
        }
        await fixture.reached { $0.rendersBegun >= 41 }
        fixture.renderer.isHeld = false
        _ = await rested.first(40)
        flinger.stop()
        let order = sessions(fixture)
        let last = try #require(order.lastIndex(of: 1))
        #expect(order[...last].count { $0 == 2 } <= 41, "both alternate, after the render that was already running")
        await fixture.close()
    }

    @Test func `a fetch has the priority of its most urgent waiter, and of the next when that one leaves`()
        async throws
    {
        let fixture = try LoaderFixture()
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .screen, .webp, .visible(1, 5, for: 1), into: results)
        let fetch = await fixture.origins.fetches.element(0)
        #expect(fetch.priority == .visible(1, 5, for: 1))
        let newer = fixture.load(fixture.remote(1), .screen, .webp, .visible(2, 9, for: 2), into: results)
        #expect(await fetch.steering.element(0) == .reprioritise(.visible(2, 9, for: 2)))
        newer.cancel()
        #expect(await fetch.steering.element(1) == .reprioritise(.visible(1, 5, for: 1)))
        await fixture.close()
    }
}

/// A session that starts a new viewport after every result and cancels all requests of the previous one.
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
            return loader.begin(request, priority: .visible(viewport, UInt32(slot), for: 2)) { [weak self] _ in
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
