/// Why a sign-in with an OpenID provider has failed.
public struct OpenIDError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// This browser did not start the sign-in, or did so more than ten minutes ago.
        case unknownOrExpired
        /// The person cancelled, or the provider denied access (RFC 6749 §4.1.2.1, `access_denied`).
        case denied
        /// The person is not in a group whose members may sign in.
        case notAdmitted
        /// The provider's response breaks a rule, so it shows nobody's identity.
        case invalidResponse
        /// The provider cannot be reached or used, or has too much to do.
        case unavailable
        /// The gallery cannot give the person an account: it has too many, its last owner would be lost, or the library cannot be
        /// written.
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
