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
    /// - Throws: ``OpenIDError`` with the reason `.notAdmitted`; `.invalidResponse` if groups are needed, and their claim is no
    ///   list of names.
    init(_ identity: OpenIDIdentity, _ claims: [JSONField], _ settings: OpenIDSettings) throws(OpenIDError) {
        self.identity = identity
        func texts(_ name: String) -> [String] { claims.compactMap { try? $0[name]?.text(longest: Self.longestName) } }
        let addresses = texts("email").map { address in String(address.prefix { $0 != "@" }) }
        names = (texts("preferred_username") + addresses + texts("name")).compactMap { Account.normalized($0) }
        let groups = settings.needsGroups ? try Self.groups(in: claims, settings.groupsClaim) : []
        guard settings.admittedGroups.isEmpty || !groups.isDisjoint(with: settings.admittedGroups) else {
            throw OpenIDError(.notAdmitted)
        }
        isOwner = settings.ownerGroups.isEmpty ? nil : !groups.isDisjoint(with: settings.ownerGroups)
    }

    /// The most bytes of a claim that names the person or a group.
    private static let longestName = 256

    /// The names of groups: a list of texts, or one text.
    private static func groups(in claims: [JSONField], _ name: String) throws(OpenIDError) -> Set<ExactText> {
        do throws(JSONFieldError) {
            var groups: Set<ExactText> = []
            for claims in claims {
                guard let field = try claims[name]?.unlessNull else { continue }
                let names =
                    try field.isText
                    ? [field.text(longest: longestName)]
                    : field.list { (group) throws(JSONFieldError) in try group.text(longest: longestName) }
                groups.formUnion(names.map(ExactText.init))
            }
            return groups
        } catch {
            throw OpenIDError(.invalidResponse, "the groups cannot be read: \(error)")
        }
    }

    /// Whether the claims name the person and, if they are needed, the groups.
    static func isComplete(_ claims: JSONField, _ settings: OpenIDSettings) -> Bool {
        func isPresent(_ name: String) -> Bool { (try? claims[name])?.unlessNull != nil }
        return ["preferred_username", "email", "name"].contains(where: isPresent)
            && (!settings.needsGroups || isPresent(settings.groupsClaim))
    }
}
