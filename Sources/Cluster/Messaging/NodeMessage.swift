import Clients
import Images
import Loading
import Renditions

/// A message between two nodes about sessions and tokens, published on the receiver's channel. The number pairs a
/// reply with its request.
struct NodeMessage: Hashable, Sendable {
    /// The node that sent the message.
    var sender: NodeTag
    var number: UInt64
    var body: Body

    enum Body: Hashable, Sendable {
        // Requests to the owner node of a session or token.
        case issue(ForwardedTokenRequest)
        case cancel([Token]?, in: SessionID, for: Client)
        case requestForwarding(Token, image: ImageID, Rendition)
        case renew([Token])
        // The owner node's replies.
        case issued([Token?])
        case cancelled(Int)
        case reply(ForwardingReply)
        case renewed([Token])
        case overloaded
        // The course of a loan: the borrower's final state, the owner node's recall, and the borrower's confirmation.
        case ended(Token, TokenEnd)
        case revoke(Token)
        case stopped
    }

    /// The first byte of an encoded message.
    enum Kind: UInt8 {
        case issue, cancel, requestForwarding, renew
        case issued, cancelled, reply, renewed, overloaded
        case ended, revoke, stopped
    }

    /// The largest message in bytes; longer ones are rejected.
    static let maximumBytes = 32 << 10
    static let maximumSlots = 500
    static let maximumTokens = 1_000
}
