import HTTPServer
import Images
import Loading

/// What the server says in text; see Documentation/stream.md.
enum ServerMessage: Sendable {
    case session(SessionID, revision: UInt64, total: Int)
    case catalog(revision: UInt64, total: Int)
    case tokens([Assignment], revision: UInt64)
    /// The tokens whose origins keep them waiting now; the others wait no longer.
    case waiting([Token])

    /// What stands in one slot.
    struct Assignment: Hashable, Sendable {
        var slot: Int
        var image: ImageID
        var name: String
        /// Nil while it is not known.
        var version: ContentVersion?
        /// Nil where the client holds all that would be sent.
        var token: Token?
    }

    /// The message as JSON.
    var text: String {
        switch self {
        case .session(let session, let revision, let total):
            return #"{"type":"session","session":"\#(session)","revision":\#(revision),"total":\#(total)}"#
        case .catalog(let revision, let total):
            return #"{"type":"catalog","revision":\#(revision),"total":\#(total)}"#
        case .tokens(let assignments, let revision):
            var text = #"{"type":"tokens","revision":\#(revision),"tokens":["#
            for (position, assignment) in assignments.enumerated() {
                if position > 0 { text += "," }
                text += #"{"slot":\#(assignment.slot),"image":"\#(assignment.image)","name":"#
                text += JSONText.quoted(assignment.name)
                if let version = assignment.version { text += #","version":"\#(version)""# }
                if let token = assignment.token { text += #","token":"\#(token)""# }
                text += "}"
            }
            return text + "]}"
        case .waiting(let tokens):
            return #"{"type":"waiting","tokens":[\#(tokens.map { "\"\($0)\"" }.joined(separator: ","))]}"#
        }
    }
}
