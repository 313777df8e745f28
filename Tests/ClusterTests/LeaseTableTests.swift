import Images
import Loading
import Renditions
import Scheduling
import Testing

@testable import Cluster

@Suite struct LeaseTableTests {
    private let tile = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .tile, format: .webp)
    private let preview = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .preview, format: .webp)

    @Test func `a granted lease ends with its request and leaves no state`() {
        var book = LeaseTable()
        #expect(
            book.ask(1, tile, .visible, bypassesNegativeCache: false) == [
                .ask(1, tile, .visible, bypassesNegativeCache: false)
            ])
        #expect(book.replied(1, .granted(fence: 7)) == [.notify(1, .granted(fence: 7))])
        #expect(book.leases.map(\.fence) == [7])
        #expect(book.end(1, .made) == [.end(1, tile, fence: 7, .made, isLast: true)])
        #expect(book.isEmpty)
    }

    @Test func `two renditions of one image share a lease, which ends with the last of them`() {
        var book = LeaseTable()
        for (id, name) in [(1 as UInt64, tile), (2, preview)] {
            _ = book.ask(id, name, .visible, bypassesNegativeCache: false)
            _ = book.replied(id, .granted(fence: 7))
        }
        #expect(book.end(1, .made) == [.end(1, tile, fence: 7, .made, isLast: false)])
        #expect(book.end(2, .made) == [.end(2, preview, fence: 7, .made, isLast: true)])
        #expect(book.isEmpty)
    }

    @Test func `a lease is not released while another request for it is pending`() {
        var book = LeaseTable()
        _ = book.ask(1, tile, .visible, bypassesNegativeCache: false)
        _ = book.replied(1, .granted(fence: 7))
        _ = book.ask(2, preview, .visible, bypassesNegativeCache: false)
        #expect(book.end(1, .made) == [.end(1, tile, fence: 7, .made, isLast: false)])
        #expect(
            book.replied(2, .nothing) == [
                .notify(2, .alone), .end(2, preview, fence: 7, .abandoned, isLast: true),
            ])
        #expect(book.isEmpty)
    }

    @Test func `a waiting request retries when the lease would expire`() {
        var book = LeaseTable()
        _ = book.ask(1, tile, .visible, bypassesNegativeCache: false)
        #expect(book.replied(1, .held(for: .milliseconds(900))) == [.wait(1, .milliseconds(920))])
        #expect(book.timerFired(1) == [.ask(1, tile, .visible, bypassesNegativeCache: false)])
    }

    @Test func `a message that arrives before the reply is not missed`() {
        var book = LeaseTable()
        _ = book.ask(1, tile, .visible, bypassesNegativeCache: false)
        #expect(book.received(.made(tile), node: "a").isEmpty)
        #expect(book.replied(1, .held(for: .seconds(1))) == [.ask(1, tile, .visible, bypassesNegativeCache: false)])
    }

    @Test func `a waiting request is notified only when its own rendition is made`() {
        var book = LeaseTable()
        _ = book.ask(1, tile, .visible, bypassesNegativeCache: false)
        _ = book.replied(1, .held(for: .seconds(1)))
        #expect(book.received(.made(preview), node: "a").isEmpty)
        #expect(book.received(.made(tile), node: "a") == [.notify(1, .made)])
        #expect(book.isEmpty)
    }

    @Test func `cancelling a waiting request withdraws it, even if its reply arrives later`() {
        var book = LeaseTable()
        _ = book.ask(1, tile, .visible, bypassesNegativeCache: false)
        _ = book.replied(1, .held(for: .seconds(1)))
        #expect(book.end(1, .abandoned) == [.withdraw(tile)])
        _ = book.ask(2, tile, .visible, bypassesNegativeCache: false)
        #expect(book.end(2, .abandoned).isEmpty)
        #expect(book.replied(2, .held(for: .seconds(1))) == [.withdraw(tile)])
        _ = book.ask(3, tile, .visible, bypassesNegativeCache: false)
        #expect(book.end(3, .abandoned).isEmpty)
        #expect(book.replied(3, .granted(fence: 9)) == [.end(3, tile, fence: 9, .abandoned, isLast: true)])
        #expect(book.isEmpty)
    }

    @Test func `a lease granted after the timeout is released at once`() {
        var book = LeaseTable()
        _ = book.ask(1, tile, .visible, bypassesNegativeCache: false)
        #expect(book.timedOut(1) == [.notify(1, .alone)])
        #expect(book.replied(1, .granted(fence: 7)) == [.end(1, tile, fence: 7, .abandoned, isLast: true)])
        #expect(book.isEmpty)
    }

    @Test func `a timed-out request leaves no state, whatever its late reply`() {
        for (reply, effects) in [
            (LeaseTable.Reply.nothing, []), (.failed(LoadFailure(status: 404, publicMessage: "Gone.")), []),
            (.held(for: .seconds(1)), [LeaseTable.Effect.withdraw(tile)]),
        ] {
            var book = LeaseTable()
            _ = book.ask(1, tile, .visible, bypassesNegativeCache: false)
            _ = book.timedOut(1)
            #expect(book.timedOut(1).isEmpty)
            #expect(book.end(1, .abandoned).isEmpty)
            #expect(book.replied(1, reply) == effects)
            #expect(book.isEmpty)
        }
    }

    @Test func `a late grant does not release a lease that another request of the node needs`() {
        var book = LeaseTable()
        _ = book.ask(1, tile, .visible, bypassesNegativeCache: false)
        _ = book.timedOut(1)
        _ = book.ask(2, preview, .visible, bypassesNegativeCache: false)
        #expect(book.replied(1, .granted(fence: 7)).isEmpty)
        #expect(book.replied(2, .granted(fence: 7)) == [.notify(2, .granted(fence: 7))])
        #expect(book.end(2, .made) == [.end(2, preview, fence: 7, .made, isLast: true)])
        #expect(book.isEmpty)
    }

    @Test func `requests of other nodes are reported only to the holder of the lease`() {
        var book = LeaseTable()
        let wish = LeaseMessage.requested(preview, by: "a", level: .prefetch)
        #expect(book.received(wish, node: "a").isEmpty)
        _ = book.ask(1, tile, .visible, bypassesNegativeCache: false)
        _ = book.replied(1, .granted(fence: 7))
        #expect(book.received(wish, node: "b").isEmpty)
        #expect(book.received(wish, node: "a") == [.notify(1, .requested(preview, level: .prefetch))])
        #expect(book.received(.requestWithdrawn(preview), node: "a") == [.notify(1, .requestWithdrawn(preview))])
    }

    @Test func `without the server, waiting requests continue alone and lease holders carry on`() {
        var book = LeaseTable()
        for id in 1...3 as ClosedRange<UInt64> { _ = book.ask(id, tile, .visible, bypassesNegativeCache: false) }
        _ = book.replied(2, .held(for: .seconds(1)))
        #expect(
            book.replied(1, .granted(fence: 7)) == [
                .notify(1, .granted(fence: 7)), .ask(2, tile, .visible, bypassesNegativeCache: false),
            ])
        #expect(book.disconnected() == [.notify(2, .alone), .notify(3, .alone)])
        for id in 2...3 as ClosedRange<UInt64> { #expect(book.replied(id, .nothing).isEmpty) }
        #expect(book.end(1, .made) == [.end(1, tile, fence: 7, .made, isLast: true)])
        #expect(book.isEmpty)
    }
}
