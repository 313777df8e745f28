import Encodings

/// The OpenID provider that signs people in, and how this gallery is registered with it.
public struct OpenIDSettings: Sendable {
    /// The provider's name for itself, compared byte by byte (OpenID Connect Discovery 1.0 §4.3).
    public let issuer: String
    public let clientID: String
    /// Nil for a public client.
    let clientSecret: String?
    /// What the sign-in page calls the provider.
    public let name: String
    /// The claim with the names of the person's groups.
    let groupsClaim: String
    /// The groups whose members may sign in; with none, everybody may whom the provider signs in.
    let admittedGroups: Set<ExactText>
    /// The groups whose members are owners; with none, the gallery's owners decide about roles.
    let ownerGroups: Set<ExactText>

    var needsGroups: Bool { !admittedGroups.isEmpty || !ownerGroups.isEmpty }

    /// - Parameters:
    ///   - name: Nil for the issuer's host name.
    /// - Throws: ``Invalid``.
    public init(
        issuer: String, clientID: String, clientSecret: String?, name: String?, groupsClaim: String,
        admittedGroups: Set<String>, ownerGroups: Set<String>
    ) throws(Invalid) {
        guard let address = ProviderAddress(issuer, from: nil), !issuer.contains("?"), !issuer.contains("#") else {
            throw .issuer(issuer)
        }
        guard (1...255).contains(clientID.utf8.count), clientID.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw .clientID
        }
        if let clientSecret {
            guard (1...1_024).contains(clientSecret.utf8.count),
                clientSecret.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
            else { throw .clientSecret }
        }
        // `JSONValue` drops members with other names.
        guard (1...64).contains(groupsClaim.utf8.count), groupsClaim.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { throw .groupsClaim(groupsClaim) }
        guard let name = Account.normalized(name ?? address.host) else { throw .name }
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.name = name
        self.groupsClaim = groupsClaim
        self.admittedGroups = Set(admittedGroups.map(ExactText.init))
        self.ownerGroups = Set(ownerGroups.map(ExactText.init))
    }

    public enum Invalid: Error, Hashable, Sendable {
        /// It is no URL with `https`, or with `http` on loopback.
        case issuer(String)
        case clientID
        case clientSecret
        case groupsClaim(String)
        case name
    }
}

/// The address of an OpenID provider or of one of its endpoints.
struct ProviderAddress: Hashable, Sendable {
    let text: String
    /// In lower case, without the port.
    let host: String

    private static let longest = 2_048
    private static let loopback = ["localhost", "127.0.0.1", "[::1]"]

    /// Nil for anything but an `https` URL without user name and fragment. A provider on this machine, for development, may
    /// use `http`, with all of its endpoints on this machine.
    ///
    /// - Parameter issuer: Whose endpoint it is; nil for the issuer itself.
    init?(_ text: String, from issuer: String?) {
        guard text.utf8.count <= Self.longest,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !#"\"<>^`{|}#"#.utf8.contains($0) }),
            let scheme = ["https://", "http://"].first(where: text.hasPrefix)
        else { return nil }
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        let isLiteral = authority.hasPrefix("[")
        let host: Substring = isLiteral ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        guard !host.isEmpty else { return nil }
        self.text = text
        self.host = host.lowercased()
        if scheme == "http://" {
            guard Self.loopback.contains(self.host), issuer?.hasPrefix("http://") ?? true else { return nil }
        }
    }
}
