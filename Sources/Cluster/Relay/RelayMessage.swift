import Clients
import Images
import Loading
import Renditions

/// What two nodes tell each other about sessions and tokens: each on the other's channel, with a number by which an answer
/// is known.
struct RelayMessage: Hashable, Sendable {
    /// Who says it.
    var sender: NodeTag
    var number: UInt64
    var body: Body

    enum Body: Hashable, Sendable {
        // Questions to the home of a session or a token.
        case issue(RelayedOrder)
        case cancel([Token]?, in: SessionID, for: Client)
        case borrow(Token, image: ImageID, Rendition)
        case renew([Token])
        // What the home answers.
        case issued([Token?])
        case cancelled(Int)
        case lending(Lending)
        case renewed([Token])
        case crowded
        // Of a loan: how it ended; that it is over, asked by the home; and that it is, answered.
        case ended(Token, TokenEnd)
        case recall(Token)
        case stopped
    }

    /// What stands first in the written form.
    enum Kind: UInt8 {
        case issue, cancel, borrow, renew
        case issued, cancelled, lending, renewed, crowded
        case ended, recall, stopped
    }

    /// Bytes of a message; a longer one is none.
    static let longest = 32 << 10
    static let mostSlots = 500
    static let mostTokens = 1_000
}
