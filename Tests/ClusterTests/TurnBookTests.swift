import Images
import Loading
import Renditions
import Scheduling
import Testing

@testable import Cluster

@Suite struct TurnBookTests {
    private let tile = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .tile, format: .webp)
    private let preview = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .preview, format: .webp)

    @Test func `who gets the turn ends it, and nothing is left`() {
        var book = TurnBook()
        #expect(book.ask(1, tile, .visible, insists: false) == [.ask(1, tile, .visible, insists: false)])
        #expect(book.replied(1, .mine(fence: 7)) == [.tell(1, .mine(fence: 7))])
        #expect(book.leases.map(\.fence) == [7])
        #expect(book.end(1, .made) == [.end(1, tile, fence: 7, .made, isLast: true)])
        #expect(book.isEmpty)
    }

    @Test func `two renditions of one image share a turn, which ends with the last`() {
        var book = TurnBook()
        for (id, name) in [(1 as UInt64, tile), (2, preview)] {
            _ = book.ask(id, name, .visible, insists: false)
            _ = book.replied(id, .mine(fence: 7))
        }
        #expect(book.end(1, .made) == [.end(1, tile, fence: 7, .made, isLast: false)])
        #expect(book.end(2, .made) == [.end(2, preview, fence: 7, .made, isLast: true)])
        #expect(book.isEmpty)
    }

    @Test func `a turn is not given back while a question for it is under way`() {
        var book = TurnBook()
        _ = book.ask(1, tile, .visible, insists: false)
        _ = book.replied(1, .mine(fence: 7))
        _ = book.ask(2, preview, .visible, insists: false)
        #expect(book.end(1, .made) == [.end(1, tile, fence: 7, .made, isLast: false)])
        #expect(
            book.replied(2, .nothing) == [
                .tell(2, .alone), .end(2, preview, fence: 7, .gaveUp, isLast: true),
            ])
        #expect(book.isEmpty)
    }

    @Test func `who waits looks again when the lease would lapse`() {
        var book = TurnBook()
        _ = book.ask(1, tile, .visible, insists: false)
        #expect(book.replied(1, .held(for: .milliseconds(900))) == [.wait(1, .milliseconds(920))])
        #expect(book.woke(1) == [.ask(1, tile, .visible, insists: false)])
    }

    @Test func `a message that comes before the answer is not missed`() {
        var book = TurnBook()
        _ = book.ask(1, tile, .visible, insists: false)
        #expect(book.heard(.made(tile), node: "a").isEmpty)
        #expect(book.replied(1, .held(for: .seconds(1))) == [.ask(1, tile, .visible, insists: false)])
    }

    @Test func `what is made for one name is no news for who waits for another`() {
        var book = TurnBook()
        _ = book.ask(1, tile, .visible, insists: false)
        _ = book.replied(1, .held(for: .seconds(1)))
        #expect(book.heard(.made(preview), node: "a").isEmpty)
        #expect(book.heard(.made(tile), node: "a") == [.tell(1, .made)])
        #expect(book.isEmpty)
    }

    @Test func `who leaves while waiting takes the wish back, also when the answer comes later`() {
        var book = TurnBook()
        _ = book.ask(1, tile, .visible, insists: false)
        _ = book.replied(1, .held(for: .seconds(1)))
        #expect(book.end(1, .gaveUp) == [.withdraw(tile)])
        _ = book.ask(2, tile, .visible, insists: false)
        #expect(book.end(2, .gaveUp).isEmpty)
        #expect(book.replied(2, .held(for: .seconds(1))) == [.withdraw(tile)])
        _ = book.ask(3, tile, .visible, insists: false)
        #expect(book.end(3, .gaveUp).isEmpty)
        #expect(book.replied(3, .mine(fence: 9)) == [.end(3, tile, fence: 9, .gaveUp, isLast: true)])
        #expect(book.isEmpty)
    }

    @Test func `a turn that is given after its time is given back at once`() {
        var book = TurnBook()
        _ = book.ask(1, tile, .visible, insists: false)
        #expect(book.ranOut(1) == [.tell(1, .alone)])
        #expect(book.replied(1, .mine(fence: 7)) == [.end(1, tile, fence: 7, .gaveUp, isLast: true)])
        #expect(book.isEmpty)
    }

    @Test func `of a question that ran out of time nothing is left, whatever comes of it`() {
        for (reply, effects) in [
            (TurnBook.Reply.nothing, []), (.failed(LoadFailure(status: 404, publicMessage: "Gone.")), []),
            (.held(for: .seconds(1)), [TurnBook.Effect.withdraw(tile)]),
        ] {
            var book = TurnBook()
            _ = book.ask(1, tile, .visible, insists: false)
            _ = book.ranOut(1)
            #expect(book.ranOut(1).isEmpty)
            #expect(book.end(1, .gaveUp).isEmpty)
            #expect(book.replied(1, reply) == effects)
            #expect(book.isEmpty)
        }
    }

    @Test func `a turn that somebody here has meanwhile is not given back by a late answer`() {
        var book = TurnBook()
        _ = book.ask(1, tile, .visible, insists: false)
        _ = book.ranOut(1)
        _ = book.ask(2, preview, .visible, insists: false)
        #expect(book.replied(1, .mine(fence: 7)).isEmpty)
        #expect(book.replied(2, .mine(fence: 7)) == [.tell(2, .mine(fence: 7))])
        #expect(book.end(2, .made) == [.end(2, preview, fence: 7, .made, isLast: true)])
        #expect(book.isEmpty)
    }

    @Test func `a wish is told to one who has the turn, and to nobody who has not`() {
        var book = TurnBook()
        let wish = TurnMessage.wanted(preview, by: "a", urgency: .prefetch)
        #expect(book.heard(wish, node: "a").isEmpty)
        _ = book.ask(1, tile, .visible, insists: false)
        _ = book.replied(1, .mine(fence: 7))
        #expect(book.heard(wish, node: "b").isEmpty)
        #expect(book.heard(wish, node: "a") == [.tell(1, .wanted(preview, urgency: .prefetch))])
        #expect(book.heard(.unwanted(preview), node: "a") == [.tell(1, .unwanted(preview))])
    }

    @Test func `when the server is away all who wait go on alone, and who makes something goes on`() {
        var book = TurnBook()
        for id in 1...3 as ClosedRange<UInt64> { _ = book.ask(id, tile, .visible, insists: false) }
        _ = book.replied(2, .held(for: .seconds(1)))
        #expect(
            book.replied(1, .mine(fence: 7)) == [.tell(1, .mine(fence: 7)), .ask(2, tile, .visible, insists: false)])
        #expect(book.isAlone() == [.tell(2, .alone), .tell(3, .alone)])
        for id in 2...3 as ClosedRange<UInt64> { #expect(book.replied(id, .nothing).isEmpty) }
        #expect(book.end(1, .made) == [.end(1, tile, fence: 7, .made, isLast: true)])
        #expect(book.isEmpty)
    }
}
