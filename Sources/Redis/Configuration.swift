extension RedisClient {
    /// Limits of one client.
    public struct Configuration: Sendable {
        /// Until a connection stands and the server has let one in.
        public var greetingTime: Duration = .milliseconds(800)
        /// Commands in a row that run out of time until the connection is given up: a server that hangs keeps nobody.
        public var mostSilent = 3
        /// The pause before the first attempt to connect anew; it doubles with each one in vain.
        public var firstPause: Duration = .milliseconds(50)
        /// The longest pause: what is back is found within it.
        public var longestPause: Duration = .seconds(2)
        /// Commands that wait for their answers at once. One more fails at once.
        public var mostPending = 4_096
        /// Bytes of such commands together.
        public var mostPendingBytes = 16 << 20

        public init() {}

        /// - Throws: ``Invalid`` that names the first value out of its bounds.
        public func validate() throws(Invalid) {
            guard greetingTime > .zero else { throw Invalid(field: "greetingTime") }
            guard mostSilent > 0 else { throw Invalid(field: "mostSilent") }
            guard firstPause > .zero, firstPause <= longestPause else { throw Invalid(field: "firstPause") }
            guard mostPending > 0 else { throw Invalid(field: "mostPending") }
            guard mostPendingBytes > 0 else { throw Invalid(field: "mostPendingBytes") }
        }

        /// A value is out of its bounds.
        public struct Invalid: Error, Hashable, Sendable {
            public let field: String
        }
    }
}
