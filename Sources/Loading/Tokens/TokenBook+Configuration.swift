extension TokenBook {
    /// How many sessions and tokens there may be, and for how long.
    public struct Configuration: Sendable {
        /// Sessions at once; beyond, one of the client with the most is ended, that used longest ago.
        public var maximumSessions = 4_096
        /// Sessions of one client; beyond, its own are ended, that used longest ago first.
        public var maximumSessionsPerClient = 512
        /// Tokens of one client's sessions, live and remembered; beyond, its own sessions are ended.
        public var maximumTokensPerClient = 20_000
        /// Live tokens of one session; beyond, its oldest are cancelled.
        public var maximumTokens = 1_024
        /// Ended tokens that a session remembers, to answer a late request or cancel rightly.
        public var rememberedTokens = 1_024
        /// Tokens of all sessions, live and remembered; beyond, sessions of the client with the most are ended.
        public var maximumTokensInAll = 100_000
        /// A session unused for so long is ended.
        public var idleTime: Duration = .seconds(120)
        /// Bytes held for tokens whose request has not come yet; beyond, they are loaded again when it comes.
        public var heldBytes = 32 << 20
        /// Originals still arriving that are held for such tokens, a descriptor each; the rest is fetched when its
        /// request comes.
        public var heldOriginals = 64
        /// Tokens that other nodes have on loan at once.
        public var maximumLoans = 4_096
        /// The same of one client's tokens.
        public var maximumLoansPerClient = 512

        public init() {}

        /// - Throws: `InvalidConfiguration` that names the first value out of its bounds.
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
            guard maximumLoans >= 0 else { throw InvalidConfiguration(field: "maximumLoans") }
            guard maximumLoansPerClient >= 0 else { throw InvalidConfiguration(field: "maximumLoansPerClient") }
        }
    }
}
