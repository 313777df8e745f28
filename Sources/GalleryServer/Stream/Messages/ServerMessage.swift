import Encodings
import Images
import Loading

/// A text message from the server; see Documentation/stream.md.
enum ServerMessage: Sendable {
    case session(SessionID, revision: UInt64, total: Int)
    case catalog(revision: UInt64, total: Int, view: String)
    case tokens([Assignment], revision: UInt64, view: String)
    /// The tokens that now wait for a silent origin. All other tokens do not, or no longer.
    case waiting([Token])
    /// The response to a ping.
    case pong

    /// The image and the token of one slot.
    struct Assignment: Hashable, Sendable {
        var slot: Int
        var image: ImageID
        var name: String
        /// Nil while the version is not known.
        var version: ContentVersion?
        /// Nil if the client holds everything that would be sent.
        var token: Token?
        /// The largest rendition that the slot needs; nil for a client that supports only previews and tiles.
        var rendition: StreamRendition?
    }

    /// The message as JSON.
    ///
    /// - Parameter ids: Encrypts the ids.
    func text(_ ids: ImageIDCipher) -> String {
        var json = JSONWriter()
        json.object { write(to: &$0, ids) }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func write(to json: inout JSONWriter, _ ids: ImageIDCipher) {
        switch self {
        case .session(let session, let revision, let total):
            json.member("type", "session")
            json.member("session", session.description)
            json.member("revision", revision)
            json.member("total", total)
            json.member("pings", true)
        case .catalog(let revision, let total, let view):
            json.member("type", "catalog")
            json.member("view", Self.named(view))
            json.member("revision", revision)
            json.member("total", total)
        case .tokens(let assignments, let revision, let view):
            json.member("type", "tokens")
            json.member("view", Self.named(view))
            json.member("revision", revision)
            json.member("tokens") { json in json.list(assignments) { $1.write(to: &$0, ids) } }
        case .waiting(let tokens):
            json.member("type", "waiting")
            json.member("tokens") { json in
                json.list(tokens) { json, token in json.value { token.append(to: &$0) } }
            }
        case .pong: json.member("type", "pong")
        }
    }

    /// Nil for the plain view.
    private static func named(_ view: String) -> String? { view.isEmpty ? nil : view }
}

extension ServerMessage.Assignment {
    fileprivate func write(to json: inout JSONWriter, _ ids: ImageIDCipher) {
        json.object { json in
            json.member("slot", slot)
            json.member("image") { json in json.value { ids.encrypt(image).append(to: &$0) } }
            json.member("name", name)
            if let version { json.member("version") { json in json.value { version.append(to: &$0) } } }
            if let token { json.member("token") { json in json.value { token.append(to: &$0) } } }
            json.member("rendition", rendition?.rendition.rawValue)
        }
    }
}
