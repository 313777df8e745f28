import Images

/// What is remembered of one source between its readings.
final class SourceRecord: @unchecked Sendable {
    // Sendable because it is touched on the scanning queue alone.

    var watch: FolderWatch?
    var unfinished: UnfinishedFiles

    /// The folders that were read; nil until the whole source was, in this run.
    var folders: Set<[UInt8]>?
    /// Links that were met: what they lead to may change without a sign.
    var links: Set<[UInt8]> = []
    /// The listing that was written last, and where.
    var kept: (listing: Listing, index: Index)?
    /// Images that have gone, with their rows and what was learnt of them, as long as there are files that are not shown
    /// yet: one of those may be the same file.
    var leaving: (images: [(id: ImageID, row: UInt32)], index: Index)?
    /// Whether something can change without being heard of, so that it must be looked for.
    var isBlind = false
    /// Whether it will be looked for.
    var isDue = false
    /// How often everything was read.
    var readings = 0
    /// How long it took to read the whole source last.
    var duration = Duration.zero

    init(_ configuration: Catalog.Configuration) {
        unfinished = UnfinishedFiles(settling: configuration.settling, patience: configuration.patience)
    }
}
