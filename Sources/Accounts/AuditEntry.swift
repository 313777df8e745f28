/// One line of the audit log: who did what.
public struct AuditEntry: Hashable, Sendable {
    /// Increases with each entry; 0 before the entry is written.
    public let number: Int64
    /// Seconds since 1970.
    public let time: Int64
    /// The name of the account that acted, or the name given at a failed sign-in; nil for the operator of the machine.
    public let actor: String?
    /// The address that the request came from; nil for the machine itself.
    public let address: String?
    public let action: Action
    /// The object of the action in words, such as the name of another account.
    public let subject: String?

    public init(
        number: Int64 = 0, time: Int64, actor: String?, address: String?, action: Action, subject: String?
    ) {
        self.number = number
        self.time = time
        self.actor = actor
        self.address = address
        self.action = action
        self.subject = subject
    }

    public enum Action: String, Sendable, CaseIterable {
        case signedIn, signInFailed, signedOut, sessionEnded
        case accountCreated, accountRemoved, roleChanged, passwordChanged
        case invited, invitationWithdrawn, passwordLinkIssued
        case passkeyAdded, passkeyRemoved
        case appTokenIssued, appTokenRevoked
        case shareMade, shareEnded
    }
}
