import Clients
import Images
import Locking
import Renditions
import Scheduling

/// Tokens of other nodes whose requests came to this one, and are answered here for as long as their homes lend them.
///
/// All calls are safe from any thread and none blocks.
public final class BorrowedTokens: Sendable {
    /// Requests for other nodes' tokens at once.
    private static let most = 4_096
    /// The same of one client.
    private static let mostPerClient = 512

    private let loader: any RenditionLoading
    private let relay: any SessionRelaying
    private let time: any TimeKeeping
    private let state = Guarded(State())

    private struct State: Sendable {
        var borrowed: [Token: BorrowedToken] = [:]
        var holders = Tally<Client>()
    }

    public init(
        loader: any RenditionLoading, relay: any SessionRelaying = Alone(), time: any TimeKeeping = SystemTime()
    ) {
        self.loader = loader
        self.relay = relay
        self.time = time
    }

    /// Whether there are no other nodes, and never will be.
    public var isAlone: Bool { relay.isAlone }

    /// Tokens that are asked for or held.
    public var count: Int { state.withLock { $0.borrowed.count } }

    /// A request bears another node's token for this picture; `answer` is called exactly once, from any thread, perhaps
    /// before this returns. It must not block.
    ///
    /// - Parameter answer: Also told what the body of the answer asks before each frame, which is what this returns.
    /// - Returns: What is to be told how it ended.
    public func claim(
        _ token: Token, image: GalleryImage, rendition: Rendition, client: Client,
        answer: @escaping @Sendable (any TokenSending, TokenBook.Outcome) -> Void
    ) -> any TokenSending {
        let one = BorrowedToken(token, loader: loader, relay: relay, time: time, answer: answer) { [weak self] one in
            self?.forget(one, of: client)
        }
        let refusal = state.withLock { state -> TokenBook.Outcome? in
            guard state.borrowed[token] == nil else { return .refused(.used) }
            guard state.borrowed.count < Self.most else { return .failed(.overloaded) }
            guard state.holders.take(for: client, upTo: Self.mostPerClient) else { return .failed(.tooManyWaiting) }
            state.borrowed[token] = one
            return nil
        }
        if let refusal {
            one.refuse(refusal)
            return one
        }
        // The loan counts from here, however long the answer takes.
        let until = time.uptime() + TokenBook.loanTime
        relay.borrow(token, image: image.id, rendition: rendition, for: client) { result in
            switch result {
            case .success(.lent(let format, let insists)):
                let request = LoadRequest(
                    image: image, rendition: rendition, format: format, bypassNegativeCache: insists)
                one.lent(request, until: until, for: client)
            case .success(.cancelled): one.refuse(.cancelled)
            case .success(.failed(let failure)): one.refuse(.failed(failure))
            case .success(.refused(let refusal)): one.refuse(.refused(refusal))
            case .failure(.gone), .failure(.silent): one.refuse(.refused(.unknown))
            case .failure(.crowded): one.refuse(.failed(.tooManyWaiting))
            }
        }
        return one
    }

    private func forget(_ one: BorrowedToken, of client: Client) {
        state.withLock { state in
            guard state.borrowed[one.token] === one else { return }
            state.borrowed[one.token] = nil
            state.holders.giveBack(by: client)
        }
    }

    // MARK: - For the relay

    /// Their home has cancelled them. Once this returns no further frame of theirs is begun.
    public func recalled(_ tokens: [Token]) {
        let some = state.withLock { state in tokens.compactMap { state.borrowed[$0] } }
        for one in some { one.recalled() }
    }

    /// The loans that are to be renewed, by their home. Those that have lapsed end here.
    public func renewals() -> [NodeTag: [Token]] {
        let all = state.withLock { Array($0.borrowed.values) }
        var renewals: [NodeTag: [Token]] = [:]
        let now = time.uptime()
        for one in all where one.isHeld(at: now) { renewals[one.token.home, default: []].append(one.token) }
        return renewals
    }

    /// Their home was asked at `moment` of ``TimeKeeping/uptime()``, and has renewed those that are `granted`.
    public func renewed(_ granted: [Token], of asked: [Token], since moment: Duration) {
        let granted = Set(granted)
        recalled(asked.filter { !granted.contains($0) })
        let some = state.withLock { state in granted.compactMap { state.borrowed[$0] } }
        for one in some { one.extend(until: moment + TokenBook.loanTime) }
    }
}
