import Encodings

/// The claims of an ID token whose signature has been checked (OpenID Connect Core 1.0 §2).
struct IDToken: Sendable {
    let subject: String
    /// All claims, for names and groups.
    let claims: JSONField

    /// By how much the clocks of the provider and this machine may differ, in seconds.
    private static let leeway = 60.0
    /// In bytes (Core §2: 255 ASCII characters).
    static let longestSubject = 255

    /// Which rule a token breaks. The texts complete “the ID token is invalid: …”.
    enum Fault: String, Error, Hashable, Sendable {
        case malformed = "it lacks a claim, or one is malformed"
        case issuer = "it names another issuer"
        case audience = "it is not for this client"
        case authorizedParty = "it was issued to another client"
        case expired = "it has expired; are the clocks right?"
        case notYetValid = "it is not valid yet; are the clocks right?"
        case nonce = "it belongs to another sign-in"
    }

    /// Reads the claims, and checks them by the rules of Core §3.1.3.7.
    ///
    /// - Parameter now: In seconds since 1970.
    /// - Throws: ``Fault``.
    init(
        _ payload: [UInt8], issuer: String, clientID: String, nonce: String, now: Int64
    ) throws(Fault) {
        let read: Claims
        do { read = try Claims(payload) } catch { throw .malformed }
        guard ExactText(read.issuer) == ExactText(issuer) else { throw .issuer }
        guard read.audiences.contains(where: { ExactText($0) == ExactText(clientID) }) else { throw .audience }
        // A token for several audiences must say for whom it was issued, and so may any (rules 4 and 5).
        if let party = read.authorizedParty {
            guard ExactText(party) == ExactText(clientID) else { throw .authorizedParty }
        } else if read.audiences.count > 1 {
            throw .authorizedParty
        }
        let now = Double(now)
        guard now < read.expires + Self.leeway else { throw .expired }
        guard read.issuedAt <= now + Self.leeway, read.notBefore ?? 0 <= now + Self.leeway else { throw .notYetValid }
        guard let named = read.nonce, ExactText(named) == ExactText(nonce) else { throw .nonce }
        subject = read.subject
        claims = read.json
    }

    private struct Claims {
        let json: JSONField
        let issuer: String
        let subject: String
        let audiences: [String]
        let authorizedParty: String?
        let expires: Double
        let issuedAt: Double
        let notBefore: Double?
        let nonce: String?

        init(_ payload: [UInt8]) throws(JSONFieldError) {
            json = try JSONField(payload)
            issuer = try json.required("iss").text()
            subject = try json.required("sub").text(longest: IDToken.longestSubject)
            guard !subject.isEmpty else { throw JSONFieldError(field: "sub", rule: "is empty") }
            let audience = try json.required("aud")
            audiences =
                try audience.isText
                ? [audience.text()]
                : audience.list(atMost: 100) { (each) throws(JSONFieldError) in try each.text() }
            authorizedParty = try json["azp"]?.unlessNull?.text()
            expires = try json.required("exp").number()
            issuedAt = try json.required("iat").number()
            notBefore = try json["nbf"]?.unlessNull?.number()
            nonce = try json["nonce"]?.unlessNull?.text()
        }
    }
}
