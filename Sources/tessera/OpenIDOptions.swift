import Accounts
import ArgumentParser
import Foundation

/// The OpenID provider that signs people in.
struct OpenIDOptions: ParsableArguments {
    @Option(
        name: .customLong("oidc-issuer"),
        help: ArgumentHelp(
            "Let people sign in with this OpenID provider: its issuer URL, exactly as in its discovery document. (TESSERA_OIDC_ISSUER; none)",
            valueName: "url"))
    var issuer: String?

    @Option(
        name: .customLong("oidc-client-id"),
        help: ArgumentHelp(
            "The client id with which the gallery is registered with the provider. (TESSERA_OIDC_CLIENT_ID)",
            valueName: "id"))
    var clientID: String?

    @Option(
        name: .customLong("oidc-client-secret-file"),
        help: ArgumentHelp(
            "The file with the client's secret. (TESSERA_OIDC_CLIENT_SECRET_FILE, or the secret itself in TESSERA_OIDC_CLIENT_SECRET; none: a public client)",
            valueName: "file"))
    var clientSecretFile: String?

    @Option(
        name: .customLong("oidc-groups-claim"),
        help: ArgumentHelp(
            "The claim with the person's groups. (TESSERA_OIDC_GROUPS_CLAIM; groups)", valueName: "name"))
    var groupsClaim: String?

    @Option(
        name: .customLong("oidc-group"),
        help: ArgumentHelp(
            "Let only members of this group sign in. Repeatable. (TESSERA_OIDC_GROUP; none: everybody whom the provider signs in)",
            valueName: "group"))
    var admittedGroups: [String] = []

    @Option(
        name: .customLong("oidc-name"),
        help: ArgumentHelp(
            "What the sign-in page calls the provider. (TESSERA_OIDC_NAME; the issuer's host)", valueName: "name"))
    var name: String?

    /// Nil if no provider signs people in.
    ///
    /// - Throws: `ValidationError`.
    func value(ownerGroups: Set<String>) throws -> OpenIDSettings? {
        let clientID = try clientID ?? Environment.value("oidc-client-id")
        let groupsClaim = try groupsClaim ?? Environment.value("oidc-groups-claim")
        let name = try name ?? Environment.value("oidc-name")
        let admittedGroups = Set(admittedGroups + Environment.values("oidc-group"))
        let secret = try secret()
        guard let issuer = try issuer ?? Environment.value("oidc-issuer") else {
            guard clientID == nil, groupsClaim == nil, name == nil, secret == nil, admittedGroups.isEmpty else {
                throw ValidationError("All other --oidc options need --oidc-issuer.")
            }
            return nil
        }
        guard let clientID else {
            throw ValidationError(
                "--oidc-issuer needs --oidc-client-id: register the gallery with the provider, which then gives it an id."
            )
        }
        do throws(OpenIDSettings.Invalid) {
            return try OpenIDSettings(
                issuer: issuer, clientID: clientID, clientSecret: secret, name: name,
                groupsClaim: groupsClaim ?? "groups", admittedGroups: admittedGroups, ownerGroups: ownerGroups)
        } catch {
            throw ValidationError(Self.text(of: error))
        }
    }

    private func secret() throws -> String? {
        let named: String? = try Environment.value("oidc-client-secret")
        guard let file = try clientSecretFile ?? Environment.value("oidc-client-secret-file") else { return named }
        guard named == nil else {
            throw ValidationError("Use either --oidc-client-secret-file or TESSERA_OIDC_CLIENT_SECRET, not both.")
        }
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw ValidationError("--oidc-client-secret-file: \(file) cannot be read.")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func text(of error: OpenIDSettings.Invalid) -> String {
        switch error {
        case .issuer(let text):
            "--oidc-issuer is “\(text)”, but must be an https URL without query and fragment, such as https://id.example.org. Only a provider on this machine may use http://localhost."
        case .clientID: "--oidc-client-id must be 1 to 255 printable ASCII characters."
        case .clientSecret:
            "The client's secret (--oidc-client-secret-file, TESSERA_OIDC_CLIENT_SECRET) must be 1 to 1024 printable ASCII characters on one line."
        case .groupsClaim(let text):
            "--oidc-groups-claim is “\(text)”, but must be the name of a claim, 1 to 64 printable ASCII characters, such as groups."
        case .name: "--oidc-name must have 1 to \(Account.longestName) bytes and no invisible characters."
        }
    }
}
