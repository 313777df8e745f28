import Encodings

/// Who somebody is at an OpenID provider. Nothing else identifies a person: names and e-mail addresses change, and may be
/// given to others (OpenID Connect Core 1.0 §5.7).
struct OpenIDIdentity: Hashable, Sendable {
    private let exactIssuer: ExactText
    private let exactSubject: ExactText

    var issuer: String { exactIssuer.text }
    var subject: String { exactSubject.text }

    init(issuer: String, subject: String) {
        exactIssuer = ExactText(issuer)
        exactSubject = ExactText(subject)
    }
}

/// A person whom an OpenID provider has signed in.
struct OpenIDPerson: Hashable, Sendable {
    let identity: OpenIDIdentity
    /// Names for a new account, the preferred first: normalized.
    let names: [String]
    /// Whether the person is an owner; nil if the gallery's owners decide about roles.
    let isOwner: Bool?

    /// - Parameter claims: Those of the ID token, and after them others of the same person.
    init(_ identity: OpenIDIdentity, _ claims: [JSONField], _ settings: OpenIDSettings) {
        self.identity = identity
        func texts(_ name: String) -> [String] { claims.compactMap { try? $0[name]?.text() } }
        let addresses = texts("email").map { address in String(address.prefix { $0 != "@" }) }
        names = (texts("preferred_username") + addresses + texts("name")).compactMap { Account.normalized($0) }
        isOwner =
            settings.ownerGroups.isEmpty
            ? nil : !settings.ownerGroups.isDisjoint(with: claims.flatMap { Self.groups($0, settings.groupsClaim) })
    }

    /// The names of groups: a list of texts, or one text.
    private static func groups(_ claims: JSONField, _ name: String) -> [String] {
        guard let field = try? claims[name] else { return [] }
        if field.isText { return (try? [field.text()]) ?? [] }
        return (try? field.list { (group) throws(JSONFieldError) in try group.text() }) ?? []
    }

    /// Whether the claims name the person and, if they are needed, the groups.
    static func isComplete(_ claims: JSONField, _ settings: OpenIDSettings) -> Bool {
        func isPresent(_ name: String) -> Bool { (try? claims[name])?.unlessNull != nil }
        return ["preferred_username", "email", "name"].contains(where: isPresent)
            && (settings.ownerGroups.isEmpty || isPresent(settings.groupsClaim))
    }
}
