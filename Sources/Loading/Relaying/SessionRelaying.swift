public import Clients
public import Images
public import Renditions

/// Reaches sessions that have their home on other nodes, and the nodes that tokens of this one are lent to.
///
/// Calls return at once, from any thread; each `answer` is called exactly once, from any thread, and must not block.
public protocol SessionRelaying: Sendable {
    /// Whether there are no other nodes, and never will be: what bears another tag is of an earlier run.
    var isAlone: Bool { get }

    /// Has a session's home give tokens.
    ///
    /// - Parameter answer: Told the token of each wish in turn, nil where the home does not have the image.
    func issue(
        _ order: RelayedOrder, answer: @escaping @Sendable (Result<[Token?], RelayFailure>) -> Void)

    /// Has a session's home cancel tokens, or end the session with all it has where `tokens` is nil.
    ///
    /// - Parameter answer: Told how many were cancelled, once no node sends any of them. Of a home that is gone none was, and
    ///   it is told after all that it had lent has lapsed.
    func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, RelayFailure>) -> Void)

    /// Asks a token's home to lend it: this node answers the request that bears it.
    func borrow(
        _ token: Token, image: ImageID, rendition: Rendition, for client: Client,
        answer: @escaping @Sendable (Result<Lending, RelayFailure>) -> Void)

    /// Tells a token's home how it ended here.
    func tell(_ token: Token, ended end: TokenEnd)

    /// Has the node that borrowed a token stop sending it.
    ///
    /// - Parameters:
    ///   - time: After so long it has stopped by itself, whether it has heard of this or not.
    ///   - stopped: Called once, when it has said so or after that time.
    func recall(
        _ token: Token, from borrower: NodeTag, within time: Duration, stopped: @escaping @Sendable () -> Void)
}

/// Slots that want tokens of a session with its home on another node.
public struct RelayedOrder: Hashable, Sendable {
    public var session: SessionID
    /// Who asks: its bounds are kept where the session is.
    public var client: Client
    public var rendition: Rendition
    public var format: OutputFormat
    /// Whether somebody looks at the slots now, or soon.
    public var isVisible: Bool
    /// Tries again what failed for good a moment ago.
    public var insists: Bool
    public var slots: [Slot]

    public struct Slot: Hashable, Sendable {
        public var number: Int
        public var image: ImageID

        public init(number: Int, image: ImageID) {
            self.number = number
            self.image = image
        }
    }

    public init(
        session: SessionID, client: Client, rendition: Rendition, format: OutputFormat, isVisible: Bool,
        insists: Bool, slots: [Slot]
    ) {
        self.session = session
        self.client = client
        self.rendition = rendition
        self.format = format
        self.isVisible = isVisible
        self.insists = insists
        self.slots = slots
    }
}

/// What a token's home says to another node that bears a request for it.
public enum Lending: Hashable, Sendable {
    /// That node may send it, for ``TokenBook/loanTime`` from when it asked, and on for as long as it renews that.
    /// `format` and `insists` are as the token was issued for.
    case lent(format: OutputFormat, insists: Bool)
    case cancelled
    case failed(LoadFailure)
    case refused(ClaimRefusal)
}

/// Why another node gave no answer.
public enum RelayFailure: Error, Hashable, Sendable {
    /// No node listens under that tag: it has died or was stopped, or it cannot be reached.
    case gone
    /// It is there, and does not answer in time; or nobody can be asked at present.
    case silent
    /// So many questions of this client, or of this node, wait already that it was not asked.
    case crowded
}
