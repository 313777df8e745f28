import Accounts
import Encodings

// What clients and the server tell each other about passkeys. The names are those of WebAuthn, and bytes are base64url, so
// that a page only has to pass them on.

/// The most bytes of the parts of an authenticator's response. Real ones are shorter.
private let longestPart = 2_048

/// `POST /api/v1/passkeys/challenge`.
struct CurrentPasswordBody: JSONReadable, Sendable {
    let password: String

    init(_ json: JSONField) throws(JSONFieldError) {
        password = try json.required("password").text(longest: longestPassword)
    }
}

/// `POST /api/v1/passkeys`.
struct NewPasskeyBody: JSONReadable, Sendable {
    let name: String
    let response: PasskeyResponse
    let algorithm: Int
    let publicKey: [UInt8]

    init(_ json: JSONField) throws(JSONFieldError) {
        name = try json.required("name").text(longest: 4 * Account.longestName)
        response = try PasskeyResponse(json)
        algorithm = try json.required("publicKeyAlgorithm").integer()
        publicKey = try json.required("publicKey").base64url(longest: longestPart)
    }
}

/// `POST /api/v1/session/passkey`.
struct PasskeySignInBody: JSONReadable, Sendable {
    let response: PasskeyResponse
    let signature: [UInt8]
    let userHandle: [UInt8]?

    init(_ json: JSONField) throws(JSONFieldError) {
        response = try PasskeyResponse(json)
        signature = try json.required("signature").base64url(longest: longestPart)
        userHandle = try json["userHandle"]?.unlessNull?.base64url(longest: 64)
    }
}

extension PasskeyResponse: JSONReadable {
    public init(_ json: JSONField) throws(JSONFieldError) {
        self.init(
            credential: try json.required("id").base64url(longest: Passkey.longestCredential),
            clientData: try json.required("clientDataJSON").base64url(longest: longestPart),
            authenticatorData: try json.required("authenticatorData").base64url(longest: longestPart))
    }
}

// MARK: - Answers

struct SignInChallengeBody: JSONWritable {
    let challenge: [UInt8]
    let party: RelyingParty

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("challenge", Base64.url.encode(challenge))
            json.member("rpId", party.id)
        }
    }
}

/// What an authenticator needs for a new passkey.
struct PasskeyChallengeBody: JSONWritable {
    let challenge: [UInt8]
    let party: RelyingParty
    let principal: Principal
    /// An authenticator that holds one of these makes no other.
    let existing: [Passkey]

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("challenge", Base64.url.encode(challenge))
            json.member("rpId", party.id)
            json.member("user") { json in
                json.object { json in
                    json.member("id", Base64.url.encode(principal.account.userHandle))
                    json.member("name", principal.name)
                }
            }
            json.member("algorithms", Accounts.passkeyAlgorithms)
            json.member("exclude", existing.map { Base64.url.encode($0.credential) })
        }
    }
}

struct PasskeysBody: JSONWritable {
    let passkeys: [Passkey]

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("passkeys", passkeys.map(PasskeyBody.init))
        }
    }
}

struct PasskeyBody: JSONWritable {
    let passkey: Passkey

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", passkey.id)
            json.member("name", passkey.name)
            json.member("created", Int(passkey.created))
            json.member("used", passkey.used.map { Int($0) })
        }
    }
}
