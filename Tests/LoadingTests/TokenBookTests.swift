import Clients
import Images
import Origins
import Renditions
import Scheduling
import TestSupport
import Testing

@testable import Loading

@Suite(.timeLimit(.minutes(1))) struct TokenBookTests {
    private let loader = MockLoader()
    private let time = HeldTime()

    private func book(_ change: (inout TokenBook.Configuration) -> Void = { _ in }) -> TokenBook {
        var configuration = TokenBook.Configuration()
        change(&configuration)
        return TokenBook(configuration: configuration, loader: loader, time: time)
    }

    private func wish(_ slot: Int, _ image: UInt64 = 1, lane: Priority.Lane = .visible) -> TokenBook.Wish {
        let image = GalleryImage(
            id: ImageID(rawValue: image), name: "", location: .remote(url: ""), version: nil,
            facts: ImageFacts())
        return .init(slot: slot, request: LoadRequest(image: image, rendition: .tile, format: .webp), lane: lane)
    }

    private func claim(_ book: TokenBook, _ token: Token, _ image: UInt64 = 1) -> Recorder<TokenBook.Outcome> {
        let answers = Recorder<TokenBook.Outcome>()
        book.claim(token, image: ImageID(rawValue: image), rendition: .tile) { answers.record($0) }
        return answers
    }

    @Test func `issuing begins the loads at once, the newest viewport first and its centre first`() {
        let book = book()
        let (session, _) = book.issue([wish(1), wish(2), wish(3)])
        _ = book.issue([wish(4)], session: session)
        let priorities = loader.loads.all.map(\.priority)
        #expect(priorities.map(\.distance) == [1, 0, 1, 0])
        #expect(priorities[3] > priorities[1] && priorities[1] > priorities[0])
    }

    @Test func `every load of a session has a turn of its own within the share of its client`() {
        let book = book { $0.heldBytes = 0 }
        let (one, issued) = book.issue([wish(1), wish(2)])
        let (other, _) = book.issue([wish(1)])
        let (stranger, _) = book.issue([wish(1)], client: .other)
        loader.loads.all[0].succeed()
        _ = claim(book, issued[0].token)
        let flows = [
            Flow(of: Client.one, member: one), Flow(of: Client.one, member: one), Flow(of: Client.one, member: other),
            Flow(of: Client.other, member: stranger), Flow(of: Client.one, member: one),
        ]
        #expect(loader.loads.all.map(\.priority.flow) == flows)
        #expect(Set(flows).count == 3 && Set(flows.map(\.owner)).count == 2)
    }

    @Test func `a claimed token is answered when its content comes, sent, and delivered`() {
        let book = book()
        let token = book.issue([wish(1)]).tokens[0].token
        let answers = claim(book, token)
        #expect(answers.count == 0)
        loader.loads.all[0].succeed()
        #expect(answers.all.map(\.name) == ["content"])
        #expect(book.mayStillSend(token))
        book.finish(token, .delivered)
        #expect(!book.mayStillSend(token))
        #expect(claim(book, token).all.map(\.name) == ["refused used"])
        #expect(book.statistics.delivered == 1 && book.statistics.live == 0 && book.holdsNothing)
    }

    @Test func `content that comes before its request is held for it`() {
        let book = book()
        let token = book.issue([wish(1)]).tokens[0].token
        loader.loads.all[0].succeed()
        #expect(!book.mayStillSend(token))
        #expect(claim(book, token).all.map(\.name) == ["content"])
        #expect(loader.loads.count == 1)
    }

    @Test func `content that could not be held is loaded again for its request`() {
        let book = book { $0.heldBytes = 0 }
        let token = book.issue([wish(1)]).tokens[0].token
        loader.loads.all[0].succeed()
        let answers = claim(book, token)
        #expect(answers.count == 0 && loader.loads.count == 2)
        loader.loads.all[1].succeed()
        #expect(answers.all.map(\.name) == ["content"])
    }

    @Test func `a cancel before the request, during it and after it is honoured, and none is an error`() {
        let book = book()
        let (session, issued) = book.issue([wish(1), wish(2), wish(3)])
        let tokens = issued.map(\.token)
        // Before.
        #expect(book.cancel([tokens[0]], in: session) == 1)
        #expect(loader.loads.all[0].cancels.count == 1)
        #expect(claim(book, tokens[0]).all.map(\.name) == ["cancelled"])
        // While the request waits: it is answered at once.
        let waiting = claim(book, tokens[1])
        #expect(book.cancel([tokens[1]], in: session) == 1)
        #expect(waiting.all.map(\.name) == ["cancelled"])
        loader.loads.all[1].succeed()
        #expect(waiting.count == 1)
        // While it is sent: no further frame.
        _ = claim(book, tokens[2])
        loader.loads.all[2].succeed()
        #expect(book.mayStillSend(tokens[2]))
        #expect(book.cancel([tokens[2]], in: session) == 1)
        #expect(!book.mayStillSend(tokens[2]))
        book.finish(tokens[2], .delivered)
        // After the end, again, and of what never was.
        #expect(book.cancel(tokens + [Token(of: NodeTag())], in: session) == 0)
        #expect(book.statistics.cancelled == 3 && book.statistics.delivered == 0 && book.holdsNothing)
    }

    @Test func `a slot's new token cancels the one before, and keeps the load of the same picture`() {
        let book = book()
        let (session, before) = book.issue([wish(1, lane: .prefetch)])
        let after = book.issue([wish(1)], session: session).tokens
        #expect(claim(book, before[0].token).all.map(\.name) == ["cancelled"])
        // The new one joined before the old one left.
        #expect(loader.loads.count == 2 && loader.loads.all[0].cancels.count == 1)
        #expect(loader.loads.all[1].priority > loader.loads.all[0].priority)
        loader.loads.all[1].succeed()
        #expect(claim(book, after[0].token).all.map(\.name) == ["content"])
    }

    @Test func `tokens mean nothing outside their session, nor for another picture`() {
        let book = book()
        let (_, issued) = book.issue([wish(1)])
        let (other, _) = book.issue([wish(1)])
        #expect(book.cancel([issued[0].token], in: other) == 0)
        #expect(claim(book, issued[0].token, 2).all.map(\.name) == ["refused otherPicture"])
        #expect(claim(book, Token(of: NodeTag())).all.map(\.name) == ["refused unknown"])
    }

    @Test func `a token is claimed by one request`() {
        let book = book()
        let token = book.issue([wish(1)]).tokens[0].token
        _ = claim(book, token)
        #expect(claim(book, token).all.map(\.name) == ["refused used"])
    }

    @Test func `a failure is told to the request that waits, and to the one that comes later`() {
        let book = book()
        let (_, issued) = book.issue([wish(1), wish(2)])
        let waiting = claim(book, issued[0].token)
        for load in loader.loads.all { load.fail() }
        #expect(waiting.all.map(\.name) == ["failed 502"])
        #expect(claim(book, issued[1].token).all.map(\.name) == ["failed 502"])
        #expect(book.statistics.failed == 2 && book.holdsNothing)
    }

    @Test func `closing a session cancels all its tokens`() {
        let book = book()
        let (session, issued) = book.issue((0..<5).map { wish($0) })
        let waiting = claim(book, issued[0].token)
        book.close(session)
        #expect(waiting.all.map(\.name) == ["cancelled"])
        #expect(loader.loads.all.map(\.cancels.count) == [1, 1, 1, 1, 1])
        #expect(book.statistics.sessions == 0 && book.statistics.cancelled == 5 && book.holdsNothing)
    }

    @Test func `an idle session ends and a used one does not`() {
        let book = book { $0.idleTime = .seconds(60) }
        let (idle, _) = book.issue([wish(1)])
        let (used, _) = book.issue([wish(1)])
        time.pass(.seconds(50))
        book.keepOpen(used)
        time.pass(.seconds(20))
        book.closeIdleSessions()
        #expect(book.statistics.sessions == 1 && book.statistics.cancelled == 1)
        #expect(book.isOpen(used) && !book.isOpen(idle))
        book.close(idle)
        book.close(used)
        #expect(book.statistics.live == 0 && book.holdsNothing)
    }

    @Test func `a hostile client exhausts its own bounds alone`() {
        let book = book {
            $0.maximumSessionsPerClient = 10
            $0.maximumTokensPerClient = 100
            $0.maximumTokens = 20
            $0.rememberedTokens = 30
        }
        let (mine, tokens) = book.issue((0..<15).map { wish($0) }, client: .other)
        let resting = book.open(for: .other)
        let (session, _) = book.issue([wish(0)])
        for slot in 1..<1_000 { _ = book.issue([wish(slot)], session: session) }
        #expect(book.statistics.live == 20 + 15)
        for _ in 0..<100 { _ = book.issue((0..<12).map { wish($0) }) }
        #expect(book.statistics.sessions <= 10 + 2)
        #expect(book.tokenCount <= 100 + 15)
        #expect(book.isOpen(mine) && book.isOpen(resting))
        #expect(book.cancel(tokens.map(\.token), in: mine) == 15, "all of them are alive")
    }

    @Test func `where all together hold too much, it is the one that holds the most that makes room`() {
        let book = book {
            $0.maximumSessions = 30
            $0.maximumTokensInAll = 300
        }
        let small = book.issue((0..<15).map { wish($0) }, client: .other).session
        for _ in 0..<100 {
            time.pass(.milliseconds(1))
            _ = book.issue((0..<15).map { wish($0) })
        }
        #expect(book.statistics.sessions <= 30 && book.tokenCount <= 300)
        #expect(book.isOpen(small), "though it was used longest ago")
    }

    @Test func `many hostile clients together stay within the bound of all tokens`() {
        let book = book {
            $0.maximumTokens = 20
            $0.rememberedTokens = 20
            $0.maximumTokensInAll = 200
        }
        var sessions: [SessionID] = []
        for _ in 0..<100 {
            time.pass(.milliseconds(1))
            sessions.append(book.issue((0..<15).map { wish($0) }).session)
        }
        #expect(book.tokenCount <= 200 && book.statistics.live <= 200)
        #expect(book.isOpen(sessions[99]) && !book.isOpen(sessions[0]))
    }

    @Test func `only so many originals that still arrive are held for requests that never come`() async throws {
        let house = try TestHouse()
        let book = book { $0.heldOriginals = 3 }
        let tokens = book.issue((0..<10).map { wish($0, UInt64($0)) }).tokens
        for (position, load) in loader.loads.all.enumerated() {
            let results = Recorder<TestHouse.Outcome>()
            house.load(house.remote(UInt64(position)), .original, into: results)
            let fetch = await house.origins.fetches.element(position)
            fetch.send(.started(.of(1_000)))
            fetch.send(.bytes(picture(100)))
            load.deliver(await results.element(0))
        }
        await house.loader.coordinator.reached { $0.fetches == 3 }
        #expect(claim(book, tokens[9].token, 9).count == 0, "what was not held is loaded again")
        #expect(loader.loads.count == 11)
        await house.close()
    }

    @Test func `from many threads every token ends once and nothing is left`() async throws {
        let house = try TestHouse()
        for id in 0..<8 as Range<UInt64> { house.write([UInt8(id)], to: id) }
        let book = TokenBook(loader: house.loader, time: house.time)
        let threads = 6
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask { Self.hammer(book, house, seed: UInt64(thread)) }
            }
            group.addTask {
                for position in 0..<40 {
                    if house.origins.fetches.count <= position { continue }
                    let fetch = house.origins.fetches.all[position]
                    if position % 3 == 0 {
                        fetch.send(.failed(.init(.timedOut, logDetail: "")))
                    } else {
                        fetch.answer(picture(200))
                    }
                }
            }
        }
        let counts = book.statistics
        #expect(counts.live == 0 && counts.sessions == 0)
        #expect(counts.issued == counts.delivered + counts.cancelled + counts.failed && counts.issued > 0)
        #expect(book.holdsNothing)
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    /// Issues, claims, cancels and closes at random, from one thread of several.
    private static func hammer(_ book: TokenBook, _ house: TestHouse, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<30 {
            var session: SessionID?
            for _ in 0..<5 {
                let wishes = (0..<4).map { slot in
                    let id = UInt64.random(in: 0..<16, using: &random)
                    let image = id < 8 ? house.local(id) : house.remote(id)
                    let rendition = Rendition.allCases.randomElement(using: &random)!
                    return TokenBook.Wish(
                        slot: slot, request: LoadRequest(image: image, rendition: rendition, format: .webp),
                        lane: Bool.random(using: &random) ? .visible : .prefetch)
                }
                let issued = book.issue(wishes, session: session)
                session = issued.session
                for (wish, token) in zip(wishes, issued.tokens.map(\.token)) {
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: book.cancel([token], in: issued.session)
                    case 1:
                        book.claim(token, image: wish.request.image.id, rendition: wish.request.rendition) { outcome in
                            if case .content = outcome { book.finish(token, .delivered) }
                        }
                    default: _ = book.maySend(token)
                    }
                }
            }
            if let session { book.close(session) }
        }
    }
}

extension TokenBook.Outcome {
    /// For comparing.
    var name: String {
        switch self {
        case .content: "content"
        case .failed(let failure): "failed \(failure.status)"
        case .cancelled: "cancelled"
        case .refused(let refusal): "refused \(refusal)"
        }
    }
}
