/// Who sends a request: what a credential stands for, decided once when the request arrives.
public struct Principal: Hashable, Sendable {
    public let account: AccountID
    public let name: String
    public let role: Role
    /// What the account may do, and the credential allows.
    public let rights: Rights
    public let credential: Credential

    public enum Credential: Hashable, Sendable {
        /// A browser; by the session's id.
        case session(String)
        /// A browser, for which a proxy in front of the gallery vouches.
        case proxy
        /// A program; by the token's id.
        case appToken(String)
        /// A visitor; by the share's id.
        case share(String)
    }

    /// A person with this account.
    init(_ account: Account, _ credential: Credential) {
        self.init(
            account: account.id, name: account.name, role: account.role, rights: account.role.rights,
            credential: credential)
    }

    init(account: AccountID, name: String, role: Role, rights: Rights, credential: Credential) {
        self.account = account
        self.name = name
        self.role = role
        self.rights = rights
        self.credential = credential
    }

    /// Whether the sender is a signed-in person. A program with a token can neither change accounts nor issue tokens.
    public var isPerson: Bool {
        switch credential {
        case .session, .proxy: true
        case .appToken, .share: false
        }
    }

    /// Whether a program with a token sends the request.
    var isProgram: Bool {
        if case .appToken = credential { return true }
        return false
    }
}
