/// A link that makes one account, or sets the password of one. It works once.
public struct Invitation: Hashable, Sendable {
    /// Names the invitation in lists; not secret.
    public let id: String
    let digest: String
    public let purpose: Purpose
    /// The owner who made it: with that right it ends. Nil for the one that the server printed.
    public let issuer: AccountID?
    /// Seconds since 1970, as all times here.
    public let created: Int64
    public let expires: Int64

    public enum Purpose: Hashable, Sendable {
        case newAccount(Role)
        case password(of: AccountID)
    }

    static let lifetime: Int64 = 7 * 86_400

    func isAlive(at now: Int64) -> Bool { now < expires }
}
