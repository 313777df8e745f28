import Encodings

/// A sign-in at a provider that a browser has begun, as a cookie of the browser carries it.
struct SignInState: Hashable, Sendable {
    /// Where the provider sends the browser back to. The request for tokens must repeat it (RFC 6749 §4.1.3).
    let redirectURI: String
    /// Where in the gallery the person wants to go: a query or a fragment.
    let returnTo: String
    /// Binds the provider's answer to the browser (RFC 6749 §10.12).
    let state: String
    /// Binds the ID token to the sign-in (OpenID Connect Core 1.0 §3.1.2.1).
    let nonce: String
    /// Binds the code to the sign-in (RFC 7636 §4.1).
    let verifier: String
    let cookie: String
}

/// Makes the cookies of sign-ins, and recognises them.
///
/// A cookie carries a ``TimedNonce`` and a message authentication code (MAC) under a key that only the nodes of this gallery
/// have, so the server stores nothing for a sign-in, and any node can complete it. `state`, `nonce`, and the verifier are MACs
/// of the timed nonce, under other keys: reading or forging a cookie does not reveal them.
struct SignInStates: Sendable {
    /// In seconds. It includes the time in which the person signs in at the provider.
    static let lifetime: Int64 = 600
    /// In bytes: browsers keep cookies of 4,096 bytes (RFC 6265 §6.1). A longer one is left out.
    private static let longestReturnTo = 2_000
    private static let longestCookie = 4_096
    /// Separates the redirect URI from the place to return to; neither can contain it.
    private static let separator = UInt8(ascii: "\n")

    private let code: MessageCode
    private let stateCode: MessageCode
    private let nonceCode: MessageCode
    private let verifierCodes: [MessageCode]

    init(secret: InstallationSecret) {
        code = MessageCode(secret, for: "sign-in cookie")
        stateCode = MessageCode(secret, for: "sign-in state")
        nonceCode = MessageCode(secret, for: "sign-in nonce")
        verifierCodes = (0..<2).map { MessageCode(secret, for: "sign-in verifier \($0)") }
    }

    /// - Parameter now: In seconds since 1970, as all times here.
    func begin(redirectURI: String, returnTo: String, now: Int64) -> SignInState {
        let head = TimedNonce(at: now)
        let returnTo = Self.isPlace(returnTo) ? returnTo : ""
        let message = head.bytes + Array(redirectURI.utf8) + [Self.separator] + Array(returnTo.utf8)
        return state(head, redirectURI, returnTo, cookie: Base64.url.encode(message + code(message)))
    }

    /// Nil for a text that no node has made within the last ten minutes.
    func read(_ cookie: String, now: Int64) -> SignInState? {
        guard cookie.utf8.count <= Self.longestCookie, let bytes = Base64.url.decode(cookie),
            bytes.count > TimedNonce.length + MessageCode.length
        else { return nil }
        let message = Array(bytes.dropLast(MessageCode.length))
        guard code.isCode(bytes.suffix(MessageCode.length), of: message), let head = TimedNonce(startOf: message),
            head.isValid(for: Self.lifetime, at: now)
        else { return nil }
        let parts = message.dropFirst(TimedNonce.length).split(
            separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let redirectURI = String(validating: parts[0], as: UTF8.self),
            let returnTo = String(validating: parts[1], as: UTF8.self)
        else { return nil }
        return state(head, redirectURI, returnTo, cookie: cookie)
    }

    private func state(_ head: TimedNonce, _ redirectURI: String, _ returnTo: String, cookie: String) -> SignInState {
        SignInState(
            redirectURI: redirectURI, returnTo: returnTo, state: Base64.url.encode(stateCode(head.bytes)),
            nonce: Base64.url.encode(nonceCode(head.bytes)),
            verifier: Base64.url.encode(verifierCodes.flatMap { $0(head.bytes) }), cookie: cookie)
    }

    /// Whether the text can only be a place within the gallery's page: a query or a fragment, as browsers write it.
    private static func isPlace(_ text: String) -> Bool {
        (text.hasPrefix("?") || text.hasPrefix("#")) && text.utf8.count <= longestReturnTo
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
