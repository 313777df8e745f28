import Addresses
import Clients
import Synchronization
import Testing

@testable import GalleryServer

@Suite(.timeLimit(.minutes(1))) struct StreamSessionCatalogTests {
    @Test func `a pending order is requested from the catalog once, and another view's order after it`() async throws {
        let fixture = try StreamFixture()
        fixture.catalog.holdOrders()
        await fixture.open()
        await fixture.say(#"{"type":"viewport","first":0,"count":10,"view":"sort=shuffle&seed=4"}"#)
        // As the timer does every second.
        for _ in 0..<5 { await fixture.onLoop { $0.session.checkCatalog() } }
        _ = await fixture.hear { _ in fixture.catalog.looks >= 1 }
        #expect(fixture.catalog.looks == 1)
        await fixture.say(#"{"type":"viewport","first":0,"count":10,"view":"sort=shuffle&seed=5"}"#)
        fixture.catalog.letGo()
        _ = await fixture.hear { _ in fixture.catalog.looks >= 2 }
        let received = await fixture.hear { $0.texts.contains { $0.contains("catalog") } }.texts
        #expect(received.contains(#"{"type":"catalog","view":"sort=shuffle&seed=5","revision":7,"total":5}"#))
        await fixture.onLoop { $0.session.checkCatalog() }
        _ = await fixture.hear { _ in fixture.catalog.looks >= 3 }
        #expect(fixture.catalog.looks == 3)
        await fixture.end()
    }

    @Test func `a view whose order exists takes no turn, so that an idle page slows down nobody`() async throws {
        let fixture = try StreamFixture()
        fixture.catalog.hasOrders.store(true, ordering: .relaxed)
        await fixture.open()
        let (held, hold) = AsyncStream.makeStream(of: Void.self)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let other = Task { [workQueue = fixture.workQueue] in
            try await workQueue.run(for: Client(.v4(0x7F00_0001))) {
                begin.finish()
                for await _ in held {}
            }
        }
        // Until the client's turn is taken.
        for await _ in begun {}
        await fixture.say(#"{"type":"viewport","first":0,"count":10,"view":"sort=shuffle&seed=4"}"#)
        let received = await fixture.hear { $0.texts.contains { $0.contains("catalog") } }.texts
        #expect(received.contains(#"{"type":"catalog","view":"sort=shuffle&seed=4","revision":7,"total":4}"#))
        hold.finish()
        try await other.value
        await fixture.end()
    }

    @Test func `views that are left before their turn are never requested from the catalog`() async throws {
        let fixture = try StreamFixture()
        fixture.catalog.holdOrders()
        await fixture.open()
        for seed in 1...20 {
            await fixture.say(#"{"type":"viewport","first":0,"count":10,"view":"sort=shuffle&seed=\#(seed)"}"#)
            if seed == 1 { _ = await fixture.hear { _ in fixture.catalog.looks == 1 } }
        }
        fixture.catalog.letGo()
        let received = await fixture.hear { $0.texts.contains { $0.contains("catalog") } }.texts
        #expect(received.contains(#"{"type":"catalog","view":"sort=shuffle&seed=20","revision":7,"total":20}"#))
        #expect(fixture.catalog.looks == 2)
        await fixture.end()
    }
}
