import Encodings

/// What a browser lets the authenticator sign: for which page, and in answer to what (WebAuthn Level 3 §5.8.1).
struct ClientData: JSONReadable, Hashable, Sendable {
    let type: String
    let challenge: [UInt8]
    let origin: String
    /// Whether the page was in a frame of another site.
    let isCrossOrigin: Bool

    static let creation = "webauthn.create"
    static let signIn = "webauthn.get"

    init(_ json: JSONField) throws(JSONFieldError) {
        type = try json.required("type").text()
        challenge = try json.required("challenge").base64url()
        origin = try json.required("origin").text()
        isCrossOrigin = try json["crossOrigin"]?.boolean() ?? false
    }
}
