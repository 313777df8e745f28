import Glibc

/// Errors that callers of the catalog can get. Each case's `description` says what to do, and is meant for the operator
/// or the client of the API; it names no path that a client did not send.
public enum CatalogError: Error, Hashable, Sendable {
    /// A SOURCE argument cannot be used; `reason` says why, and what to do instead.
    case badSource(word: String, reason: String)
    /// The configuration's `field` has an invalid value.
    case badConfiguration(field: String, reason: String)
    /// The data folder cannot be created, written or read.
    case dataFolderUnusable(path: String, reason: String)
    /// Another process has this data folder open.
    case dataFolderInUse(path: String)
    /// The text is not a cursor that this program has issued.
    case malformedCursor
    /// The cursor's image has been gone for so long that its position is forgotten.
    case staleCursor
    /// A page's offset is negative.
    case offsetOutOfRange
    /// A page's limit is not 1 to `Page.maximumLimit`.
    case limitOutOfRange
    /// The file cannot be opened; the first value says whether a later attempt may succeed.
    case fileUnavailable(Unavailability, reason: String)
    /// The gallery consists of a template's numbered URLs, which can be neither searched nor sorted.
    case positionsOnly
    /// The index could not be read; the log has the details.
    case indexUnavailable
    /// Too many reads are queued; a retry may succeed soon.
    case busy
    /// The catalog was closed.
    case closed
}

extension CatalogError {
    /// Why a file cannot be opened.
    public enum Unavailability: Hashable, Sendable {
        /// It no longer exists, is not a regular file, or lies outside its folder.
        case gone
        /// This user has no permission to read it.
        case forbidden
        /// Unknown: the disk, its server or this process failed (`errno`). A later attempt may succeed.
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
        case .malformedCursor: "The cursor was not issued by this server."
        case .staleCursor: "The cursor has expired. Start again from the first page."
        case .offsetOutOfRange: "The offset must be 0 or more."
        case .limitOutOfRange: "The limit must be 1 to \(Page.maximumLimit)."
        case .fileUnavailable(_, let reason): "The file cannot be opened: \(reason)."
        case .indexUnavailable: "The catalog's index cannot be read."
        case .positionsOnly:
            "This gallery consists of numbered URLs, so it cannot be searched or sorted."
        case .busy: "The catalog has too many lookups queued. Try again in a moment."
        case .closed: "The catalog is closed."
        }
    }
}
