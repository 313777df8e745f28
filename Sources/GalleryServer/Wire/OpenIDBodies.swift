import Accounts
import Encodings

// What clients and the server tell each other about signing in with an OpenID provider.

/// The longest `from` that is read, in bytes. One that does not fit into a cookie is left out later.
private let longestReturnTo = 16 << 10

/// `POST /api/v1/session/oidc`.
struct ProviderSignInBody: JSONReadable, Sendable {
    /// Where in the gallery the person wants to go: a query or a fragment.
    let returnTo: String

    init(_ json: JSONField) throws(JSONFieldError) {
        returnTo = try json["from"]?.unlessNull?.text(longest: longestReturnTo) ?? ""
    }
}

/// Where the browser goes now.
struct AuthorizationRequestBody: JSONWritable {
    let url: String

    func write(to json: inout JSONWriter) {
        json.object { $0.member("location", url) }
    }
}

extension AccountPage {
    /// The page after a sign-in at a provider, from which it goes on to a place of the gallery.
    static func entered(_ returnTo: String) -> String { "account.html#entered=\(returnTo)" }

    /// The sign-in page with a message; see `refusals` in Public/account/provider.js.
    static func refused(_ reason: OpenIDError.Reason) -> String {
        let word =
            switch reason {
            case .unknownOrExpired: "expired"
            case .denied: "denied"
            case .notAdmitted: "not-admitted"
            case .invalidResponse: "invalid"
            case .account(.lastOwner): "last-owner"
            case .unavailable, .account: "unavailable"
            }
        return "account.html#refused=\(word)"
    }
}
