/// A key pair with which a person signs in instead of with the password: the private key never leaves the person's
/// authenticator.
public struct Passkey: Hashable, Sendable {
    /// Names the passkey in lists; not secret.
    public let id: String
    public let account: AccountID
    /// What its owner calls it.
    public let name: String
    /// The id that the authenticator has given it.
    public let credential: [UInt8]
    let key: PublicKey
    /// The authenticator's count of signatures at the last use.
    var counter: UInt32
    /// Seconds since 1970, as all times here.
    public let created: Int64
    /// Nil until the first sign-in.
    public var used: Int64?
    /// The last challenge that it has signed, so that nobody can use its answer again; nil until the first sign-in.
    var challenge: [UInt8]?

    /// In bytes (WebAuthn Level 3 §4, "credential id").
    public static let longestCredential = 1_023

    /// Whether the signature counter is plausible: one that does not increase suggests a cloned authenticator (WebAuthn Level 3
    /// §6.1.1). Authenticators without a counter always send 0.
    func isContinued(by counter: UInt32) -> Bool { counter > self.counter || counter == 0 && self.counter == 0 }
}
