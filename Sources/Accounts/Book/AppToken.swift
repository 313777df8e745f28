/// A secret with which a program uses the API for an account, with some of the account's rights.
public struct AppToken: Hashable, Sendable {
    /// Names the token in lists; not secret.
    public let id: String
    public let account: AccountID
    /// What its creator calls it.
    public let name: String
    let digest: String
    public let scopes: Rights
    /// Seconds since 1970, as all times here.
    public let created: Int64
    /// Nil for a token that does not expire.
    public let expires: Int64?

    static let prefix = "tessera_"

    /// Whether a text looks like the secret of an app token, of this gallery or of another one.
    public static func isOne(_ text: String) -> Bool { text.hasPrefix(prefix) }

    public static let longestName = 64

    func isAlive(at now: Int64) -> Bool { expires.map { now < $0 } ?? true }
}
