import Addresses
import Clients
import Testing

@testable import GalleryServer

/// While others are active, a client's streams share a limited number of viewports per second; a client that is alone
/// has no limit.
@Suite struct ViewportRateLimiterTests {
    private let busy = Client(.v4(0xC000_0201))
    private let calm = Client(.v4(0xC000_0202))

    /// The viewports handled for a client in ten seconds if it sends a thousand per second and waits as told.
    private func taken(besideAnother: Bool) -> Int {
        var shares = ViewportRates()
        var taken = 0
        for step in 0..<10_000 {
            let now = Double(step) / 1000
            if besideAnother, step % 500 == 0 { shares.note(calm, now: now) }
            if now + shares.take(of: busy, now: now) < 10 { taken += 1 }
        }
        return taken
    }

    @Test func `viewports are limited beside another active client, and unlimited alone`() {
        #expect(taken(besideAnother: false) == 10_000)
        let most = ViewportRates.burst + 10 * ViewportRates.rate
        #expect((Int(0.9 * most)...Int(most) + 1).contains(taken(besideAnother: true)))
    }

    @Test func `a page that flings is not delayed, even beside another client`() {
        var shares = ViewportRates()
        for step in 0..<114 {
            let now = Double(step) / 60
            shares.note(calm, now: now)
            #expect(shares.take(of: busy, now: now) == 0)
        }
    }

    @Test func `delayed viewports are spaced out and not handled all at once`() {
        var shares = ViewportRates()
        shares.note(calm, now: 0)
        let waits = (0..<260).map { _ in shares.take(of: busy, now: 0) }
        let late = waits.drop { $0 == 0 }
        #expect(waits.count - late.count == Int(ViewportRates.burst))
        #expect(zip(late, late.dropFirst()).allSatisfy { $1 - $0 > 0.9 / ViewportRates.rate })
    }

    @Test func `a turn that was given back does not count`() {
        var shares = ViewportRates()
        for step in 0..<2_000 {
            let now = Double(step) / 1000
            shares.note(calm, now: now)
            // A page that opens, sends a viewport and closes.
            if shares.take(of: busy, now: now) > 0 { shares.giveBack(of: busy, now: now) }
        }
        #expect(shares.take(of: busy, now: 2) < 2 / ViewportRates.rate)
    }

    @Test func `idle clients are forgotten`() {
        var shares = ViewportRates()
        for number in 0..<100_000 as Range<UInt32> {
            _ = shares.take(of: Client(.v4(number)), now: Double(number))
        }
        #expect(shares.clientCount < 2_000)
    }
}
