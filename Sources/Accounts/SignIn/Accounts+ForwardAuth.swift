import Locking

/// A person whom a proxy in front of the gallery has signed in.
public struct ProxyPerson: Hashable, Sendable {
    /// The name by which the proxy knows the person: that of the account.
    public let name: String
    /// Whether the person is an owner; nil if the gallery's owners decide about roles.
    public let isOwner: Bool?

    /// Nil for a name that no account can have.
    public init?(name: String, isOwner: Bool?) {
        guard let name = Account.normalized(name) else { return nil }
        self.name = name
        self.isOwner = isOwner
    }

    /// Whether the account has the role that the proxy asks for.
    fileprivate func fits(_ role: Role) -> Bool { isOwner == nil || isOwner == role.isOwner }
}

extension Account {
    /// Whether somebody whom a proxy knows by the account's name may use it. Names of accounts with an identity were chosen at
    /// an OpenID provider, perhaps by somebody else.
    fileprivate var isForProxies: Bool { identity == nil }
}

/// Forward authentication: a proxy signs people in, and tells the gallery their names.
extension Accounts {
    /// The principal of a person whom a proxy has signed in; nil if the person has no account yet, or a role other than the
    /// one that the proxy states. ``signIn(_:from:)`` fixes both.
    public func principal(_ person: ProxyPerson) -> Principal? {
        book.withLock { $0.account(named: person.name) }.flatMap { account in
            account.isForProxies && person.fits(account.role) ? Principal(account, .proxy) : nil
        }
    }

    /// The same, with an account: it is made at the first visit, without a password, and gets the role that the proxy says.
    ///
    /// - Throws: ``AccountsError``: `lastOwner` if the gallery would lose its only owner, `nameTaken` if the account of this name
    ///   belongs to an identity at an OpenID provider, `tooMany`, `unwritable`.
    public func signIn(_ person: ProxyPerson, from sender: Sender) async throws(AccountsError) -> Principal {
        if let principal = principal(person) { return principal }
        let role: Role = person.isOwner == true ? .owner : .member
        return try await change { [self] (book, change) throws(AccountsError) in
            guard let account = book.account(named: person.name) else {
                let account = try newAccount(person.name, role, Password.none, in: book, from: sender, &change)
                change.entries.append(entry(.signedIn, by: account.name, sender))
                return Principal(account, .proxy)
            }
            guard account.isForProxies else { throw .nameTaken }
            guard !person.fits(account.role) else { return Principal(account, .proxy) }
            return Principal(try give(account, role, by: account.name, in: book, from: sender, &change), .proxy)
        }
    }
}
