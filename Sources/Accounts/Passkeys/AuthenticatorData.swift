/// What an authenticator says of itself and of the person in front of it (WebAuthn Level 3 §6.1).
struct AuthenticatorData: Hashable, Sendable {
    /// SHA-256 of the relying party's id.
    let relyingParty: [UInt8]
    let flags: Flags
    /// Counts signatures; 0 in authenticators that do not count.
    let counter: UInt32
    /// The id of the new credential; nil at a sign-in.
    let credential: [UInt8]?

    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        /// The person has touched the authenticator.
        static let userPresent = Flags(rawValue: 1)
        /// The authenticator has recognised the person, by a PIN or a fingerprint.
        static let userVerified = Flags(rawValue: 4)
        /// A new credential follows.
        static let credentialIncluded = Flags(rawValue: 0x40)
        static let extensionsIncluded = Flags(rawValue: 0x80)
    }

    /// The length of everything before the credential, in bytes.
    private static let headLength = 37
    private static let authenticatorModelLength = 16

    /// Nil if the bytes are malformed. What follows the id of a credential is not read: its public key, which the browser
    /// translates, and extensions.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headLength else { return nil }
        relyingParty = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        counter = bytes[33..<Self.headLength].reduce(0) { $0 << 8 | UInt32($1) }
        guard flags.contains(.credentialIncluded) else {
            guard bytes.count == Self.headLength || flags.contains(.extensionsIncluded) else { return nil }
            credential = nil
            return
        }
        let rest = bytes.dropFirst(Self.headLength + Self.authenticatorModelLength)
        guard rest.count >= 2 else { return nil }
        let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        let id = rest.dropFirst(2).prefix(length)
        guard id.count == length, (1...Passkey.longestCredential).contains(length) else { return nil }
        credential = Array(id)
    }
}
