/// Why a query failed.
public enum PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no connection, or it ended before the response arrived; whether the query was executed is unknown. The
    /// text gives the reason, for the log.
    case disconnected(String)
    /// The response did not arrive in time. The query may have been executed all the same.
    case timedOut
    /// The queue is full, so the query was not sent.
    case overloaded
    /// A connection pooler runs each transaction on whichever server connection is free, as pgbouncer does unless
    /// `pool_mode` is `session`: locks and notifications would be lost.
    case pooled
    /// The server reports an error: its code (PostgreSQL, appendix A) and its message, for the log.
    case refused(code: String, String)

    public var description: String {
        switch self {
        case .disconnected(let reason): reason
        case .timedOut: "it did not respond in time"
        case .overloaded: "too many queries are queued"
        case .pooled:
            "a connection pooler in front of it does not keep a session per client; set pool_mode = session, or connect to "
                + "PostgreSQL directly"
        case .refused(let code, let words): "\(words) (\(code))"
        }
    }

    /// Public causes for the connection errors of libpq and the server, one for each remedy.
    private static let causes: [(text: String, cause: String)] = [
        ("no second connection for a check", "the pooler in front of it has no second connection for a check"),
        ("session is read-only", "it accepts no writes"), ("hot standby mode", "it accepts no writes"),
        ("too many connections", "it accepts no more connections"),
        ("connection slots are reserved", "it accepts no more connections"),
        ("password authentication failed", "it rejected the password"),
        ("no password supplied", "it requires a password"),
        ("pg_hba.conf", "pg_hba.conf does not allow this node's address, user or encryption"),
        ("certificate", "its certificate was rejected"), ("SSL", "TLS failed"),
        ("does not exist", "its user or database does not exist"),
        ("starting up", "it is starting up"), ("shutting down", "it is shutting down"),
        ("Connection refused", "the connection was refused"), ("name does not resolve", "its name does not resolve"),
        ("resolving its name timed out", "resolving its name timed out"),
    ]

    /// The same for errors of queries (PostgreSQL, appendix A).
    private static let meanings = [
        "25006": "it accepts no writes", "42501": "its user lacks a privilege", "53100": "its disk is full",
        "53200": "it is out of memory", "53300": "it accepts no more connections", "57P03": "it is starting up",
    ]

    /// The reason without the server's own words, which may name hosts and users. It may be shown to anybody.
    public var publicReason: String {
        switch self {
        case .disconnected(let words): Self.causes.first { words.contains($0.text) }?.cause ?? "there is no connection"
        case .timedOut, .overloaded, .pooled: description
        case .refused(let code, _): "\(Self.meanings[code] ?? "it refuses a query") (\(code))"
        }
    }
}
