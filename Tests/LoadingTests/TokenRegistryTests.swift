import Clients
import Images
import Origins
import Renditions
import Scheduling
import TestSupport
import Testing

@testable import Loading

@Suite(.timeLimit(.minutes(1))) struct TokenRegistryTests {
    private let loader = MockLoader()
    private let time = HeldTime()

    private func registry(_ change: (inout TokenRegistry.Configuration) -> Void = { _ in }) -> TokenRegistry {
        var configuration = TokenRegistry.Configuration()
        change(&configuration)
        return TokenRegistry(configuration: configuration, loader: loader, time: time)
    }

    private func request(
        _ slot: Int, _ image: UInt64 = 1, level: Priority.Level = .visible
    ) -> TokenRegistry.TokenRequest {
        let image = GalleryImage(
            id: ImageID(rawValue: image), name: "", location: .remote(url: ""), version: nil,
            metadata: ImageMetadata())
        return .init(slot: slot, request: LoadRequest(image: image, rendition: .tile, format: .webp), level: level)
    }

    private func claim(
        _ registry: TokenRegistry, _ token: Token, _ image: UInt64 = 1
    ) -> Recorder<TokenRegistry.Outcome> {
        let answers = Recorder<TokenRegistry.Outcome>()
        registry.claim(token, image: ImageID(rawValue: image), rendition: .tile) { answers.record($0) }
        return answers
    }

    @Test func `issuing starts the loads at once, with the newest viewport and its centre first`() {
        let registry = registry()
        let (session, _) = registry.issue([request(1), request(2), request(3)])
        _ = registry.issue([request(4)], session: session)
        let priorities = loader.loads.all.map(\.priority)
        #expect(priorities.map(\.distance) == [1, 0, 1, 0])
        #expect(priorities[3] > priorities[1] && priorities[1] > priorities[0])
    }

    @Test func `each session is a flow of its own within its client's share`() {
        let registry = registry { $0.heldBytes = 0 }
        let (one, issued) = registry.issue([request(1), request(2)])
        let (other, _) = registry.issue([request(1)])
        let (stranger, _) = registry.issue([request(1)], client: .other)
        loader.loads.all[0].succeed()
        _ = claim(registry, issued[0].token)
        let flows = [
            Flow(of: Client.one, member: one), Flow(of: Client.one, member: one), Flow(of: Client.one, member: other),
            Flow(of: Client.other, member: stranger), Flow(of: Client.one, member: one),
        ]
        #expect(loader.loads.all.map(\.priority.flow) == flows)
        #expect(Set(flows).count == 3 && Set(flows.map(\.owner)).count == 2)
    }

    @Test func `a claimed token is answered once its content has loaded, and ends as delivered`() {
        let registry = registry()
        let token = registry.issue([request(1)]).tokens[0].token
        let answers = claim(registry, token)
        #expect(answers.count == 0)
        loader.loads.all[0].succeed()
        #expect(answers.all.map(\.name) == ["content"])
        #expect(registry.mayContinue(token))
        registry.finish(token, .delivered)
        #expect(!registry.mayContinue(token))
        #expect(claim(registry, token).all.map(\.name) == ["refused used"])
        #expect(registry.statistics.delivered == 1 && registry.statistics.live == 0 && registry.holdsNothing)
    }

    @Test func `content loaded before its request arrives is held for it`() {
        let registry = registry()
        let token = registry.issue([request(1)]).tokens[0].token
        loader.loads.all[0].succeed()
        #expect(!registry.mayContinue(token))
        #expect(claim(registry, token).all.map(\.name) == ["content"])
        #expect(loader.loads.count == 1)
    }

    @Test func `content that could not be held is loaded again for its request`() {
        let registry = registry { $0.heldBytes = 0 }
        let token = registry.issue([request(1)]).tokens[0].token
        loader.loads.all[0].succeed()
        let answers = claim(registry, token)
        #expect(answers.count == 0 && loader.loads.count == 2)
        loader.loads.all[1].succeed()
        #expect(answers.all.map(\.name) == ["content"])
    }

    @Test func `a cancel before, during or after the request is honoured and never an error`() {
        let registry = registry()
        let (session, issued) = registry.issue([request(1), request(2), request(3)])
        let tokens = issued.map(\.token)
        // Before the request.
        #expect(registry.cancel([tokens[0]], in: session) == 1)
        #expect(loader.loads.all[0].cancels.count == 1)
        #expect(claim(registry, tokens[0]).all.map(\.name) == ["cancelled"])
        // While the request waits: it is answered at once.
        let waiting = claim(registry, tokens[1])
        #expect(registry.cancel([tokens[1]], in: session) == 1)
        #expect(waiting.all.map(\.name) == ["cancelled"])
        loader.loads.all[1].succeed()
        #expect(waiting.count == 1)
        // While the rendition is sent: no further frame.
        _ = claim(registry, tokens[2])
        loader.loads.all[2].succeed()
        #expect(registry.mayContinue(tokens[2]))
        #expect(registry.cancel([tokens[2]], in: session) == 1)
        #expect(!registry.mayContinue(tokens[2]))
        registry.finish(tokens[2], .delivered)
        // After the end, a second time, and for an unknown token.
        #expect(registry.cancel(tokens + [Token(of: NodeTag())], in: session) == 0)
        #expect(registry.statistics.cancelled == 3 && registry.statistics.delivered == 0 && registry.holdsNothing)
    }

    @Test func `a slot's new token cancels the previous one and keeps the load of the same image`() {
        let registry = registry()
        let (session, before) = registry.issue([request(1, level: .prefetch)])
        let after = registry.issue([request(1)], session: session).tokens
        #expect(claim(registry, before[0].token).all.map(\.name) == ["cancelled"])
        // The new token joined the load before the old one left it.
        #expect(loader.loads.count == 2 && loader.loads.all[0].cancels.count == 1)
        #expect(loader.loads.all[1].priority > loader.loads.all[0].priority)
        loader.loads.all[1].succeed()
        #expect(claim(registry, after[0].token).all.map(\.name) == ["content"])
    }

    @Test func `a token is invalid in another session and for another image`() {
        let registry = registry()
        let (_, issued) = registry.issue([request(1)])
        let (other, _) = registry.issue([request(1)])
        #expect(registry.cancel([issued[0].token], in: other) == 0)
        #expect(claim(registry, issued[0].token, 2).all.map(\.name) == ["refused otherPicture"])
        #expect(claim(registry, Token(of: NodeTag())).all.map(\.name) == ["refused unknown"])
    }

    @Test func `a token can be claimed by only one request`() {
        let registry = registry()
        let token = registry.issue([request(1)]).tokens[0].token
        _ = claim(registry, token)
        #expect(claim(registry, token).all.map(\.name) == ["refused used"])
    }

    @Test func `a failure is reported to a waiting request and to one that comes later`() {
        let registry = registry()
        let (_, issued) = registry.issue([request(1), request(2)])
        let waiting = claim(registry, issued[0].token)
        for load in loader.loads.all { load.fail() }
        #expect(waiting.all.map(\.name) == ["failed 502"])
        #expect(claim(registry, issued[1].token).all.map(\.name) == ["failed 502"])
        #expect(registry.statistics.failed == 2 && registry.holdsNothing)
    }

    @Test func `closing a session cancels all its tokens`() {
        let registry = registry()
        let (session, issued) = registry.issue((0..<5).map { request($0) })
        let waiting = claim(registry, issued[0].token)
        registry.close(session)
        #expect(waiting.all.map(\.name) == ["cancelled"])
        #expect(loader.loads.all.map(\.cancels.count) == [1, 1, 1, 1, 1])
        #expect(registry.statistics.sessions == 0 && registry.statistics.cancelled == 5 && registry.holdsNothing)
    }

    @Test func `an idle session is closed and a used one stays open`() {
        let registry = registry { $0.idleTime = .seconds(60) }
        let (idle, _) = registry.issue([request(1)])
        let (used, _) = registry.issue([request(1)])
        time.pass(.seconds(50))
        registry.keepOpen(used)
        time.pass(.seconds(20))
        registry.closeIdleSessions()
        #expect(registry.statistics.sessions == 1 && registry.statistics.cancelled == 1)
        #expect(registry.isOpen(used) && !registry.isOpen(idle))
        registry.close(idle)
        registry.close(used)
        #expect(registry.statistics.live == 0 && registry.holdsNothing)
    }

    @Test func `a hostile client exhausts only its own limits`() {
        let registry = registry {
            $0.maximumSessionsPerClient = 10
            $0.maximumTokensPerClient = 100
            $0.maximumTokens = 20
            $0.rememberedTokens = 30
        }
        let (mine, tokens) = registry.issue((0..<15).map { request($0) }, client: .other)
        let resting = registry.open(for: .other)
        let (session, _) = registry.issue([request(0)])
        for slot in 1..<1_000 { _ = registry.issue([request(slot)], session: session) }
        #expect(registry.statistics.live == 20 + 15)
        for _ in 0..<100 { _ = registry.issue((0..<12).map { request($0) }) }
        #expect(registry.statistics.sessions <= 10 + 2)
        #expect(registry.tokenCount <= 100 + 15)
        #expect(registry.isOpen(mine) && registry.isOpen(resting))
        #expect(registry.cancel(tokens.map(\.token), in: mine) == 15, "all of them are live")
    }

    @Test func `at the total limit the client that holds the most makes room`() {
        let registry = registry {
            $0.maximumSessions = 30
            $0.maximumTokensInAll = 300
        }
        let small = registry.issue((0..<15).map { request($0) }, client: .other).session
        for _ in 0..<100 {
            time.pass(.milliseconds(1))
            _ = registry.issue((0..<15).map { request($0) })
        }
        #expect(registry.statistics.sessions <= 30 && registry.tokenCount <= 300)
        #expect(registry.isOpen(small), "although it was used least recently")
    }

    @Test func `many sessions together stay within the total limit of tokens`() {
        let registry = registry {
            $0.maximumTokens = 20
            $0.rememberedTokens = 20
            $0.maximumTokensInAll = 200
        }
        var sessions: [SessionID] = []
        for _ in 0..<100 {
            time.pass(.milliseconds(1))
            sessions.append(registry.issue((0..<15).map { request($0) }).session)
        }
        #expect(registry.tokenCount <= 200 && registry.statistics.live <= 200)
        #expect(registry.isOpen(sessions[99]) && !registry.isOpen(sessions[0]))
    }

    @Test func `the number of partial originals held for requests that never come is limited`() async throws {
        let fixture = try LoaderFixture()
        let registry = registry { $0.heldOriginals = 3 }
        let tokens = registry.issue((0..<10).map { request($0, UInt64($0)) }).tokens
        for (position, load) in loader.loads.all.enumerated() {
            let results = Recorder<LoaderFixture.Outcome>()
            fixture.load(fixture.remote(UInt64(position)), .original, into: results)
            let fetch = await fixture.origins.fetches.element(position)
            fetch.send(.started(.of(1_000)))
            fetch.send(.bytes(picture(100)))
            load.deliver(await results.element(0))
        }
        await fixture.loader.coordinator.reached { $0.fetches == 3 }
        #expect(claim(registry, tokens[9].token, 9).count == 0, "content that was not held is loaded again")
        #expect(loader.loads.count == 11)
        await fixture.close()
    }

    @Test func `with many threads every token ends once and nothing is left`() async throws {
        let fixture = try LoaderFixture()
        for id in 0..<8 as Range<UInt64> { fixture.write([UInt8(id)], to: id) }
        let registry = TokenRegistry(loader: fixture.loader, time: fixture.time)
        let threads = 6
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask { Self.hammer(registry, fixture, seed: UInt64(thread)) }
            }
            group.addTask {
                for position in 0..<40 {
                    if fixture.origins.fetches.count <= position { continue }
                    let fetch = fixture.origins.fetches.all[position]
                    if position % 3 == 0 {
                        fetch.send(.failed(.init(.timedOut, logDetail: "")))
                    } else {
                        fetch.answer(picture(200))
                    }
                }
            }
        }
        let counts = registry.statistics
        #expect(counts.live == 0 && counts.sessions == 0)
        #expect(counts.issued == counts.delivered + counts.cancelled + counts.failed && counts.issued > 0)
        #expect(registry.holdsNothing)
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    /// Issues, claims, cancels and closes at random, from one of several threads.
    private static func hammer(_ registry: TokenRegistry, _ fixture: LoaderFixture, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<30 {
            var session: SessionID?
            for _ in 0..<5 {
                let requests = (0..<4).map { slot in
                    let id = UInt64.random(in: 0..<16, using: &random)
                    let image = id < 8 ? fixture.local(id) : fixture.remote(id)
                    let rendition = Rendition.allCases.randomElement(using: &random)!
                    return TokenRegistry.TokenRequest(
                        slot: slot, request: LoadRequest(image: image, rendition: rendition, format: .webp),
                        level: Bool.random(using: &random) ? .visible : .prefetch)
                }
                let issued = registry.issue(requests, session: session)
                session = issued.session
                for (request, token) in zip(requests, issued.tokens.map(\.token)) {
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: registry.cancel([token], in: issued.session)
                    case 1:
                        let load = request.request
                        registry.claim(token, image: load.image.id, rendition: load.rendition) { outcome in
                            if case .content = outcome { registry.finish(token, .delivered) }
                        }
                    default: _ = registry.maySend(token)
                    }
                }
            }
            if let session { registry.close(session) }
        }
    }
}

extension TokenRegistry.Outcome {
    /// A name for comparisons.
    var name: String {
        switch self {
        case .content: "content"
        case .failed(let failure): "failed \(failure.status)"
        case .cancelled: "cancelled"
        case .refused(let refusal): "refused \(refusal)"
        }
    }
}
