extension TokenRegistry {
    /// Limits for the number and the lifetime of sessions and tokens.
    public struct Configuration: Sendable {
        /// Sessions at once. Beyond that, the client that holds the most loses its least recently used one.
        public var maximumSessions = 4_096
        /// Sessions of one client. Beyond that, the client's least recently used sessions are ended.
        public var maximumSessionsPerClient = 512
        /// Tokens of one client's sessions, live and remembered. Beyond that, its own sessions are ended.
        public var maximumTokensPerClient = 20_000
        /// Live tokens of one session. Beyond that, its oldest tokens are cancelled.
        public var maximumTokens = 1_024
        /// Ended tokens that a session remembers, to answer a late request or cancel correctly.
        public var rememberedTokens = 1_024
        /// Tokens of all sessions, live and remembered. Beyond that, sessions of the client with the most tokens are
        /// ended.
        public var maximumTokensInAll = 100_000
        /// How long a session may be unused before it is ended.
        public var idleTime: Duration = .seconds(120)
        /// Bytes held for tokens whose request has not arrived yet. Content beyond that is loaded again for the
        /// request.
        public var heldBytes = 32 << 20
        /// Partial originals held for such tokens, with a descriptor each. Further ones are fetched again for the
        /// request.
        public var heldOriginals = 64
        /// Tokens forwarded to other nodes at once.
        public var maximumGrants = 4_096
        /// The same limit for one client's tokens.
        public var maximumGrantsPerClient = 512

        public init() {}

        /// - Throws: `InvalidConfiguration` naming the first value that is out of range.
        public func validate() throws(InvalidConfiguration) {
            guard maximumSessions > 0 else { throw InvalidConfiguration(field: "maximumSessions") }
            guard maximumSessionsPerClient > 0 else { throw InvalidConfiguration(field: "maximumSessionsPerClient") }
            guard maximumTokensPerClient > 0 else { throw InvalidConfiguration(field: "maximumTokensPerClient") }
            guard maximumTokens > 0 else { throw InvalidConfiguration(field: "maximumTokens") }
            guard rememberedTokens >= 0 else { throw InvalidConfiguration(field: "rememberedTokens") }
            guard maximumTokensInAll > 0 else { throw InvalidConfiguration(field: "maximumTokensInAll") }
            guard idleTime > .zero else { throw InvalidConfiguration(field: "idleTime") }
            guard heldBytes >= 0 else { throw InvalidConfiguration(field: "heldBytes") }
            guard heldOriginals >= 0 else { throw InvalidConfiguration(field: "heldOriginals") }
            guard maximumGrants >= 0 else { throw InvalidConfiguration(field: "maximumLoans") }
            guard maximumGrantsPerClient >= 0 else { throw InvalidConfiguration(field: "maximumLoansPerClient") }
        }
    }
}
