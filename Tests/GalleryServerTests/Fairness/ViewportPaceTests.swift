import Addresses
import Clients
import Testing

@testable import GalleryServer

/// A client's streams, however many, take up so many viewports a second beside others, and as many as they like alone.
@Suite struct ViewportPaceTests {
    private let busy = Client(.v4(0xC000_0201))
    private let calm = Client(.v4(0xC000_0202))

    /// Viewports that a client gets in ten seconds when it asks for a thousand a second, each when its turn comes.
    private func taken(besideAnother: Bool) -> Int {
        var shares = ViewportShares()
        var taken = 0
        for step in 0..<10_000 {
            let now = Double(step) / 1000
            if besideAnother, step % 500 == 0 { shares.note(calm, now: now) }
            if now + shares.take(of: busy, now: now) < 10 { taken += 1 }
        }
        return taken
    }

    @Test func `beside another they come at the rate, and alone as they are`() {
        #expect(taken(besideAnother: false) == 10_000)
        let most = ViewportShares.burst + 10 * ViewportShares.rate
        #expect((Int(0.9 * most)...Int(most) + 1).contains(taken(besideAnother: true)))
    }

    @Test func `a page that flings does not wait, whoever else is there`() {
        var shares = ViewportShares()
        for step in 0..<114 {
            let now = Double(step) / 60
            shares.note(calm, now: now)
            #expect(shares.take(of: busy, now: now) == 0)
        }
    }

    @Test func `turns come one after the other, and not all at once`() {
        var shares = ViewportShares()
        shares.note(calm, now: 0)
        let waits = (0..<260).map { _ in shares.take(of: busy, now: 0) }
        let late = waits.drop { $0 == 0 }
        #expect(waits.count - late.count == Int(ViewportShares.burst))
        #expect(zip(late, late.dropFirst()).allSatisfy { $1 - $0 > 0.9 / ViewportShares.rate })
    }

    @Test func `a turn that nobody waits for any more is not owed`() {
        var shares = ViewportShares()
        for step in 0..<2_000 {
            let now = Double(step) / 1000
            shares.note(calm, now: now)
            // A page that comes, looks and goes.
            if shares.take(of: busy, now: now) > 0 { shares.giveBack(of: busy, now: now) }
        }
        #expect(shares.take(of: busy, now: 2) < 2 / ViewportShares.rate)
    }

    @Test func `clients that owe nothing are forgotten`() {
        var shares = ViewportShares()
        for number in 0..<100_000 as Range<UInt32> {
            _ = shares.take(of: Client(.v4(number)), now: Double(number))
        }
        #expect(shares.clientCount < 2_000)
    }
}
