extension PostgresConnection {
    /// Limits of one connection.
    public struct Configuration: Sendable {
        /// How long a look-up of the server's name is waited for. It goes on after that, and the next attempt may have
        /// its answer.
        public var lookupTime: Duration = .seconds(2)
        /// Until the server at one of its addresses has let one in.
        public var greetingTime: Duration = .seconds(2)
        /// Queries that wait at once. One more fails at once.
        public var mostPending = 256
        /// Bytes of one answer. A server that says more is given up.
        public var mostAnswerBytes = 16 << 20

        public init() {}

        /// - Throws: ``Invalid`` that names the first value out of its bounds.
        public func validate() throws(Invalid) {
            guard lookupTime > .zero else { throw Invalid(field: "lookupTime") }
            guard greetingTime > .zero else { throw Invalid(field: "greetingTime") }
            guard mostPending > 0 else { throw Invalid(field: "mostPending") }
            guard mostAnswerBytes > 0 else { throw Invalid(field: "mostAnswerBytes") }
        }

        /// A value is out of its bounds.
        public struct Invalid: Error, Hashable, Sendable {
            public let field: String
        }
    }
}
