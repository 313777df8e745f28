import FoundationEssentials
import HTTPServer
import HTTPTypes

/// A secret by which a program is known that tells this server something.
struct SharedSecret: Sendable {
    static let shortest = 16
    static let longest = 256

    private let bytes: [UInt8]

    /// Nil for what is too short to be one, too long, or cannot be written into a field as it is.
    init?(_ text: String) {
        guard (Self.shortest...Self.longest).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        bytes = Array(text.utf8)
    }

    /// Checks that a request bears it: as a bearer's (RFC 6750 §2.1), or as a password, under whatever name (RFC 7617 §2).
    ///
    /// - Throws: a `Problem` with status 401 that says how to bear it.
    func admit(_ request: Request) throws(Problem) {
        let field = request.headers[.authorization] ?? ""
        let scheme = field.prefix { $0 != " " }
        let rest = field.dropFirst(scheme.count).drop { $0 == " " }
        let borne: [UInt8] =
            switch scheme.lowercased() {
            case "bearer": Array(rest.utf8)
            case "basic": Self.password(in: String(rest))
            default: []
            }
        guard isSame(as: borne) else {
            throw Problem(
                .unauthorized, title: "This is for whoever has the secret",
                detail: "Send it as Authorization: Bearer, or as the password of Authorization: Basic.",
                headers: [.wwwAuthenticate: #"Bearer realm="events", Basic realm="events""#])
        }
    }

    /// Takes the same time wherever a guess of this length is wrong.
    private func isSame(as guess: [UInt8]) -> Bool {
        guard guess.count == bytes.count else { return false }
        return zip(guess, bytes).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func password(in text: String) -> [UInt8] {
        guard text.utf8.count <= 4096, let pair = Data(base64Encoded: text) else { return [] }
        return pair.firstIndex(of: UInt8(ascii: ":")).map { Array(pair[pair.index(after: $0)...]) } ?? []
    }
}
