import Images
import Scheduling

extension TokenBook {
    /// What the request that bears a token is to be answered with.
    public enum Outcome: Sendable {
        /// The token is `sending` now: ask `mayStillSend` before each piece, and say `finish` at the end.
        case content(LoadedContent)
        case failed(LoadFailure)
        /// Cancelled before the body could begin: 204, and the connection lives on.
        case cancelled
        case refused(ClaimRefusal)
    }

    /// One slot that wants a token.
    public struct Wish: Sendable {
        public var slot: Int
        public var request: LoadRequest
        /// Whether somebody looks at the slot now.
        public var lane: Priority.Lane
        /// Slots between this one and the viewport's centre. Nil takes the middle of the wishes for the centre.
        public var distance: UInt32?

        public init(slot: Int, request: LoadRequest, lane: Priority.Lane = .visible, distance: UInt32? = nil) {
            self.slot = slot
            self.request = request
            self.lane = lane
            self.distance = distance
        }
    }

    /// A token as its client is told of it.
    public struct Issued: Hashable, Sendable {
        public let slot: Int
        public let image: ImageID
        public let token: Token
    }
}
