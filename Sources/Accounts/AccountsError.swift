/// Why an operation on accounts failed.
public enum AccountsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The library cannot be opened.
    case library(path: String, reason: String)
    /// The library cannot be written, so nothing was changed.
    case unwritable(reason: String)
    /// The library that nodes share cannot be reached.
    case unavailable(reason: String)
    /// The name and the password do not belong together, or there is no such account.
    case wrongPassword
    /// There were too many attempts. `wait` is the number of seconds until the next one is allowed.
    case tooManyAttempts(wait: Int)
    /// The link has been used, has expired, or never existed.
    case noSuchInvitation
    /// An account has this name already.
    case nameTaken
    /// A name that cannot be an account's or a token's.
    case invalidName
    case passwordTooShort
    case passwordTooLong
    /// An authenticator's response does not belong to a passkey of this gallery, or breaks a rule.
    case passkeyRefused
    /// The challenge that the authenticator has signed has expired, has been used, or was made for something else.
    case challengeExpired
    /// The credential belongs to an account already.
    case passkeyExists
    /// The change would leave the gallery without an owner.
    case lastOwner
    /// There is no such account, session, invitation or token, or it belongs to somebody else.
    case notFound
    /// An account has as many of these as it may have.
    case tooMany(String)

    public var description: String {
        switch self {
        case .library(let path, let reason): "The library \(path) cannot be used: \(reason)."
        case .unwritable(let reason): "The library cannot be written (\(reason)), so nothing was changed."
        case .unavailable(let reason): "The library cannot be reached (\(reason))."
        case .wrongPassword: "The name or the password is wrong."
        case .tooManyAttempts(let wait): "There were too many attempts. Try again in \(wait) s."
        case .noSuchInvitation: "This link has been used or has expired. Ask for a new one."
        case .nameTaken: "Another account has this name."
        case .invalidName:
            "A name must have 1 to \(Account.longestName) bytes and no invisible characters."
        case .passwordTooShort: "The password needs at least \(Password.shortest) characters."
        case .passwordTooLong: "The password may have at most \(Password.longest) bytes."
        case .passkeyRefused: "This passkey does not belong to an account here, or it could not be checked."
        case .challengeExpired: "This request to use a passkey has expired or was already used. Try again."
        case .passkeyExists: "This passkey has already been added."
        case .lastOwner: "The gallery needs an owner. Make somebody else an owner first."
        case .notFound: "There is no such entry."
        case .tooMany(let what): "There are too many \(what). Remove some first."
        }
    }
}
