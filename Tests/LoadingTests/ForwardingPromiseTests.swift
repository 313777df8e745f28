import Clients
import Images
import Locking
import Renditions
import Scheduling
import Testing

@testable import Loading

/// A token is honoured and cancelled on whichever node its request arrives at.
@Suite(.timeLimit(.minutes(1))) struct ForwardingPromiseTests {
    private let nodes = MockNodes()

    private func image(_ number: UInt64 = 1) -> GalleryImage {
        GalleryImage(
            id: ImageID(rawValue: number), name: "", location: .remote(url: ""), version: nil, metadata: ImageMetadata()
        )
    }

    /// Tokens of node 0, for slots from 0 on.
    private func issue(
        _ count: Int = 1, _ rendition: Rendition = .tile, bypassesNegativeCache: Bool = false, session: SessionID? = nil
    ) -> (session: SessionID, tokens: [Token]) {
        let requests = (0..<count).map { slot in
            TokenRegistry.TokenRequest(
                slot: slot,
                request: LoadRequest(
                    image: image(), rendition: rendition, format: .avif, bypassesNegativeCache: bypassesNegativeCache))
        }
        let issued = nodes[0].registry.issue(requests, session: session)
        return (issued.session, issued.tokens.map(\.token))
    }

    private struct Claim {
        let sending: any TokenSending
        let outcomes: Recorder<TokenRegistry.Outcome>
        var names: [String] { outcomes.all.map(\.name) }
    }

    /// Sends a request with the token to a node that did not issue it.
    private func claim(_ token: Token, at node: Int, _ number: UInt64 = 1, _ rendition: Rendition = .tile) -> Claim {
        let outcomes = Recorder<TokenRegistry.Outcome>()
        let sending = nodes[node].forwarded.claim(token, image: image(number), rendition: rendition, client: .one) {
            outcomes.record($1)
        }
        return Claim(sending: sending, outcomes: outcomes)
    }

    /// Sends such a request and waits until the body begins.
    private func sending(_ token: Token, at node: Int) -> Claim {
        let claim = claim(token, at: node)
        nodes.deliverAll()
        nodes[node].loader.loads.all.last?.succeed()
        return claim
    }

    private func isRevoked(_ session: SessionID) -> Bool {
        nodes[0].registry.state.withLock { $0.revocations[session] == nil }
    }

    private var isAtRest: Bool {
        nodes.nodes.allSatisfy { $0.registry.holdsNothing && $0.forwarded.count == 0 } && nodes.countUnderWay == 0
    }

    // MARK: - Honoured

    @Test func `the node that gets the request serves the token, and the owner node learns how it ended`() {
        let token = issue().tokens[0]
        let claim = claim(token, at: 1)
        #expect(claim.names.isEmpty)
        nodes.deliverAll()
        #expect(nodes[0].registry.permittedCount == 1 && nodes[1].forwarded.count == 1)
        nodes[1].loader.loads.all[0].succeed()
        #expect(claim.names == ["content"] && claim.sending.mayContinue(token))
        claim.sending.finish(token, .delivered)
        #expect(!claim.sending.mayContinue(token))
        nodes.deliverAll()
        #expect(nodes[0].registry.statistics.delivered == 1 && nodes[0].registry.statistics.live == 0)
        #expect(isAtRest)
    }

    @Test func `a forwarded token loads the rendition it was issued for, in its format`() {
        let token = issue(bypassesNegativeCache: true).tokens[0]
        _ = claim(token, at: 1)
        nodes.deliverAll()
        let load = nodes[1].loader.loads.all[0].request
        #expect(load.format == .avif && load.bypassesNegativeCache && load.rendition == .tile)
        #expect(load.image.id == image().id)
    }

    @Test func `the owner node's own load continues, and its outcome does not end a forwarded token`() {
        let token = issue().tokens[0]
        _ = claim(token, at: 1)
        nodes.deliverAll()
        let load = nodes[0].loader.loads.all[0]
        #expect(load.cancels.count == 0)
        load.succeed()
        #expect(nodes[0].registry.statistics.live == 1)
        let other = issue().tokens[0]
        _ = claim(other, at: 1)
        nodes.deliverAll()
        nodes[0].loader.loads.all[1].fail()
        #expect(nodes[0].registry.statistics.failed == 0, "the forwarding node reports how it ended")
    }

    @Test func `forwarding a token for an original cancels the owner node's load`() {
        let token = issue(1, .original).tokens[0]
        _ = claim(token, at: 1, 1, .original)
        nodes.deliverAll()
        #expect(nodes[0].loader.loads.all[0].cancels.count == 1 && nodes[1].loader.loads.count == 1)
        #expect(nodes[0].registry.statistics.live == 1)
    }

    @Test func `of two nodes that claim a token at the same time one is served`() {
        let token = issue().tokens[0]
        let claims = [claim(token, at: 1), claim(token, at: 2)]
        nodes.deliverAll()
        for node in [1, 2] { for load in nodes[node].loader.loads.all { load.succeed() } }
        #expect(claims.map(\.names).sorted { $0[0] < $1[0] } == [["content"], ["refused used"]])
        // A second request is also refused at the owner node, and at the same node.
        #expect(claimAtHome(token) == ["refused used"])
        #expect(claim(token, at: 1).names == ["refused used"])
    }

    private func claimAtHome(_ token: Token) -> [String] {
        let outcomes = Recorder<TokenRegistry.Outcome>()
        nodes[0].registry.claim(token, image: image().id, rendition: .tile) { outcomes.record($0) }
        return outcomes.all.map(\.name)
    }

    @Test func `a token claimed at its owner node is refused to another node`() {
        let token = issue().tokens[0]
        #expect(claimAtHome(token).isEmpty)
        let late = claim(token, at: 1)
        nodes.deliverAll()
        #expect(late.names == ["refused used"])
    }

    @Test func `a token for another image or rendition, or an unknown token, is refused`() {
        let token = issue().tokens[0]
        let claims = [
            claim(token, at: 1, 2), claim(Token(of: nodes[0].registry.node), at: 1), claim(token, at: 2, 1, .screen),
            claim(Token(of: NodeTag()), at: 1),
        ]
        nodes.deliverAll()
        #expect(
            claims.map(\.names) == [
                ["refused otherPicture"], ["refused unknown"], ["refused otherPicture"], ["refused unknown"],
            ])
        #expect(nodes[0].registry.permittedCount == 0 && nodes[1].forwarded.count == 0)
    }

    @Test func `a failure is reported to the request and to the owner node`() {
        let token = issue().tokens[0]
        let claim = claim(token, at: 1)
        nodes.deliverAll()
        nodes[1].loader.loads.all[0].fail()
        nodes.deliverAll()
        #expect(claim.names == ["failed 502"] && nodes[0].registry.statistics.failed == 1 && isAtRest)
    }

    @Test func `a client that disconnects ends its token on every node`() {
        let tokens = issue(2).tokens
        let claims = [claim(tokens[0], at: 1), claim(tokens[1], at: 2)]
        // One cancel while the owner node is asked, and one while the rendition is loaded.
        claims[0].sending.finish(tokens[0], .cancelled)
        nodes.deliverAll()
        claims[1].sending.finish(tokens[1], .cancelled)
        nodes.deliverAll()
        #expect(nodes[0].registry.statistics.cancelled == 2 && isAtRest)
        #expect(nodes[2].loader.loads.all[0].cancels.count == 1 && nodes[1].loader.loads.count == 0)
    }

    // MARK: - Cancelled

    @Test func `a token cancelled before its request is not served by another node`() {
        let (session, tokens) = issue()
        nodes[0].registry.cancel(tokens, in: session)
        let claim = claim(tokens[0], at: 1)
        nodes.deliverAll()
        #expect(claim.names == ["cancelled"] && isAtRest)
    }

    @Test func `a cancel while the owner node is asked or the rendition loads answers the request`() {
        let (session, tokens) = issue(2)
        let asking = claim(tokens[0], at: 1)
        nodes.deliver(0)
        // The owner node has granted the token, but the other node has not received that yet.
        nodes[0].registry.cancel([tokens[0]], in: session)
        nodes.deliver(1)
        #expect(asking.names == ["cancelled"], "the revocation has overtaken the grant")
        let loading = claim(tokens[1], at: 2)
        nodes.deliverAll()
        nodes[0].registry.cancel([tokens[1]], in: session)
        nodes.deliverAll()
        #expect(loading.names == ["cancelled"] && nodes[2].loader.loads.all[0].cancels.count == 1)
        #expect(nodes[1].loader.loads.count == 0 && isAtRest)
    }

    @Test(arguments: ["cancel", "next token", "end of the session"])
    func `a cancel is acknowledged only once the body has stopped`(way: String) async {
        let (session, tokens) = issue()
        let claim = sending(tokens[0], at: 1)
        switch way {
        case "cancel": #expect(nodes[0].registry.cancel(tokens, in: session) == 1)
        case "next token": _ = issue(session: session)
        default: #expect(nodes[0].registry.close(session) == 1)
        }
        #expect(claim.sending.mayContinue(tokens[0]), "the forwarding node does not know yet")
        #expect(!isRevoked(session))
        // Another cancel of the same tokens is not acknowledged any earlier.
        #expect(nodes[0].registry.cancel(tokens, in: session) == 0 && !isRevoked(session))
        nodes.deliver(0)
        #expect(!claim.sending.mayContinue(tokens[0]))
        #expect(!isRevoked(session))
        nodes.deliverAll()
        #expect(isRevoked(session))
        await nodes[0].registry.revoked(in: session)
        claim.sending.finish(tokens[0], .failed)
        nodes.deliverAll()
        nodes[0].registry.close(session)
        #expect(nodes[0].registry.statistics.cancelled == (way == "next token" ? 2 : 1))
        #expect(nodes[0].registry.statistics.failed == 0 && isAtRest)
    }

    @Test func `a caller waiting for the acknowledgement continues when it arrives`() async {
        let (session, tokens) = issue()
        _ = sending(tokens[0], at: 1)
        nodes[0].registry.cancel(tokens, in: session)
        let registry = nodes[0].registry
        async let acknowledged: Void = registry.revoked(in: session)
        while registry.state.withLock({ $0.revocations[session]?.waiting.isEmpty }) == true { await Task.yield() }
        nodes.deliverAll()
        await acknowledged
        #expect(isAtRest)
    }

    @Test func `a cancel after the token has ended is a no-op`() {
        let (session, tokens) = issue()
        let claim = sending(tokens[0], at: 1)
        claim.sending.finish(tokens[0], .delivered)
        nodes.deliverAll()
        #expect(nodes[0].registry.cancel(tokens, in: session) == 0 && isRevoked(session))
        #expect(nodes[0].registry.statistics.delivered == 1 && isAtRest)
    }

    // MARK: - Dead nodes and lost messages

    @Test func `a cancel is acknowledged once the grant has expired, even if its message is lost`() {
        let (session, tokens) = issue()
        let claim = sending(tokens[0], at: 1)
        nodes[0].registry.cancel(tokens, in: session)
        nodes.lose(0)
        nodes.pass(.milliseconds(900))
        #expect(claim.sending.mayContinue(tokens[0]) && !isRevoked(session))
        nodes.pass(.milliseconds(100))
        #expect(!claim.sending.mayContinue(tokens[0]) && isRevoked(session))
        // The forwarding node notices the expiry by itself.
        nodes.pass(.milliseconds(1))
        #expect(nodes[1].forwarded.renewals().isEmpty && isAtRest)
    }

    @Test func `the next renewal makes up for a lost revocation`() {
        let (session, tokens) = issue()
        let claim = sending(tokens[0], at: 1)
        nodes[0].registry.cancel(tokens, in: session)
        nodes.lose(0)
        nodes.renew(1)
        nodes.deliverAll()
        #expect(!claim.sending.mayContinue(tokens[0]))
    }

    @Test func `a grant is valid for as long as it is renewed`() {
        let token = issue().tokens[0]
        let claim = sending(token, at: 1)
        for _ in 0..<20 {
            nodes.pass(.milliseconds(250))
            nodes.renew(1)
            nodes.deliverAll()
            nodes[0].registry.closeIdleSessions()
            #expect(claim.sending.mayContinue(token))
        }
        claim.sending.finish(token, .delivered)
        nodes.deliverAll()
        #expect(nodes[0].registry.statistics.delivered == 1 && isAtRest)
    }

    @Test func `a renewal extends the grant from the moment it was requested`() {
        let token = issue().tokens[0]
        let claim = sending(token, at: 1)
        nodes.pass(.milliseconds(900))
        nodes.renew(1)
        nodes.deliver(0)
        nodes.pass(.milliseconds(900))
        nodes.deliver(0)
        #expect(claim.sending.mayContinue(token))
        nodes.pass(.milliseconds(100))
        #expect(!claim.sending.mayContinue(token))
    }

    @Test func `when the forwarding node dies its token fails`() {
        let token = issue().tokens[0]
        _ = sending(token, at: 1)
        nodes.kill(1)
        nodes.pass(.milliseconds(1_001))
        #expect(nodes[0].registry.permittedCount == 1)
        nodes[0].registry.closeIdleSessions()
        #expect(nodes[0].registry.statistics.failed == 1 && nodes[0].registry.holdsNothing)
    }

    @Test func `when the owner node dies its tokens become unknown and forwarded ones end`() {
        let tokens = issue(3).tokens
        let (body, loading) = (sending(tokens[0], at: 1), claim(tokens[1], at: 1))
        nodes.deliverAll()
        nodes.kill(0)
        #expect(claim(tokens[2], at: 2).names == ["refused unknown"])
        nodes.renew(1)
        nodes.pass(.milliseconds(1_001))
        nodes.renew(1)
        #expect(!body.sending.mayContinue(tokens[0]) && loading.names == ["refused unknown"])
        #expect(nodes[1].forwarded.count == 0 && nodes[1].loader.loads.all[1].cancels.count == 1)
    }

    @Test func `without a reply from the owner node the token is refused, and its grant expires`() {
        let token = issue().tokens[0]
        let claim = claim(token, at: 1)
        nodes.deliver(0)
        nodes.lose(0)
        #expect(claim.names == ["refused unknown"] && nodes[1].forwarded.count == 0)
        nodes.pass(.milliseconds(1_001))
        nodes[0].registry.closeIdleSessions()
        #expect(nodes[0].registry.statistics.failed == 1 && isAtRest)
    }

    @Test func `only the forwarding node can renew or end its grant`() {
        let token = issue().tokens[0]
        _ = sending(token, at: 1)
        let stranger = nodes[2].registry.node
        #expect(nodes[0].registry.renew([token], of: stranger).isEmpty)
        nodes[0].registry.end(token, .delivered, by: stranger)
        #expect(nodes[0].registry.permittedCount == 1 && nodes[0].registry.statistics.live == 1)
    }

    @Test func `the number of grants is limited`() {
        var configuration = TokenRegistry.Configuration()
        configuration.maximumGrants = 1
        let registry = TokenRegistry(configuration: configuration, loader: MockLoader())
        let requests = (0..<2).map {
            TokenRegistry.TokenRequest(slot: $0, request: LoadRequest(image: image(), rendition: .tile, format: .avif))
        }
        let tokens = registry.issue(requests).tokens.map(\.token)
        let permitted = tokens.map { registry.grantForwarding($0, image: image().id, rendition: .tile, to: NodeTag()) }
        #expect(permitted == [.permitted(format: .avif, bypassesNegativeCache: false), .failed(.overloaded)])
    }
}
