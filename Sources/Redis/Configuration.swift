extension RedisClient {
    /// Limits of one client.
    public struct Configuration: Sendable {
        /// How long a look-up of the server's name is waited for. It goes on after that, and the next attempt may have
        /// its answer.
        public var lookupTime: Duration = .seconds(2)
        /// Until a connection to one of its addresses stands and the server has let one in.
        public var greetingTime: Duration = .milliseconds(800)
        /// For so long a server may owe answers and give none, until the next command that runs out of time ends the
        /// connection: a server that hangs keeps nobody.
        public var longestSilence: Duration = .milliseconds(180)
        /// How often it is asked for a sign of life, and how long that may take.
        public var heartbeatPause: Duration = .seconds(1)
        public var heartbeatTime: Duration = .milliseconds(500)
        /// The pause before the first attempt to connect anew; it doubles with each one in vain, and with each
        /// connection that does not hold.
        public var firstPause: Duration = .milliseconds(50)
        /// The longest pause: what is back is found within it.
        public var longestPause: Duration = .seconds(2)
        /// A connection that ends later has held.
        public var steadyTime: Duration = .seconds(5)
        /// Commands that wait for their answers at once. One more fails at once.
        public var mostPending = 4_096
        /// Bytes of such commands together, and of what waits to be written.
        public var mostPendingBytes = 16 << 20
        /// Bytes of one answer. A server that says more is given up.
        public var mostReplyBytes = 4 << 20

        public init() {}

        /// - Throws: ``Invalid`` that names the first value out of its bounds.
        public func validate() throws(Invalid) {
            guard lookupTime > .zero else { throw Invalid(field: "lookupTime") }
            guard greetingTime > .zero else { throw Invalid(field: "greetingTime") }
            guard longestSilence > .zero else { throw Invalid(field: "longestSilence") }
            guard heartbeatPause > .zero else { throw Invalid(field: "heartbeatPause") }
            guard heartbeatTime > .zero else { throw Invalid(field: "heartbeatTime") }
            guard firstPause > .zero, firstPause <= longestPause else { throw Invalid(field: "firstPause") }
            guard steadyTime >= .zero else { throw Invalid(field: "steadyTime") }
            guard mostPending > 0 else { throw Invalid(field: "mostPending") }
            guard mostPendingBytes > 0 else { throw Invalid(field: "mostPendingBytes") }
            guard mostReplyBytes > 0 else { throw Invalid(field: "mostReplyBytes") }
        }

        /// A value is out of its bounds.
        public struct Invalid: Error, Hashable, Sendable {
            public let field: String
        }
    }
}
