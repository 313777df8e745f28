import Images
import Testing

@testable import Loading

/// Tokens without requests: their owner loads and sends the renditions.
@Suite(.timeLimit(.minutes(1))) struct DisplayedTokenTests {
    private let loader = MockLoader()
    private let image = ImageID(rawValue: 1)
    private let ended = Recorder<Token>()

    private func registry() -> TokenRegistry { TokenRegistry(loader: loader, time: HeldTime()) }

    private func issue(_ registry: TokenRegistry, _ slots: [Int], in session: SessionID) -> [Token] {
        registry.issue(displaying: slots.map { ($0, image) }, session: session) { ended.record($0) }.map(\.token)
    }

    @Test func `the owner is notified once of a cancelled token, for which the registry loads nothing`() {
        let registry = registry()
        let session = registry.open()
        let token = issue(registry, [3], in: session)[0]
        #expect(registry.cancel([token], in: session) == 1 && registry.cancel([token], in: session) == 0)
        #expect(ended.all == [token] && !registry.maySend(token) && registry.holdsNothing)
        #expect(loader.loads.count == 0)
    }

    @Test func `the owner is not notified of tokens that it ends itself`() {
        let registry = registry()
        let session = registry.open()
        let tokens = issue(registry, [1, 2, 3], in: session)
        #expect(registry.maySend(tokens[0]) && registry.maySend(tokens[0]))
        registry.end([tokens[0]], .delivered)
        registry.end([tokens[1]], .cancelled)
        #expect(ended.count == 0 && !registry.maySend(tokens[0]) && !registry.maySend(tokens[1]))
        let statistics = registry.statistics
        #expect(statistics.delivered == 1 && statistics.cancelled == 1 && statistics.live == 1)
        #expect(registry.close(session) == 1)
        #expect(ended.all == [tokens[2]] && registry.holdsNothing)
    }

    @Test func `a new token replaces the slot's previous one, and no request may claim it`() {
        let registry = registry()
        let session = registry.open()
        let before = issue(registry, [3], in: session)[0]
        let after = issue(registry, [3], in: session)[0]
        #expect(ended.all == [before] && registry.maySend(after))
        let answers = Recorder<Bool>()
        registry.claim(after, image: image, rendition: .tile) { outcome in
            if case .refused = outcome { answers.record(true) }
        }
        #expect(answers.count == 1 && registry.maySend(after))
    }

    @Test func `a newer viewport has a greater number`() {
        let registry = registry()
        let first = registry.newViewport()
        #expect(registry.newViewport() > first)
    }
}
