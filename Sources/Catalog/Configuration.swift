extension Catalog {
    /// The settings of the catalog, and the services that it uses.
    public struct Configuration: Sendable {
        /// The folder of the index. Created if it does not exist; only one process at a time may use it.
        public var dataFolder: String
        /// The longest time that new metadata waits before it is written to the index.
        public var learningDelay: Duration = .milliseconds(100)
        /// The number of images whose new metadata is written at once, without waiting.
        public var learningBatch = 500
        /// The minimum time between two revisions during the first scan of a source.
        public var growthInterval: Duration = .milliseconds(250)
        /// The longest line (or CSV record) of a URL list, in bytes; a longer one is a bad line.
        public var longestLine = 65_536
        /// What to leave out of folders and buckets: patterns relative to each source.
        public var excluded = SkipPatterns()
        /// Whether a date in the name of an image is used if nothing else tells when it was taken.
        public var datesFromNames = true
        /// Whether to watch the sources for changes.
        public var watches = true
        /// The minimum time between two scans of a source that cannot be watched. Large sources are scanned less often,
        /// so that scans take at most a fiftieth of the time.
        public var rescanInterval: Duration = .seconds(60)
        /// The minimum age of a file that appears while the gallery runs; a younger one may still be being written.
        public var settling: Duration = .seconds(1)
        /// How long a file that its writer has not closed must stay unchanged before it is accepted.
        public var unclosedSettling: Duration = .seconds(30)
        /// A file that disappears from one source and appears in another within this time, in either order, is treated
        /// as moved.
        public var moving: Duration = .seconds(5)
        /// The pixel size of a template's image at this index if it is known before the fetch, as for images that this
        /// program draws itself. Called often, so it must be cheap.
        public var templateSize: @Sendable (_ template: URLTemplate, _ index: Int) -> (width: Int, height: Int)? = {
            _, _ in
            nil
        }
        /// Sends requests to the object store; nil if buckets cannot be sources.
        public var objectStore: (any ObjectStoreRequesting)?
        /// Shares metadata with the other nodes; nil on a single node.
        public var sharing: (any MetadataSharing)?
        /// Lets one node at a time list a bucket for all; nil if each node lists for itself.
        public var listings: (any ListingSharing)?
        /// A node without a listing accepts one that began at most this long ago. Nodes that are started together then
        /// make only one.
        var listingAge: Duration = .seconds(30)
        /// How long another node's listing may make no progress before this node gives up reading it. Meanwhile the
        /// scanning queue is occupied.
        var listingStallLimit: Duration = .seconds(60)
        /// The backoff for pages of a bucket listing that failed, and the number of retries before the listing is given
        /// up for a while.
        var pageRetrying = RetryPace(first: .milliseconds(500), maximumDelay: .seconds(30))
        var pageRetries = 6
        /// How long a source's file I/O may make no progress before its scan is abandoned. Disks that have to spin up take
        /// some seconds; if their scan is abandoned it is repeated as soon as they answer.
        var diskPatience = Source.patience
        /// The most folders of a source that are entered through links: links within links can multiply them.
        var maximumLinkedFolders = 20_000
        /// How long `close()` waits for a running read of a disk.
        var closingTimeout: Duration = .seconds(5)
        /// The maximum size of the index in pages of 4 KiB, for tests of a full disk; nil for no limit.
        var maximumIndexPages: Int?
        /// The file system calls, replaceable for tests of failing file systems.
        var fileSystem = FileSystemCalls.system
        /// The backoff for automatic retries of scans, and for repeated repairs of the index.
        var retrying = RetryPace()

        public init(dataFolder: String) {
            self.dataFolder = dataFolder
        }

        /// Checks all values.
        ///
        /// - Throws: `CatalogError.badConfiguration` for the first invalid one.
        public func validate() throws(CatalogError) {
            func require(_ condition: Bool, _ field: String, _ reason: String) throws(CatalogError) {
                guard condition else { throw .badConfiguration(field: field, reason: reason) }
            }
            try require(!dataFolder.isEmpty, "dataFolder", "must name a folder")
            try require(!dataFolder.utf8.contains(0), "dataFolder", "must not contain a NUL byte")
            try require(learningDelay >= .zero, "learningDelay", "must not be negative")
            try require((1...10_000).contains(learningBatch), "learningBatch", "must be 1 to 10,000")
            try require(growthInterval >= .zero, "growthInterval", "must not be negative")
            try require(rescanInterval >= .seconds(1), "rescanInterval", "must be 1 second or more")
            try require(settling >= .zero, "settling", "must not be negative")
            try require(unclosedSettling >= .zero, "unclosedSettling", "must not be negative")
            try require(moving >= .zero, "moving", "must not be negative")
            try require((1024...1 << 24).contains(longestLine), "longestLine", "must be 1,024 to 16,777,216 bytes")
        }
    }
}
