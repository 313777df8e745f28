import Clients
import Images
import Locking
import Renditions
import Scheduling

/// Tokens of other nodes whose requests arrived at this one. This node answers them for as long as the owner nodes
/// permit it.
///
/// All calls are safe from any thread and none blocks.
public final class ForwardedTokens: Sendable {
    /// Requests with other nodes' tokens at once.
    private static let maximumRequests = 4_096
    /// The same limit for one client.
    private static let maximumPerClient = 512

    private let loader: any RenditionLoading
    private let forwarding: any SessionForwarding
    private let time: any TimeKeeping
    private let state = Guarded(State())

    private struct State: Sendable {
        var forwarded: [Token: ForwardedToken] = [:]
        var holders = Tally<Client>()
    }

    public init(
        loader: any RenditionLoading, forwarding: any SessionForwarding = SingleNode(),
        time: any TimeKeeping = SystemTime()
    ) {
        self.loader = loader
        self.forwarding = forwarding
        self.time = time
    }

    /// Whether there are no other nodes, and never will be.
    public var isSingleNode: Bool { forwarding.isSingleNode }

    /// The number of tokens that are requested or granted.
    public var count: Int { state.withLock { $0.forwarded.count } }

    /// Claims another node's token for a request for this image. `answer` is called exactly once, from any thread,
    /// perhaps before this returns. It must not block.
    ///
    /// - Parameter answer: Receives the outcome, and the object that the response body must ask before each frame. This
    ///   method returns the same object.
    /// - Returns: The object to tell how the response ended.
    public func claim(
        _ token: Token, image: GalleryImage, rendition: Rendition, client: Client,
        answer: @escaping @Sendable (any TokenSending, TokenRegistry.Outcome) -> Void
    ) -> any TokenSending {
        let one = ForwardedToken(token, loader: loader, forwarding: forwarding, time: time, answer: answer) {
            [weak self] one in
            self?.forget(one, of: client)
        }
        let refusal = state.withLock { state -> TokenRegistry.Outcome? in
            guard state.forwarded[token] == nil else { return .refused(.used) }
            guard state.forwarded.count < Self.maximumRequests else { return .failed(.overloaded) }
            guard state.holders.take(for: client, upTo: Self.maximumPerClient) else { return .failed(.tooManyWaiting) }
            state.forwarded[token] = one
            return nil
        }
        if let refusal {
            one.refuse(refusal)
            return one
        }
        // The grant counts from here, however long the reply takes.
        let until = time.uptime() + TokenRegistry.grantTime
        forwarding.requestForwarding(token, image: image.id, rendition: rendition, for: client) { result in
            switch result {
            case .success(.permitted(let format, let bypassesNegativeCache)):
                let request = LoadRequest(
                    image: image, rendition: rendition, format: format, bypassesNegativeCache: bypassesNegativeCache)
                one.permitted(request, until: until, for: client)
            case .success(.cancelled): one.refuse(.cancelled)
            case .success(.failed(let failure)): one.refuse(.failed(failure))
            case .success(.refused(let refusal)): one.refuse(.refused(refusal))
            case .failure(.gone), .failure(.silent): one.refuse(.refused(.unknown))
            case .failure(.overloaded): one.refuse(.failed(.tooManyWaiting))
            }
        }
        return one
    }

    private func forget(_ one: ForwardedToken, of client: Client) {
        state.withLock { state in
            guard state.forwarded[one.token] === one else { return }
            state.forwarded[one.token] = nil
            state.holders.giveBack(by: client)
        }
    }

    // MARK: - For node messaging

    /// The owner node has cancelled these tokens. Once this returns, no further frame of them is sent.
    public func revoked(_ tokens: [Token]) {
        let some = state.withLock { state in tokens.compactMap { state.forwarded[$0] } }
        for one in some { one.revoked() }
    }

    /// The grants to renew, by owner node. Ends the tokens whose grants have expired.
    public func renewals() -> [NodeTag: [Token]] {
        let all = state.withLock { Array($0.forwarded.values) }
        var renewals: [NodeTag: [Token]] = [:]
        let now = time.uptime()
        for one in all where one.isHeld(at: now) { renewals[one.token.ownerNode, default: []].append(one.token) }
        return renewals
    }

    /// Extends the `granted` tokens after their owner node was asked at `moment` of ``TimeKeeping/uptime()``, and ends
    /// the others.
    public func renewed(_ granted: [Token], of asked: [Token], since moment: Duration) {
        let granted = Set(granted)
        revoked(asked.filter { !granted.contains($0) })
        let some = state.withLock { state in granted.compactMap { state.forwarded[$0] } }
        for one in some { one.extend(until: moment + TokenRegistry.grantTime) }
    }
}
