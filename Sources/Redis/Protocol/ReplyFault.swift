/// Why what a server sends cannot be read.
enum ReplyFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is not RESP2: of another protocol, or of a later version of this one.
    case malformed
    /// A line, a string, or a reply in all; or a list of too many.
    case tooLarge
    case tooDeep

    var description: String {
        switch self {
        case .malformed: "what it says is not Redis' protocol"
        case .tooLarge: "what it says is too large"
        case .tooDeep: "what it says has lists too deep in lists"
        }
    }
}
