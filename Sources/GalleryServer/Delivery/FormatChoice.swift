import HTTPServer
import HTTPTypes
import Images
import Locking
import Renditions

/// Which encoding a client gets, by its `Accept`. Browsers send a handful of long ones again and again, so each is read
/// once.
final class FormatChoice: Sendable {
    private struct Key: Hashable {
        let accept: String
        let rendition: Rendition
    }

    /// How many are remembered, and of which length at most; a client can send anything.
    private static let capacity = 128
    private static let longest = 512

    private let known = Guarded<[Key: OutputFormat]>([:])

    func format(for request: Request, _ rendition: Rendition) -> OutputFormat {
        guard let accept = request.headers[.accept] else { return OutputFormat.negotiate(accept: nil, for: rendition) }
        guard accept.utf8.count <= Self.longest else {
            return OutputFormat.negotiate(accept: accept, for: rendition)
        }
        let key = Key(accept: accept, rendition: rendition)
        if let format = known.withLock({ $0[key] }) { return format }
        let format = OutputFormat.negotiate(accept: accept, for: rendition)
        known.withLock { known in
            if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
            known[key] = format
        }
        return format
    }
}
