extension PostgresConnection {
    /// The limits of one connection.
    public struct Configuration: Sendable {
        /// How long to wait for a lookup of the server's name. The lookup continues after that, and a later attempt may
        /// use its result.
        public var lookupTime: Duration = .seconds(2)
        /// How long the server may take to accept a connection, including authentication.
        public var greetingTime: Duration = .seconds(2)
        /// The maximum number of waiting queries. Further ones fail at once.
        public var maximumPending = 256
        /// The maximum size of a response in bytes. The connection is closed if a server sends more.
        public var maximumAnswerBytes = 16 << 20
        /// The maximum size of a single row, and of everything else that a server sends without being asked for it, in
        /// bytes. The connection is closed if a server sends more. While it is exceeded nowhere, a connection needs a
        /// few times as much memory.
        public var maximumMessageBytes = 4 << 20

        public init() {}

        /// - Throws: ``Invalid`` with the first value that is out of range.
        public func validate() throws(Invalid) {
            guard lookupTime > .zero else { throw Invalid(field: "lookupTime") }
            guard greetingTime > .zero else { throw Invalid(field: "greetingTime") }
            guard maximumPending > 0 else { throw Invalid(field: "maximumPending") }
            guard maximumAnswerBytes > 0 else { throw Invalid(field: "maximumAnswerBytes") }
            guard maximumMessageBytes > 0 else { throw Invalid(field: "maximumMessageBytes") }
        }

        /// A value is out of range.
        public struct Invalid: Error, Hashable, Sendable {
            public let field: String
        }
    }
}
