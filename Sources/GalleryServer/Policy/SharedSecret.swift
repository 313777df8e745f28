import HTTPServer
import HTTPTypes

/// A secret that authenticates a program sending notifications to this server.
struct SharedSecret: Sendable {
    static let minimumLength = 16
    static let maximumLength = 256

    private let bytes: [UInt8]

    /// Nil if the text is too short, too long, or contains characters that a header field can't carry unchanged.
    init?(_ text: String) {
        guard (Self.minimumLength...Self.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        bytes = Array(text.utf8)
    }

    /// Checks that a request carries the secret: as a bearer token (RFC 6750 §2.1), or as a password with any user
    /// name (RFC 7617 §2).
    ///
    /// - Throws: A `Problem` with status 401 that says how to send it.
    func admit(_ request: Request) throws(Problem) {
        let supplied = request.headers[.authorization].flatMap(BearerSecret.text)
        guard let supplied, isSame(as: Array(supplied.utf8)) else {
            throw Problem(
                .unauthorized, title: "A secret is required",
                detail: "Send it as Authorization: Bearer, or as the password of Authorization: Basic.",
                headers: [.wwwAuthenticate: #"Bearer realm="events", Basic realm="events""#])
        }
    }

    /// Constant-time: takes the same time wherever a guess of this length is wrong.
    private func isSame(as guess: [UInt8]) -> Bool {
        guard guess.count == bytes.count else { return false }
        return zip(guess, bytes).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
