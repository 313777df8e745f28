/// Why a query has no answer.
public enum PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no connection, or it has ended before the answer came; whether the query was carried out, nobody knows.
    /// With what is known of the reason, for the log.
    case away(String)
    /// The answer did not come in time. It may have been carried out all the same.
    case timedOut
    /// So many wait already that this one was not sent.
    case crowded
    /// The server says no: its code (PostgreSQL, appendix A) and its words, for the log.
    case refused(code: String, String)

    public var description: String {
        switch self {
        case .away(let reason): reason
        case .timedOut: "it does not answer in time"
        case .crowded: "too much waits for it"
        case .refused(let code, let words): "\(words) (\(code))"
        }
    }
}
