/// Says whether the body of a token may go on, and is told of its end: the book of a token of this node, or a loan from
/// another one.
public protocol TokenSending: AnyObject, Sendable {
    /// Whether bytes of this token may go out: asked before each frame.
    func mayStillSend(_ token: Token) -> Bool

    /// Ends a token whose body has been dealt with: `.delivered` when every byte was handed over, `.cancelled` when the
    /// client went away, `.failed` when the content broke. Does nothing when the token has ended already.
    func finish(_ token: Token, _ end: TokenEnd)
}
