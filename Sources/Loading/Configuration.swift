import Logging
import Tracing

extension Loader {
    /// Where the caches are and how much they may use.
    public struct Configuration: Sendable {
        /// The folder of the caches, created if it does not exist. With nil, the caches are in memory and fetched
        /// originals in a temporary folder of this process.
        public var directory: String?
        /// Bytes of encoded renditions in memory.
        public var memoryBytes = 48 << 20
        /// Bytes of encoded renditions on disk.
        public var tileBytes: Int64 = 2 << 30
        /// Bytes of pyramids on disk. They have a budget of their own, so that a few pyramids never evict thousands of
        /// tiles.
        public var pyramidBytes: Int64 = 512 << 20
        /// Bytes of fetched originals on disk. They have a budget of their own, so that a few originals never evict
        /// thousands of tiles.
        public var originalBytes: Int64 = 4 << 30
        /// Bytes of all originals that are in memory because the disk cannot take them. Originals that do not fit are
        /// refused with status 503 until there is room.
        public var originalMemoryBytes: Int64 = 64 << 20
        /// Bytes that arriving originals may use on disk, for tests of a full disk; nil for no limit but the disk
        /// itself.
        var originalDisk: ByteQuota?
        /// Loads that may run or wait at once. More are refused with status 503.
        public var maximumPending = 50_000
        /// The same limit for one client. More are refused with status 429.
        public var maximumPendingPerClient = 10_000
        /// Bytes of an origin's response that may wait for the disk before the origin is asked to pause.
        public var unwrittenBytes = 512 << 10
        /// How long the negative cache remembers a failure that a retry would repeat.
        public var failureLifetime: Duration = .seconds(300)
        /// How many failures the negative cache remembers.
        public var rememberedFailures = 10_000
        /// How many harmful images are remembered, without expiry.
        public var rememberedHarmful = 10_000
        /// How long a load waits for a thread that reads a disk, and then for the disk itself.
        public var diskDeadline: Duration = .seconds(15)
        /// How long `shutdown()` may take to write what is still unwritten.
        public var shutdownDeadline: Duration = .seconds(5)
        public var logger = Logger(label: "tessera.loading")
        /// Creates the tracing spans of loads with a waiter; nil for no tracing.
        public var tracer: (any Tracer)?

        public init() {}

        /// - Throws: `InvalidConfiguration` naming the first value that is out of range.
        public func validate() throws(InvalidConfiguration) {
            guard memoryBytes >= 0 else { throw InvalidConfiguration(field: "memoryBytes") }
            guard tileBytes >= 0 else { throw InvalidConfiguration(field: "tileBytes") }
            guard pyramidBytes >= 0 else { throw InvalidConfiguration(field: "pyramidBytes") }
            guard originalBytes >= 0 else { throw InvalidConfiguration(field: "originalBytes") }
            guard originalMemoryBytes >= 0 else { throw InvalidConfiguration(field: "originalMemoryBytes") }
            guard maximumPending > 0 else { throw InvalidConfiguration(field: "maximumPending") }
            guard maximumPendingPerClient > 0 else { throw InvalidConfiguration(field: "maximumPendingPerClient") }
            guard unwrittenBytes > 0 else { throw InvalidConfiguration(field: "unwrittenBytes") }
            guard failureLifetime >= .zero else { throw InvalidConfiguration(field: "failureLifetime") }
            guard rememberedFailures >= 0 else { throw InvalidConfiguration(field: "rememberedFailures") }
            guard rememberedHarmful >= 0 else { throw InvalidConfiguration(field: "rememberedHarmful") }
            guard diskDeadline > .zero else { throw InvalidConfiguration(field: "diskDeadline") }
            guard shutdownDeadline >= .zero else { throw InvalidConfiguration(field: "shutdownDeadline") }
        }
    }
}

/// A configuration value is out of range.
public struct InvalidConfiguration: Error, Hashable, Sendable {
    public let field: String

    public init(field: String) {
        self.field = field
    }
}
