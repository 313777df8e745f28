import Accounts
import HTTPServer
public import HTTPTypes

/// Reads whom a trusted proxy has signed in (forward authentication, as with Authelia, Authentik and oauth2-proxy).
///
/// A proxy that fails to strip a client's own fields would let anyone impersonate anyone. So anything that can only be a mistake
/// or an attack is refused: fields from a sender that is not a trusted proxy, empty or repeated fields, and names that differ
/// only in underscores, which some servers treat as hyphens.
public struct ForwardAuth: Sendable {
    /// The field with the person's name, such as `Remote-User`.
    let user: HTTPField.Name
    /// The field with the names of the person's groups, separated by commas or, as Authentik does, by vertical bars; such
    /// as `Remote-Groups`.
    let groups: HTTPField.Name
    /// The groups whose members are owners; with none, the gallery's owners decide about roles.
    let ownerGroups: Set<String>

    public init(user: HTTPField.Name, groups: HTTPField.Name, ownerGroups: Set<String>) {
        self.user = user
        self.groups = groups
        self.ownerGroups = ownerGroups
    }

    /// The person; nil if the request has none of the fields.
    ///
    /// - Throws: A `Problem` with status 400 for fields that are refused.
    func person(in request: Request) throws(Problem) -> ProxyPerson? {
        guard !request.headers.hasAlias(of: user), !request.headers.hasAlias(of: groups) else {
            throw refused("\(user) or \(groups) is written with underscores")
        }
        let users = request.headers.values(of: user)
        let groups = request.headers.values(of: groups)
        guard !users.isEmpty || !groups.isEmpty else { return nil }
        guard request.isFromProxy else {
            throw refused("\(user) comes from \(request.address), which is not a trusted proxy (--trusted-proxy)")
        }
        // Several fields of one name may have been joined by commas.
        guard users.count == 1, groups.count <= 1, !users[0].contains(",") else {
            throw refused("\(user) or \(self.groups) is missing or repeated")
        }
        guard let listed = Self.text(groups.first ?? "") else { throw refused("\(self.groups) is not UTF-8") }
        let names = listed.split { $0 == "," || $0 == "|" }.map(Self.trimmed)
        // Older versions of Caddy pass on its placeholder if the service has named nobody.
        guard let name = Self.text(users[0]), !(name.hasPrefix("{") && name.hasSuffix("}")),
            let person = ProxyPerson(
                name: name, isOwner: ownerGroups.isEmpty ? nil : names.contains { ownerGroups.contains($0) })
        else { throw refused("\(user) is empty, or is not a name that an account can have") }
        return person
    }

    private func refused(_ reason: String) -> Problem {
        Problem(
            .badRequest, title: "The proxy's sign-in was refused", detail: "The proxy is misconfigured: \(reason).")
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// Fields are read as ISO 8859-1; proxies write UTF-8. Nil for malformed UTF-8.
    private static func text(_ field: String) -> String? {
        String(validating: field.unicodeScalars.map { UInt8($0.value) }, as: UTF8.self)
    }
}
