import Images
import Origins

extension OriginalFetch {
    /// The state of the pool's work; only one drain at a time uses it.
    struct Work: Sendable {
        var head: OriginHead?
        var spool: Spool?
        var path: String?
        var digest = VersionDigest()
        var firstBytes: [UInt8] = []
        var isAnnounced = false
        /// How many `prefixArrived` events were sent.
        var prefixes = 0
        /// Bytes to skip because the origin sends them again after a restart.
        var bytesToSkip: Int64 = 0
        var isOver = false

        /// Whether the rest would come as a whole new response, of which weak validators cannot tell whether it
        /// continues this prefix (RFC 9110 §13.1.5). Nobody may read the spool until then.
        var mayStartOver: Bool { head?.isPrefix == true && head?.validators.strongEntityTag == nil }
    }
}
