/// Why a query failed.
public enum PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no connection, or it ended before the response arrived; whether the query was executed is unknown. The
    /// text gives the reason, for the log.
    case disconnected(String)
    /// The response did not arrive in time. The query may have been executed all the same.
    case timedOut
    /// The queue is full, so the query was not sent.
    case overloaded
    /// A connection pooler hands each transaction to another connection of its own, as pgbouncer does unless
    /// `pool_mode` is `session`: locks and notifications would be lost.
    case pooled
    /// The server reports an error: its code (PostgreSQL, appendix A) and its message, for the log.
    case refused(code: String, String)

    public var description: String {
        switch self {
        case .disconnected(let reason): reason
        case .timedOut: "it does not respond in time"
        case .overloaded: "too many queries are queued"
        case .pooled:
            "a connection pooler before it gives each transaction another connection; set pool_mode = session, or connect to "
                + "PostgreSQL itself"
        case .refused(let code, let words): "\(words) (\(code))"
        }
    }

    /// What the words of libpq and of the server about a connection mean, as far as that calls for different remedies.
    private static let causes: [(words: String, cause: String)] = [
        ("session is read-only", "it accepts no writes"), ("hot standby mode", "it accepts no writes"),
        ("too many connections", "it accepts no more connections"),
        ("connection slots are reserved", "it accepts no more connections"),
        ("password authentication failed", "it refuses the password"),
        ("no password supplied", "it asks for a password"),
        ("pg_hba.conf", "it refuses this node's address, user or encryption"),
        ("certificate", "its certificate is refused"), ("SSL", "TLS cannot be used"),
        ("does not exist", "its user or database does not exist"),
        ("starting up", "it is starting"), ("shutting down", "it is stopping"),
        ("Connection refused", "the connection was refused"), ("name does not resolve", "its name does not resolve"),
        ("resolving its name timed out", "resolving its name timed out"),
    ]

    /// The reason without the server's own words, which may name hosts and users. It may be shown to anybody.
    public var publicReason: String {
        switch self {
        case .disconnected(let words): Self.causes.first { words.contains($0.words) }?.cause ?? "there is no connection"
        case .timedOut, .overloaded, .pooled: description
        case .refused(let code, _): "it refuses a query (\(code))"
        }
    }
}
