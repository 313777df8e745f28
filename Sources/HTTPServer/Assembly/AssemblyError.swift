/// Why a page could not be put together.
public enum AssemblyError: Error, Hashable, CustomStringConvertible {
    /// In this line of this file stands what is not understood.
    case unreadable(String, line: Int, reason: String)
    /// The folder has no such file, which the other one names.
    case missing(String, namedBy: String)
    /// These modules import each other, each the next.
    case circle([String])

    public var description: String {
        switch self {
        case .unreadable(let file, let line, let reason): "\(file):\(line): \(reason)"
        case .missing(let file, let other): "\(other) names \(file), which is not there"
        case .circle(let files): "modules import each other: \(files.joined(separator: " → "))"
        }
    }
}
