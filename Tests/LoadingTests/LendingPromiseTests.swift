import Clients
import Images
import Locking
import Renditions
import Scheduling
import Testing

@testable import Loading

/// A token is honoured and cancelled on whichever node its request comes to.
@Suite(.timeLimit(.minutes(1))) struct LendingPromiseTests {
    private let nodes = MockNodes()

    private func image(_ number: UInt64 = 1) -> GalleryImage {
        GalleryImage(
            id: ImageID(rawValue: number), name: "", location: .remote(url: ""), version: nil, facts: ImageFacts())
    }

    /// Tokens of node 0, for slots from 0 on.
    private func issue(
        _ count: Int = 1, _ rendition: Rendition = .tile, insists: Bool = false, session: SessionID? = nil
    ) -> (session: SessionID, tokens: [Token]) {
        let wishes = (0..<count).map { slot in
            TokenBook.Wish(
                slot: slot,
                request: LoadRequest(
                    image: image(), rendition: rendition, format: .avif, bypassNegativeCache: insists))
        }
        let issued = nodes[0].book.issue(wishes, session: session)
        return (issued.session, issued.tokens.map(\.token))
    }

    private struct Claim {
        let sending: any TokenSending
        let outcomes: Recorder<TokenBook.Outcome>
        var names: [String] { outcomes.all.map(\.name) }
    }

    /// A request that bears the token comes to a node that has not issued it.
    private func claim(_ token: Token, at node: Int, _ number: UInt64 = 1, _ rendition: Rendition = .tile) -> Claim {
        let outcomes = Recorder<TokenBook.Outcome>()
        let sending = nodes[node].borrowed.claim(token, image: image(number), rendition: rendition, client: .one) {
            outcomes.record($1)
        }
        return Claim(sending: sending, outcomes: outcomes)
    }

    /// The same, as far as its body.
    private func sending(_ token: Token, at node: Int) -> Claim {
        let claim = claim(token, at: node)
        nodes.deliverAll()
        nodes[node].loader.loads.all.last?.succeed()
        return claim
    }

    private func isRecalled(_ session: SessionID) -> Bool {
        nodes[0].book.state.withLock { $0.recalls[session] == nil }
    }

    private var isAtRest: Bool {
        nodes.nodes.allSatisfy { $0.book.holdsNothing && $0.borrowed.count == 0 } && nodes.countUnderWay == 0
    }

    // MARK: - Honoured

    @Test func `a token is sent by the node that its request comes to, and its home knows how it ended`() {
        let token = issue().tokens[0]
        let claim = claim(token, at: 1)
        #expect(claim.names.isEmpty)
        nodes.deliverAll()
        #expect(nodes[0].book.lentCount == 1 && nodes[1].borrowed.count == 1)
        nodes[1].loader.loads.all[0].succeed()
        #expect(claim.names == ["content"] && claim.sending.mayStillSend(token))
        claim.sending.finish(token, .delivered)
        #expect(!claim.sending.mayStillSend(token))
        nodes.deliverAll()
        #expect(nodes[0].book.statistics.delivered == 1 && nodes[0].book.statistics.live == 0)
        #expect(isAtRest)
    }

    @Test func `the picture is the one that the token was issued for, in its format`() {
        let token = issue(insists: true).tokens[0]
        _ = claim(token, at: 1)
        nodes.deliverAll()
        let load = nodes[1].loader.loads.all[0].request
        #expect(load.format == .avif && load.bypassNegativeCache && load.rendition == .tile)
        #expect(load.image.id == image().id)
    }

    @Test func `what stands behind it at home goes on, and costs nobody its content`() {
        let token = issue().tokens[0]
        _ = claim(token, at: 1)
        nodes.deliverAll()
        let load = nodes[0].loader.loads.all[0]
        #expect(load.cancels.count == 0)
        load.succeed()
        #expect(nodes[0].book.statistics.live == 1)
        let other = issue().tokens[0]
        _ = claim(other, at: 1)
        nodes.deliverAll()
        nodes[0].loader.loads.all[1].fail()
        #expect(nodes[0].book.statistics.failed == 0, "the other node says how it ended")
    }

    @Test func `an original, which each node fetches for itself, is left at home`() {
        let token = issue(1, .original).tokens[0]
        _ = claim(token, at: 1, 1, .original)
        nodes.deliverAll()
        #expect(nodes[0].loader.loads.all[0].cancels.count == 1 && nodes[1].loader.loads.count == 1)
        #expect(nodes[0].book.statistics.live == 1)
    }

    @Test func `of two nodes that claim it at once one is served`() {
        let token = issue().tokens[0]
        let claims = [claim(token, at: 1), claim(token, at: 2)]
        nodes.deliverAll()
        for node in [1, 2] { for load in nodes[node].loader.loads.all { load.succeed() } }
        #expect(claims.map(\.names).sorted { $0[0] < $1[0] } == [["content"], ["refused used"]])
        // So is one that comes home, and one to the same node.
        #expect(claimAtHome(token) == ["refused used"])
        #expect(claim(token, at: 1).names == ["refused used"])
    }

    private func claimAtHome(_ token: Token) -> [String] {
        let outcomes = Recorder<TokenBook.Outcome>()
        nodes[0].book.claim(token, image: image().id, rendition: .tile) { outcomes.record($0) }
        return outcomes.all.map(\.name)
    }

    @Test func `a claim at home comes before that of another node, or after it`() {
        let token = issue().tokens[0]
        #expect(claimAtHome(token).isEmpty)
        let late = claim(token, at: 1)
        nodes.deliverAll()
        #expect(late.names == ["refused used"])
    }

    @Test func `another picture, another rendition and what never was are refused`() {
        let token = issue().tokens[0]
        let claims = [
            claim(token, at: 1, 2), claim(Token(of: nodes[0].book.node), at: 1), claim(token, at: 2, 1, .screen),
            claim(Token(of: NodeTag()), at: 1),
        ]
        nodes.deliverAll()
        #expect(
            claims.map(\.names) == [
                ["refused otherPicture"], ["refused unknown"], ["refused otherPicture"], ["refused unknown"],
            ])
        #expect(nodes[0].book.lentCount == 0 && nodes[1].borrowed.count == 0)
    }

    @Test func `a failure is told to the request, and to the home`() {
        let token = issue().tokens[0]
        let claim = claim(token, at: 1)
        nodes.deliverAll()
        nodes[1].loader.loads.all[0].fail()
        nodes.deliverAll()
        #expect(claim.names == ["failed 502"] && nodes[0].book.statistics.failed == 1 && isAtRest)
    }

    @Test func `a client that leaves ends its token everywhere`() {
        let tokens = issue(2).tokens
        let claims = [claim(tokens[0], at: 1), claim(tokens[1], at: 2)]
        // One while its home is asked, one while its picture is loaded.
        claims[0].sending.finish(tokens[0], .cancelled)
        nodes.deliverAll()
        claims[1].sending.finish(tokens[1], .cancelled)
        nodes.deliverAll()
        #expect(nodes[0].book.statistics.cancelled == 2 && isAtRest)
        #expect(nodes[2].loader.loads.all[0].cancels.count == 1 && nodes[1].loader.loads.count == 0)
    }

    // MARK: - Cancelled

    @Test func `a cancel before the request is honoured by every node`() {
        let (session, tokens) = issue()
        nodes[0].book.cancel(tokens, in: session)
        let claim = claim(tokens[0], at: 1)
        nodes.deliverAll()
        #expect(claim.names == ["cancelled"] && isAtRest)
    }

    @Test func `a cancel while the home is asked, and while it is loaded, answers the request`() {
        let (session, tokens) = issue(2)
        let asking = claim(tokens[0], at: 1)
        nodes.deliver(0)
        // It is lent, which its borrower has not heard yet.
        nodes[0].book.cancel([tokens[0]], in: session)
        nodes.deliver(1)
        #expect(asking.names == ["cancelled"], "the recall has overtaken the loan")
        let loading = claim(tokens[1], at: 2)
        nodes.deliverAll()
        nodes[0].book.cancel([tokens[1]], in: session)
        nodes.deliverAll()
        #expect(loading.names == ["cancelled"] && nodes[2].loader.loads.all[0].cancels.count == 1)
        #expect(nodes[1].loader.loads.count == 0 && isAtRest)
    }

    @Test(arguments: ["cancel", "next token", "end of the session"])
    func `a cancel is acknowledged only when the body has stopped`(way: String) async {
        let (session, tokens) = issue()
        let claim = sending(tokens[0], at: 1)
        switch way {
        case "cancel": #expect(nodes[0].book.cancel(tokens, in: session) == 1)
        case "next token": _ = issue(session: session)
        default: #expect(nodes[0].book.close(session) == 1)
        }
        #expect(claim.sending.mayStillSend(tokens[0]), "it has not been told yet")
        #expect(!isRecalled(session))
        // Another cancel of the same is not acknowledged earlier.
        #expect(nodes[0].book.cancel(tokens, in: session) == 0 && !isRecalled(session))
        nodes.deliver(0)
        #expect(!claim.sending.mayStillSend(tokens[0]))
        #expect(!isRecalled(session))
        nodes.deliverAll()
        #expect(isRecalled(session))
        await nodes[0].book.recalled(in: session)
        claim.sending.finish(tokens[0], .failed)
        nodes.deliverAll()
        nodes[0].book.close(session)
        #expect(nodes[0].book.statistics.cancelled == (way == "next token" ? 2 : 1))
        #expect(nodes[0].book.statistics.failed == 0 && isAtRest)
    }

    @Test func `who waits for the acknowledgement goes on when it comes`() async {
        let (session, tokens) = issue()
        _ = sending(tokens[0], at: 1)
        nodes[0].book.cancel(tokens, in: session)
        let book = nodes[0].book
        async let acknowledged: Void = book.recalled(in: session)
        while book.state.withLock({ $0.recalls[session]?.waiting.isEmpty }) == true { await Task.yield() }
        nodes.deliverAll()
        await acknowledged
        #expect(isAtRest)
    }

    @Test func `a cancel after the end is none`() {
        let (session, tokens) = issue()
        let claim = sending(tokens[0], at: 1)
        claim.sending.finish(tokens[0], .delivered)
        nodes.deliverAll()
        #expect(nodes[0].book.cancel(tokens, in: session) == 0 && isRecalled(session))
        #expect(nodes[0].book.statistics.delivered == 1 && isAtRest)
    }

    // MARK: - Nodes that die, and words that are lost

    @Test func `a cancel is acknowledged when the loan has lapsed, whatever is lost`() {
        let (session, tokens) = issue()
        let claim = sending(tokens[0], at: 1)
        nodes[0].book.cancel(tokens, in: session)
        nodes.lose(0)
        nodes.pass(.milliseconds(900))
        #expect(claim.sending.mayStillSend(tokens[0]) && !isRecalled(session))
        nodes.pass(.milliseconds(100))
        #expect(!claim.sending.mayStillSend(tokens[0]) && isRecalled(session))
        // Its borrower finds out by itself.
        nodes.pass(.milliseconds(1))
        #expect(nodes[1].borrowed.renewals().isEmpty && isAtRest)
    }

    @Test func `a recall that is lost is made good by the next renewal`() {
        let (session, tokens) = issue()
        let claim = sending(tokens[0], at: 1)
        nodes[0].book.cancel(tokens, in: session)
        nodes.lose(0)
        nodes.renew(1)
        nodes.deliverAll()
        #expect(!claim.sending.mayStillSend(tokens[0]))
    }

    @Test func `a loan is good for as long as it is renewed`() {
        let token = issue().tokens[0]
        let claim = sending(token, at: 1)
        for _ in 0..<20 {
            nodes.pass(.milliseconds(250))
            nodes.renew(1)
            nodes.deliverAll()
            nodes[0].book.closeIdleSessions()
            #expect(claim.sending.mayStillSend(token))
        }
        claim.sending.finish(token, .delivered)
        nodes.deliverAll()
        #expect(nodes[0].book.statistics.delivered == 1 && isAtRest)
    }

    @Test func `the answer to a renewal counts from when it was asked for`() {
        let token = issue().tokens[0]
        let claim = sending(token, at: 1)
        nodes.pass(.milliseconds(900))
        nodes.renew(1)
        nodes.deliver(0)
        nodes.pass(.milliseconds(900))
        nodes.deliver(0)
        #expect(claim.sending.mayStillSend(token))
        nodes.pass(.milliseconds(100))
        #expect(!claim.sending.mayStillSend(token))
    }

    @Test func `a borrower that dies has failed its token`() {
        let token = issue().tokens[0]
        _ = sending(token, at: 1)
        nodes.kill(1)
        nodes.pass(.milliseconds(1_001))
        #expect(nodes[0].book.lentCount == 1)
        nodes[0].book.closeIdleSessions()
        #expect(nodes[0].book.statistics.failed == 1 && nodes[0].book.holdsNothing)
    }

    @Test func `a home that dies is as a restart, and what it had lent breaks off`() {
        let tokens = issue(3).tokens
        let (body, loading) = (sending(tokens[0], at: 1), claim(tokens[1], at: 1))
        nodes.deliverAll()
        nodes.kill(0)
        #expect(claim(tokens[2], at: 2).names == ["refused unknown"])
        nodes.renew(1)
        nodes.pass(.milliseconds(1_001))
        nodes.renew(1)
        #expect(!body.sending.mayStillSend(tokens[0]) && loading.names == ["refused unknown"])
        #expect(nodes[1].borrowed.count == 0 && nodes[1].loader.loads.all[1].cancels.count == 1)
    }

    @Test func `a home that does not answer refuses, and what it lent for nothing lapses`() {
        let token = issue().tokens[0]
        let claim = claim(token, at: 1)
        nodes.deliver(0)
        nodes.lose(0)
        #expect(claim.names == ["refused unknown"] && nodes[1].borrowed.count == 0)
        nodes.pass(.milliseconds(1_001))
        nodes[0].book.closeIdleSessions()
        #expect(nodes[0].book.statistics.failed == 1 && isAtRest)
    }

    @Test func `only the borrower renews and ends a loan`() {
        let token = issue().tokens[0]
        _ = sending(token, at: 1)
        let stranger = nodes[2].book.node
        #expect(nodes[0].book.renew([token], of: stranger).isEmpty)
        nodes[0].book.end(token, .delivered, by: stranger)
        #expect(nodes[0].book.lentCount == 1 && nodes[0].book.statistics.live == 1)
    }

    @Test func `loans are bounded`() {
        var configuration = TokenBook.Configuration()
        configuration.maximumLoans = 1
        let book = TokenBook(configuration: configuration, loader: MockLoader())
        let wishes = (0..<2).map {
            TokenBook.Wish(slot: $0, request: LoadRequest(image: image(), rendition: .tile, format: .avif))
        }
        let tokens = book.issue(wishes).tokens.map(\.token)
        let lent = tokens.map { book.lend($0, image: image().id, rendition: .tile, to: NodeTag()) }
        #expect(lent == [.lent(format: .avif, insists: false), .failed(.overloaded)])
    }
}
