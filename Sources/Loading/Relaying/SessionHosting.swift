public import Clients
public import Images

/// The home of sessions, as other nodes see it. What they say is not believed: bounds are those of the book, and a loan is
/// renewed and ended by the node that has it and by no other.
///
/// Calls come from the relay, and must not block.
public protocol SessionHosting: Sendable {
    /// Ends the loans that have lapsed.
    ///
    /// - Returns: Tokens that other nodes have now.
    func settleLoans() -> Int

    /// Gives tokens, in the order of the slots; nil where this node does not have the image.
    func issue(
        _ order: RelayedOrder, answer: @escaping @Sendable (Result<[Token?], RelayFailure>) -> Void)

    /// Cancels tokens, or ends the session where `tokens` is nil; answers with how many were cancelled, once no node sends
    /// any of them.
    func cancel(
        _ tokens: [Token]?, in session: SessionID, for client: Client,
        answer: @escaping @Sendable (Result<Int, RelayFailure>) -> Void)

    /// Lends a token whose request came to another node.
    func lend(_ token: Token, image: ImageID, rendition: Rendition, to borrower: NodeTag) -> Lending

    /// Lets a node go on with what it has borrowed.
    ///
    /// - Returns: Those of the tokens that it still has.
    func renew(_ tokens: [Token], of borrower: NodeTag) -> [Token]

    /// A node has dealt with a token that it borrowed.
    func end(_ token: Token, _ end: TokenEnd, by borrower: NodeTag)
}
