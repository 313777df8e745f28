extension RedisClient {
    /// The limits of one client.
    public struct Configuration: Sendable {
        /// How long to wait for a lookup of the server's name. The lookup continues after that, and a later attempt may
        /// use its result.
        public var lookupTime: Duration = .seconds(2)
        /// How long a server may take to accept a connection, including authentication.
        public var greetingTime: Duration = .milliseconds(800)
        /// How long a server may leave commands unanswered. After that, the next command that times out closes the
        /// connection, so that a server that hangs delays nobody any longer.
        public var longestSilence: Duration = .milliseconds(180)
        /// The interval of health checks, and the timeout of each.
        public var heartbeatPause: Duration = .seconds(1)
        public var heartbeatTime: Duration = .milliseconds(500)
        /// The pause before the first reconnection attempt; doubles with each failed attempt, and with each connection
        /// that does not last.
        public var firstPause: Duration = .milliseconds(50)
        /// The longest pause between attempts: a server that is back is found within it.
        public var longestPause: Duration = .seconds(2)
        /// A connection that lasts at least this long counts as stable.
        public var steadyTime: Duration = .seconds(5)
        /// The maximum number of commands waiting for replies. Further ones fail at once.
        public var maximumPending = 4_096
        /// The maximum size in bytes of all such commands, and of the output waiting to be sent.
        public var maximumPendingBytes = 16 << 20
        /// The maximum size of a reply in bytes. The connection is closed if a server sends more.
        public var maximumReplyBytes = 4 << 20

        public init() {}

        /// - Throws: ``Invalid`` with the first value that is out of range.
        public func validate() throws(Invalid) {
            guard lookupTime > .zero else { throw Invalid(field: "lookupTime") }
            guard greetingTime > .zero else { throw Invalid(field: "greetingTime") }
            guard longestSilence > .zero else { throw Invalid(field: "longestSilence") }
            guard heartbeatPause > .zero else { throw Invalid(field: "heartbeatPause") }
            guard heartbeatTime > .zero else { throw Invalid(field: "heartbeatTime") }
            guard firstPause > .zero, firstPause <= longestPause else { throw Invalid(field: "firstPause") }
            guard steadyTime >= .zero else { throw Invalid(field: "steadyTime") }
            guard maximumPending > 0 else { throw Invalid(field: "maximumPending") }
            guard maximumPendingBytes > 0 else { throw Invalid(field: "maximumPendingBytes") }
            guard maximumReplyBytes > 0 else { throw Invalid(field: "maximumReplyBytes") }
        }

        /// A value is out of range.
        public struct Invalid: Error, Hashable, Sendable {
            public let field: String
        }
    }
}
