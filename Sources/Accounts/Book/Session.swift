/// A browser that is signed in.
public struct Session: Hashable, Sendable {
    /// Names the session in lists; not secret.
    public let id: String
    public let account: AccountID
    /// The digest of the secret in the browser's cookie.
    var digest: String
    /// The digest before the last rotation, and until when requests that were already on their way may still use it.
    var previous: Previous?
    /// Seconds since 1970, as all times here.
    public let created: Int64
    var rotated: Int64
    public var seen: Int64
    /// The browser, as it describes itself.
    public let agent: String
    /// The address that it was last used from.
    public var address: String

    struct Previous: Hashable, Sendable {
        var digest: String
        var until: Int64
    }

    /// A session that is not used for this time ends.
    static let idleTime: Int64 = 30 * 86_400
    /// The secret is replaced after this time.
    static let rotationTime: Int64 = 86_400
    /// How long the former secret is accepted after a rotation.
    static let overlap: Int64 = 60
    /// How exactly the time of the last use is recorded.
    static let seenPrecision: Int64 = 3_600
    static let longestAgent = 200

    func isAlive(at now: Int64) -> Bool { now < seen + Self.idleTime }
}
