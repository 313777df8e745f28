import Encodings
import Hashing

/// For which site a passkey is made and used (WebAuthn Level 3 §4, "relying party").
public struct RelyingParty: Hashable, Sendable {
    /// The page's host name.
    public let id: String
    /// The page's origin, as browsers write it.
    public let origin: String

    public init(id: String, origin: String) {
        self.id = id
        self.origin = origin
    }
}

/// What a browser returns when somebody has used an authenticator: the part that creation and sign-in share.
public struct PasskeyResponse: Sendable {
    /// The id of the credential.
    public var credential: [UInt8]
    /// JSON, as the authenticator has signed it.
    public var clientData: [UInt8]
    public var authenticatorData: [UInt8]

    public init(credential: [UInt8], clientData: [UInt8], authenticatorData: [UInt8]) {
        self.credential = credential
        self.clientData = clientData
        self.authenticatorData = authenticatorData
    }

    /// Checks everything but the challenge and the signature (WebAuthn Level 3 §7.1 and §7.2).
    ///
    /// - Parameter type: That of the client data.
    /// - Throws: ``AccountsError/passkeyRefused``.
    func read(
        _ type: String, at party: RelyingParty
    ) throws(AccountsError) -> (client: ClientData, authenticator: AuthenticatorData) {
        guard let json = try? JSONField(clientData), let client = try? ClientData(json),
            let authenticator = AuthenticatorData(authenticatorData),
            client.type == type, client.origin == party.origin, !client.isCrossOrigin,
            authenticator.relyingParty == SHA256.hash(Array(party.id.utf8)),
            // A passkey replaces the password, so possession alone is not enough.
            authenticator.flags.isSuperset(of: [.userPresent, .userVerified])
        else { throw .passkeyRefused }
        return (client, authenticator)
    }

    /// What the authenticator has signed.
    var signedBytes: [UInt8] { authenticatorData + SHA256.hash(clientData) }
}
