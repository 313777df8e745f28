import Logging
import Tracing

extension Loader {
    /// Where the caches are kept and what they may use.
    public struct Configuration: Sendable {
        /// The folder of the caches, created when it is absent. Nil keeps everything in memory and fetched originals
        /// in a temporary folder of this process.
        public var directory: String?
        /// Bytes of encoded renditions in memory.
        public var memoryBytes = 48 << 20
        /// Bytes of encoded renditions on disk.
        public var tileBytes: Int64 = 2 << 30
        /// Bytes of pyramids on disk: a few of them, so that they never push out thousands of tiles.
        public var pyramidBytes: Int64 = 512 << 20
        /// Bytes of fetched originals on disk; apart from the tiles, so that a few originals never push out thousands.
        public var originalBytes: Int64 = 4 << 30
        /// Bytes of originals that are in memory because the disk takes none, all together. What does not fit is refused
        /// with status 503 until there is room.
        public var originalMemoryBytes: Int64 = 64 << 20
        /// Bytes that originals may have on disk while they arrive, for tests of a full disk; nil for what there is.
        var originalDisk: ByteRoom?
        /// Renditions that may be in the making or waiting at once. More are refused with status 503.
        public var maximumPending = 50_000
        /// The same for one client. More are refused with status 429.
        public var maximumPendingPerClient = 10_000
        /// Bytes of an origin's answer that may wait for the disk before the origin is asked to pause.
        public var unwrittenBytes = 512 << 10
        /// How long a failure that a retry would repeat is remembered.
        public var failureLifetime: Duration = .seconds(300)
        /// How many such failures are remembered.
        public var rememberedFailures = 10_000
        /// How many pictures that harmed their decoder are remembered, for good.
        public var rememberedHarmful = 10_000
        /// How long `shutdown()` may take to write what is still unwritten.
        public var shutdownDeadline: Duration = .seconds(5)
        public var logger = Logger(label: "tessera.loading")
        /// Makes the spans of loads that somebody waits for; nil for none.
        public var tracer: (any Tracer)?

        public init() {}

        /// - Throws: `InvalidConfiguration` that names the first value out of its bounds.
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
            guard shutdownDeadline >= .zero else { throw InvalidConfiguration(field: "shutdownDeadline") }
        }
    }
}

/// A value of a configuration is out of its bounds.
public struct InvalidConfiguration: Error, Hashable, Sendable {
    public let field: String

    public init(field: String) {
        self.field = field
    }
}
