import HTTPServer
import Images
import Loading

/// What the server says in text; see Documentation/stream.md.
enum ServerMessage: Sendable {
    case session(SessionID, revision: UInt64, total: Int)
    case catalog(revision: UInt64, total: Int, view: String)
    case tokens([Assignment], revision: UInt64, view: String)
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
        /// The largest that the slot needs; nil for a client that knows previews and tiles alone.
        var rendition: StreamRendition?
    }

    /// The message as JSON.
    var text: String {
        switch self {
        case .session(let session, let revision, let total):
            return #"{"type":"session","session":"\#(session)","revision":\#(revision),"total":\#(total)}"#
        case .catalog(let revision, let total, let view):
            return #"{"type":"catalog",\#(Self.member(view))"revision":\#(revision),"total":\#(total)}"#
        case .tokens(let assignments, let revision, let view):
            var text = #"{"type":"tokens",\#(Self.member(view))"revision":\#(revision),"tokens":["#
            for (position, assignment) in assignments.enumerated() {
                if position > 0 { text += "," }
                text += #"{"slot":\#(assignment.slot),"image":"\#(assignment.image)","name":"#
                text += JSONText.quoted(assignment.name)
                if let version = assignment.version { text += #","version":"\#(version)""# }
                if let token = assignment.token { text += #","token":"\#(token)""# }
                if let needed = assignment.rendition { text += #","rendition":"\#(needed.rendition.rawValue)""# }
                text += "}"
            }
            return text + "]}"
        case .waiting(let tokens):
            return #"{"type":"waiting","tokens":[\#(tokens.map { "\"\($0)\"" }.joined(separator: ","))]}"#
        }
    }

    /// The view, where it is not the plain one.
    private static func member(_ view: String) -> String {
        view.isEmpty ? "" : #""view":\#(JSONText.quoted(view)),"#
    }
}
