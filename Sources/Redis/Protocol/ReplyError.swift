/// Why a server's output cannot be parsed.
enum ReplyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is not RESP2, but another protocol or a later version.
    case malformed
    /// A line, a string, a list or a whole reply exceeds its limit.
    case tooLarge
    case tooDeep

    var description: String {
        switch self {
        case .malformed: "its response is not valid RESP"
        case .tooLarge: "its response is too large"
        case .tooDeep: "its response is nested too deeply"
        }
    }
}
