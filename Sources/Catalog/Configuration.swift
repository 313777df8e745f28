extension Catalog {
    /// What the catalog needs to know of its surroundings.
    public struct Configuration: Sendable {
        /// The folder of the index. It is made when it does not exist; one process at a time may use it.
        public var dataFolder: String
        /// How long what is learnt may wait for its transaction.
        public var learningDelay: Duration = .milliseconds(100)
        /// How many learnt facts make a transaction without waiting.
        public var learningBatch = 500
        /// While a source is read for the first time, the least time between two revisions.
        public var growthInterval: Duration = .milliseconds(250)
        /// Bytes of the longest line (or CSV record) of a list that is read; a longer one is a bad line.
        public var longestLine = 65_536
        /// Whether changes in the sources are seen when they happen.
        public var watches = true
        /// Where changes are not seen when they happen: how long after a reading a source is read again, at least. Large
        /// ones are read less often, so that a fiftieth of the time goes into it.
        public var rescanInterval: Duration = .seconds(60)
        /// How old a file is at least that comes in while the gallery runs: a younger one may still be written.
        public var settling: Duration = .seconds(1)
        /// How long a file that its writer has not closed must stay as it is before it is taken as it is.
        public var patience: Duration = .seconds(30)
        /// A file that goes from one source and comes in another, in whichever order, is the same at most so far apart.
        public var moving: Duration = .seconds(5)
        /// The pixels of a template's image with this index, where they are known before it is fetched: of pictures that the
        /// program draws itself. Called often; costs next to nothing.
        public var templateSize: @Sendable (_ template: URLTemplate, _ index: Int) -> (width: Int, height: Int)? = {
            _, _ in
            nil
        }
        /// Who asks the store of buckets; nil where no bucket can be a source.
        public var objectStore: (any ObjectStoreAsking)?
        /// Tells the other nodes of the gallery what is learnt; nil where nobody shares.
        public var sharing: (any FactsSharing)?
        /// Has buckets be listed by one node of the gallery at a time; nil where each lists for itself.
        public var listings: (any ListingSharing)?
        /// How long ago a listing may have been begun that serves a node which has none: nodes that are started together
        /// need one.
        var listingAge: Duration = .seconds(30)
        /// How soon a page of a bucket's listing that did not come is asked for again, and how often until the listing is
        /// given up for a while.
        var pageRetrying = RetryPace(first: .milliseconds(500), longest: .seconds(30))
        var pageRetries = 6
        /// How long `close()` waits for a disk that is being read.
        var closingPatience: Duration = .seconds(5)
        /// Pages of 4 KiB that the index may have, for tests of a full disk; nil for no limit.
        var maximumIndexPages: Int?
        /// What is asked of the file system, for tests of one that fails.
        var fileSystem = FileSystemCalls.system
        /// How soon what failed is tried once more by itself; longer after each further failure.
        var retrying = RetryPace()

        public init(dataFolder: String) {
            self.dataFolder = dataFolder
        }

        /// Throws `CatalogError.badConfiguration` for the first value that cannot work.
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
            try require(patience >= .zero, "patience", "must not be negative")
            try require(moving >= .zero, "moving", "must not be negative")
            try require((1024...1 << 24).contains(longestLine), "longestLine", "must be 1,024 to 16,777,216 bytes")
        }
    }
}
