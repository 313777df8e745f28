/// The catalog at one moment. Reading it copies the state under a lock; it never waits for the disk.
public struct CatalogState: Sendable, Hashable {
    /// Rises whenever an image is added, removed, moved or changes its content, and keeps rising across restarts. New
    /// metadata does not raise it.
    public var revision: UInt64
    /// The number of images in the current order.
    public var total: Int
    /// Whether a source is still being scanned; `total` may still change.
    public var isScanning: Bool
    /// How long it took to scan the changed sources last time, one after another; nil before the first scan.
    public var readingTime: Duration?
    /// Whether reads of the index may fail for a while; see ``Catalog/isRepairing``.
    public var isRepairing: Bool
    /// Problems to show to people: bad lines, refused links, an empty folder, an index that was rebuilt.
    public var problems: Problems
    /// The files and objects that are not shown because of their kind, as far as the sources have been scanned in this
    /// run.
    public var unshown = UnshownCounts()
    /// The sources, in the order of the command line.
    public var sources: [SourceState]

    /// A count of all problems, and the first of them in full.
    public struct Problems: Sendable, Hashable {
        /// The most problems stored in full per source.
        public static let namedAtMost = 20

        public var count = 0
        public var first: [Problem] = []
    }

    /// One problem, which affects nothing else.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// The source with the problem, as the command line names it; nil for the index itself.
        public var source: String?
        /// The line of a URL list, from 1.
        public var line: Int?
        /// The path beneath the folder, in printable form.
        public var path: String?
        /// What is wrong, and what can be done about it, if anything.
        public var reason: String

        public var description: String {
            let place = [source, line.map { "line \($0)" }, path].compactMap(\.self)
            return place.isEmpty ? reason : place.joined(separator: ", ") + ": " + reason
        }
    }

    /// One source at one moment.
    public struct SourceState: Sendable, Hashable {
        /// As the command line names it.
        public var name: String
        public var total: Int
        public var isScanning: Bool
    }
}
