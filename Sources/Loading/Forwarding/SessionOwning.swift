public import Clients
public import Images

/// The owner of sessions, as other nodes see it. It does not trust the other nodes: the registry's own limits apply,
/// and only the node that holds a grant can renew or end it.
///
/// The node messaging makes the calls, and they must not block.
public protocol SessionOwning: Sendable {
    /// Ends the grants that have expired.
    ///
    /// - Returns: The number of tokens that other nodes hold now.
    func settleGrants() -> Int

    /// Issues tokens, in the order of the slots; nil where this node does not have the image.
    func issue(
        _ tokenRequest: ForwardedTokenRequest, answer: @escaping @Sendable (Result<[Token?], ForwardingFailure>) -> Void
    )

    /// Cancels tokens, or ends the session if `tokens` is nil. Answers with the number of cancelled tokens once no node
    /// sends any of them.
    func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, ForwardingFailure>) -> Void)

    /// Permits another node to answer a request with this token.
    func grantForwarding(_ token: Token, image: ImageID, rendition: Rendition, to forwarder: NodeTag) -> ForwardingReply

    /// Renews the grants of a node.
    ///
    /// - Returns: The tokens whose grants are still valid.
    func renew(_ tokens: [Token], of forwarder: NodeTag) -> [Token]

    /// Ends a token that a node has finished with.
    func end(_ token: Token, _ end: TokenEnd, by forwarder: NodeTag)
}
