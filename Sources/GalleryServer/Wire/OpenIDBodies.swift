import Accounts
import Encodings

// What clients and the server tell each other about signing in at an OpenID provider.

/// The longest place, in bytes. A longer one than a cookie can carry is left out.
private let longestPlace = 16 << 10

/// `POST /api/v1/session/oidc`.
struct ProviderSignInBody: JSONReadable, Sendable {
    /// Where in the gallery the person wants to go: a query or a fragment.
    let place: String

    init(_ json: JSONField) throws(JSONFieldError) {
        place = try json["from"]?.unlessNull?.text(longest: longestPlace) ?? ""
    }
}

/// Where the browser goes now.
struct ProviderAddressBody: JSONWritable {
    let address: String

    func write(to json: inout JSONWriter) {
        json.object { $0.member("location", address) }
    }
}

extension AccountPage {
    /// The page after a sign-in at a provider, from which it goes on to a place of the gallery.
    static func entered(_ place: String) -> String { "account.html#entered=\(place)" }

    /// The sign-in page with a message; see `refusals` in Public/account/provider.js.
    static func refused(_ reason: OpenIDError.Reason) -> String {
        let word =
            switch reason {
            case .notBegun: "expired"
            case .denied: "denied"
            case .refused: "refused"
            case .account(.lastOwner): "last-owner"
            case .account(.tooManyAttempts): "wait"
            case .unavailable, .account: "unavailable"
            }
        return "account.html#refused=\(word)"
    }
}
