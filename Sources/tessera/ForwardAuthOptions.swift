import ArgumentParser
import GalleryServer
import HTTPTypes

/// How a proxy in front of the gallery tells whom it has signed in.
struct ForwardAuthOptions: ParsableArguments {
    @Option(
        name: .customLong("forward-auth"),
        help: ArgumentHelp(
            "Let a --trusted-proxy sign people in: the header field with the person's name, such as Remote-User. (TESSERA_FORWARD_AUTH; none)",
            valueName: "field"))
    var user: String?

    @Option(
        name: .customLong("forward-auth-groups"),
        help: ArgumentHelp(
            "The header field with the person's groups. (TESSERA_FORWARD_AUTH_GROUPS; Remote-Groups)",
            valueName: "field"))
    var groups: String?

    @Option(
        name: .customLong("owner-group"),
        help: ArgumentHelp(
            "Of the people whom the proxy or the OpenID provider signs in, make exactly the members of this group owners. Repeatable. (TESSERA_OWNER_GROUP; none: owners assign roles)",
            valueName: "group"))
    var ownerGroups: [String] = []

    /// The groups whose members are owners, whoever signs people in.
    var allOwnerGroups: Set<String> { Set(ownerGroups + Environment.values("owner-group")) }

    /// Nil if no proxy signs people in.
    ///
    /// - Parameter hasProvider: Whether an OpenID provider signs people in.
    /// - Throws: `ValidationError`.
    func value(hasProvider: Bool) throws -> ForwardAuth? {
        let groups = try groups ?? Environment.value("forward-auth-groups")
        guard let user = try user ?? Environment.value("forward-auth") else {
            guard allOwnerGroups.isEmpty || hasProvider else {
                throw ValidationError("--owner-group needs --forward-auth or --oidc-issuer.")
            }
            guard groups == nil else { throw ValidationError("--forward-auth-groups needs --forward-auth.") }
            return nil
        }
        guard !hasProvider else { throw ValidationError("Use either --forward-auth or --oidc-issuer, not both.") }
        return ForwardAuth(
            user: try Self.name(user, of: "--forward-auth"),
            groups: try Self.name(groups ?? "Remote-Groups", of: "--forward-auth-groups"),
            ownerGroups: allOwnerGroups)
    }

    private static func name(_ text: String, of option: String) throws -> HTTPField.Name {
        guard let name = HTTPField.Name(text), !text.contains("_") else {
            throw ValidationError("\(option) \(text): write the name of a header field, such as Remote-User.")
        }
        return name
    }
}
