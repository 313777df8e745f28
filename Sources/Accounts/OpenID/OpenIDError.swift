/// Why a sign-in by an OpenID provider has failed.
public struct OpenIDError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The browser has not begun this sign-in, or not within the last ten minutes.
        case notBegun
        /// The person, or the provider, has refused (RFC 6749 §4.1.2.1, `access_denied`).
        case denied
        /// The provider's answer breaks a rule, so it shows nobody's identity.
        case refused
        /// The provider cannot be reached, or is not usable.
        case unavailable
        /// The person is known, and cannot sign in here.
        case account(AccountsError)
    }

    public let reason: Reason
    /// For the log: names neither secrets nor tokens. Nil if there is nothing that the operator could do about it.
    public let logDetail: String?

    init(_ reason: Reason, _ logDetail: String? = nil) {
        self.reason = reason
        self.logDetail = logDetail
    }
}
