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
            "Of the people whom the proxy signs in, make exactly the members of this group owners. Repeatable. (TESSERA_OWNER_GROUP; none: owners assign roles)",
            valueName: "group"))
    var ownerGroups: [String] = []

    /// Nil if no proxy signs people in.
    ///
    /// - Throws: `ValidationError`.
    func value() throws -> ForwardAuth? {
        let ownerGroups = Set(ownerGroups + Environment.values("owner-group"))
        let groups = try groups ?? Environment.value("forward-auth-groups")
        guard let user = try user ?? Environment.value("forward-auth") else {
            guard ownerGroups.isEmpty, groups == nil else {
                throw ValidationError("--owner-group and --forward-auth-groups need --forward-auth.")
            }
            return nil
        }
        return ForwardAuth(
            user: try Self.name(user, of: "--forward-auth"),
            groups: try Self.name(groups ?? "Remote-Groups", of: "--forward-auth-groups"), ownerGroups: ownerGroups)
    }

    private static func name(_ text: String, of option: String) throws -> HTTPField.Name {
        guard let name = HTTPField.Name(text), !text.contains("_") else {
            throw ValidationError("\(option) \(text): write the name of a header field, such as Remote-User.")
        }
        return name
    }
}
