public import Clients
public import Images
public import Renditions

/// Reaches the sessions that other nodes own, and the nodes that tokens of this one are forwarded to.
///
/// All calls return at once, from any thread. Each `answer` is called exactly once, from any thread, and must not
/// block.
public protocol SessionForwarding: Sendable {
    /// Whether there are no other nodes, and never will be. A different tag then belongs to an earlier run.
    var isSingleNode: Bool { get }

    /// Asks the owner node of a session to issue tokens.
    ///
    /// - Parameter answer: Receives a token for each slot, in order; nil where the owner node does not have the image.
    func issue(
        _ tokenRequest: ForwardedTokenRequest, answer: @escaping @Sendable (Result<[Token?], ForwardingFailure>) -> Void
    )

    /// Asks the owner node of a session to cancel tokens, or to end the whole session if `tokens` is nil.
    ///
    /// - Parameter answer: Receives the number of cancelled tokens once no node sends any of them. If the owner node is
    ///   gone, the number is 0, and the call comes after every grant of that node has expired.
    func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, ForwardingFailure>) -> Void)

    /// Asks the owner node of a token for permission to answer a request with it here.
    func requestForwarding(
        _ token: Token, image: ImageID, rendition: Rendition, for client: Client,
        answer: @escaping @Sendable (Result<ForwardingReply, ForwardingFailure>) -> Void)

    /// Reports to the owner node of a token how it ended here.
    func announce(_ token: Token, ended end: TokenEnd)

    /// Asks the node that was permitted to send a token to stop sending it.
    ///
    /// - Parameters:
    ///   - time: The node stops by itself after this time, even if it never receives the request.
    ///   - stopped: Called once, when the node has confirmed that it stopped, or after that time.
    func revoke(
        _ token: Token, from forwarder: NodeTag, within time: Duration, stopped: @escaping @Sendable () -> Void)
}

/// A request for tokens in a session that another node owns.
public struct ForwardedTokenRequest: Hashable, Sendable {
    public var session: SessionID
    /// The client that makes the request. The owner node applies its limits.
    public var client: Client
    public var rendition: Rendition
    public var format: OutputFormat
    /// Whether the slots are displayed now, or prefetched.
    public var isVisible: Bool
    /// Bypasses the negative cache.
    public var bypassesNegativeCache: Bool
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
        bypassesNegativeCache: Bool, slots: [Slot]
    ) {
        self.session = session
        self.client = client
        self.rendition = rendition
        self.format = format
        self.isVisible = isVisible
        self.bypassesNegativeCache = bypassesNegativeCache
        self.slots = slots
    }
}

/// The reply of a token's owner node to the node that received a request with the token.
public enum ForwardingReply: Hashable, Sendable {
    /// That node may send it for ``TokenRegistry/grantTime`` from when it asked, and longer if it renews the grant.
    /// `format` and `bypassesNegativeCache` are those the token was issued with.
    case permitted(format: OutputFormat, bypassesNegativeCache: Bool)
    case cancelled
    case failed(LoadFailure)
    case refused(ClaimRefusal)
}

/// Why another node did not reply.
public enum ForwardingFailure: Error, Hashable, Sendable {
    /// No node uses that tag: it has died or was stopped, or it cannot be reached.
    case gone
    /// The node is running but did not reply in time, or no node can be asked at present.
    case silent
    /// Not sent, because too many requests of this client or this node already wait for replies.
    case overloaded
}
