import Glibc

/// Why a folder of static files could not be loaded.
public enum StaticFilesError: Error, Hashable, CustomStringConvertible {
    /// The file or folder at this path could not be read; `code` is the `errno`.
    case unreadable(String, code: Int32)
    /// With this file the folder exceeds the limit.
    case tooLarge(String)

    public var description: String {
        switch self {
        case .unreadable(let path, let code): "cannot read \(path): \(String(cString: strerror(code)))"
        case .tooLarge(let path): "the folder is too large to be held in memory, at \(path)"
        }
    }
}
