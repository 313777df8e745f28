/// What the catalog is at one moment. Reading it costs a lock held for a copy; it never waits for disk.
public struct CatalogState: Sendable, Hashable {
    /// Rises whenever an image comes, goes, moves or has other content; it goes on rising after a restart. It does not
    /// rise when facts are learnt.
    public var revision: UInt64
    /// Images in the present order.
    public var total: Int
    /// Whether a source is still being read; `total` may still change.
    public var isScanning: Bool
    /// How long the sources that changed were read last, one after the other; nil before they were.
    public var readingTime: Duration?
    /// Whether what is asked of the index may have to be refused for a while; see ``Catalog/isHealing``.
    public var isHealing: Bool
    /// What people should know: bad lines, refused links, an empty folder, an index that was rebuilt.
    public var problems: Problems
    /// The sources in their order.
    public var sources: [SourceState]

    /// Problems: all are counted, the first ones are named.
    public struct Problems: Sendable, Hashable, Codable {
        /// Of each source at most this many problems are named.
        public static let namedAtMost = 20

        public var count = 0
        public var first: [Problem] = []
    }

    /// One thing that is not as it should be, and that stops nothing else.
    public struct Problem: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The source it was met in, as the command line named it; nil for the index itself.
        public var source: String?
        /// The line of a list, from 1.
        public var line: Int?
        /// The path beneath the folder, fit to print.
        public var path: String?
        /// What is wrong, and what to do where something can be done.
        public var reason: String

        public var description: String {
            let place = [source, line.map { "line \($0)" }, path].compactMap(\.self)
            return place.isEmpty ? reason : place.joined(separator: ", ") + ": " + reason
        }
    }

    /// One source at one moment.
    public struct SourceState: Sendable, Hashable {
        /// As the command line named it.
        public var name: String
        public var total: Int
        public var isScanning: Bool
    }
}
