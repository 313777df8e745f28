import Images
import Scheduling

extension TokenRegistry {
    /// The outcome for a request with a token.
    public enum Outcome: Sendable {
        /// The token is `sending` now: ask `mayContinue` before each frame, and call `finish` at the end.
        case content(LoadedContent)
        case failed(LoadFailure)
        /// Cancelled before the body began: respond with 204 and keep the connection open.
        case cancelled
        case refused(ClaimRefusal)
    }

    /// A request for a token for one slot.
    public struct TokenRequest: Sendable {
        public var slot: Int
        public var request: LoadRequest
        /// Whether the slot is displayed now or prefetched.
        public var level: Priority.Level
        /// Slots between this one and the viewport's centre. With nil, the middle of the list of requests is the
        /// centre.
        public var distance: UInt32?

        public init(slot: Int, request: LoadRequest, level: Priority.Level = .visible, distance: UInt32? = nil) {
            self.slot = slot
            self.request = request
            self.level = level
            self.distance = distance
        }
    }

    /// An issued token, as reported to its client.
    public struct Issued: Hashable, Sendable {
        public let slot: Int
        public let image: ImageID
        public let token: Token
    }
}
