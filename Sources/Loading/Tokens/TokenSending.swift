/// Decides whether the response for a token may continue, and receives its end: the registry for a token of this node,
/// or a forwarded token of another node.
public protocol TokenSending: AnyObject, Sendable {
    /// Whether bytes of this token may be sent. Ask before each frame.
    func mayContinue(_ token: Token) -> Bool

    /// Ends a token whose response is over: `.delivered` when every byte was handed to the connection, `.cancelled`
    /// when the client disconnected, `.failed` when the content broke. Does nothing when the token has already ended.
    func finish(_ token: Token, _ end: TokenEnd)
}
