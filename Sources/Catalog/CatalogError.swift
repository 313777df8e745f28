import Glibc

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
    /// The file cannot be opened; the first member says whether it can be had at all.
    case fileUnavailable(Unavailability, reason: String)
    /// The gallery is of a template's numbered URLs, of which nothing can be searched or sorted by.
    case positionsOnly
    /// The index could not be read; the log has the details.
    case indexUnavailable
    /// Too much is being looked up for others already; it may be asked again soon.
    case busy
    /// The catalog was closed.
    case closed
}

extension CatalogError {
    /// Why a file cannot be opened.
    public enum Unavailability: Hashable, Sendable {
        /// It is not there any more, is not a regular file, or lies outside its folder.
        case gone
        /// This user may not read it.
        case forbidden
        /// It is not known: the disk, its server or this process was not able to (`errno`). It may be later.
        case passing(errno: Int32)

        init(_ failure: FolderRoot.Failure) {
            self =
                switch failure.code {
                case _ where failure.isAbsence: .gone
                case EACCES, EPERM: .forbidden
                default: .passing(errno: failure.code)
                }
        }
    }
}

extension CatalogError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badSource(let word, let reason): "\(word): \(reason)"
        case .badConfiguration(let field, let reason): "\(field): \(reason)"
        case .dataFolderUnusable(let path, let reason):
            """
            The data folder \(path) cannot be used: \(reason). Choose another one with --data, or in a container mount one \
            there to which the user with the id \(geteuid()) may write.
            """
        case .dataFolderInUse(let path):
            "The data folder \(path) is in use by another Tessera. Stop that one, or choose another folder with --data."
        case .malformedCursor: "The cursor is not one that this server gave out."
        case .staleCursor: "The cursor's place is forgotten. Start again from the first page."
        case .offsetOutOfRange: "The offset must be 0 or more."
        case .limitOutOfRange: "The limit must be 1 to \(Page.maximumLimit)."
        case .fileUnavailable(_, let reason): "The file cannot be opened: \(reason)."
        case .indexUnavailable: "The catalog's index cannot be read."
        case .positionsOnly:
            "The gallery is made of a template's numbered URLs: it knows their positions, and nothing to search or sort by."
        case .busy: "Too much is being looked up in the catalog at once. Ask again in a moment."
        case .closed: "The catalog is closed."
        }
    }
}
