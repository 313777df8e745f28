import Images
import Renditions
import Scheduling
import Testing

@testable import Loading

/// Tokens for which no request comes: their owner loads and sends.
@Suite(.timeLimit(.minutes(1))) struct ShownTokenTests {
    private let loader = MockLoader()
    private let image = ImageID(rawValue: 1)
    private let ended = Recorder<Token>()

    private func book() -> TokenBook { TokenBook(loader: loader, time: HeldTime()) }

    private func issue(_ book: TokenBook, _ slots: [Int], in session: SessionID) -> [Token] {
        book.issue(showing: slots.map { ($0, image) }, session: session) { ended.record($0) }.map(\.token)
    }

    private func request(_ rendition: Rendition) -> LoadRequest {
        let picture = GalleryImage(
            id: image, name: "", location: .remote(url: ""), version: nil, facts: ImageFacts())
        return LoadRequest(image: picture, rendition: rendition, format: .webp)
    }

    private func load(_ book: TokenBook, _ rendition: Rendition, _ token: Token) -> (any LoadHandle)? {
        book.load(request(rendition), for: token, priority: Priority(lane: .visible, viewport: 1, distance: 0)) { _ in }
    }

    @Test func `all loads of a token end with it, and its owner hears of it once`() {
        let book = book()
        let session = book.open()
        let token = issue(book, [3], in: session)[0]
        #expect(load(book, .preview, token) != nil && load(book, .tile, token) != nil)
        #expect(book.cancel([token], in: session) == 1 && book.cancel([token], in: session) == 0)
        #expect(loader.loads.all.map(\.cancels.count) == [1, 1])
        #expect(ended.all == [token] && !book.maySend(token) && book.holdsNothing)
        #expect(load(book, .tile, token) == nil)
        #expect(loader.loads.all[2].cancels.count == 1 && book.holdsNothing)
    }

    @Test func `a load again of the same rendition leaves the one before`() {
        let book = book()
        let token = issue(book, [3], in: book.open())[0]
        _ = load(book, .tile, token)
        _ = load(book, .tile, token)
        #expect(loader.loads.all.map(\.cancels.count) == [1, 0])
    }

    @Test func `what its owner ends is delivered or cancelled without a word`() {
        let book = book()
        let session = book.open()
        let tokens = issue(book, [1, 2, 3], in: session)
        #expect(book.maySend(tokens[0]) && book.maySend(tokens[0]))
        book.end([tokens[0]], .delivered)
        book.end([tokens[1]], .cancelled)
        #expect(ended.count == 0 && !book.maySend(tokens[0]) && !book.maySend(tokens[1]))
        #expect(book.statistics.delivered == 1 && book.statistics.cancelled == 1 && book.statistics.live == 1)
        #expect(book.close(session) == 1)
        #expect(ended.all == [tokens[2]] && book.holdsNothing)
    }

    @Test func `another token takes the slot, and no request may bear one`() {
        let book = book()
        let session = book.open()
        let before = issue(book, [3], in: session)[0]
        let after = issue(book, [3], in: session)[0]
        #expect(ended.all == [before] && book.maySend(after))
        let answers = Recorder<Bool>()
        book.claim(after, image: image, rendition: .tile) { outcome in
            if case .refused = outcome { answers.record(true) }
        }
        #expect(answers.count == 1 && book.maySend(after))
    }

    @Test func `a newer viewport has a greater number`() {
        let book = book()
        let first = book.newViewport()
        #expect(book.newViewport() > first)
    }
}
