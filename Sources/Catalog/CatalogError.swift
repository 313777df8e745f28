/// What can go wrong for those who ask the catalog. Each case says what to do in its `description`, which is meant for
/// the person at the command line or the client of the API; it names no path that a client did not give.
public enum CatalogError: Error, Hashable, Sendable {
    /// A SOURCE word cannot be used; `reason` says why and what to do instead.
    case badSource(word: String, reason: String)
    /// The configuration's `field` has a value that cannot work.
    case badConfiguration(field: String, reason: String)
    /// The data folder cannot be made, written or read.
    case dataFolderUnusable(path: String, reason: String)
    /// Another process has this data folder open.
    case dataFolderInUse(path: String)
    /// The text is not a cursor that this program gave out.
    case malformedCursor
    /// The image that the cursor stands on has been gone for too long: its place is forgotten.
    case staleCursor
    /// A page's offset is negative.
    case offsetOutOfRange
    /// A page's limit is not 1 to `Page.maximumLimit`.
    case limitOutOfRange
    /// The file is not there any more, is not a regular file, or lies outside its folder.
    case fileUnavailable(reason: String)
    /// The index could not be read; the log has the details.
    case indexUnavailable
    /// The catalog was closed.
    case closed
}

extension CatalogError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badSource(let word, let reason): "\(word): \(reason)"
        case .badConfiguration(let field, let reason): "\(field): \(reason)"
        case .dataFolderUnusable(let path, let reason):
            "The data folder \(path) cannot be used: \(reason). Choose another one with --data."
        case .dataFolderInUse(let path):
            "The data folder \(path) is in use by another Tessera. Stop that one, or choose another folder with --data."
        case .malformedCursor: "The cursor is not one that this server gave out."
        case .staleCursor: "The cursor's place is forgotten. Start again from the first page."
        case .offsetOutOfRange: "The offset must be 0 or more."
        case .limitOutOfRange: "The limit must be 1 to \(Page.maximumLimit)."
        case .fileUnavailable(let reason): "The file cannot be opened: \(reason)."
        case .indexUnavailable: "The catalog's index cannot be read."
        case .closed: "The catalog is closed."
        }
    }
}
