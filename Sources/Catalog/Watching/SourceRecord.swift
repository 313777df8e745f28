import Images

/// What is remembered of one source between its readings.
final class SourceRecord: @unchecked Sendable {
    // Sendable because it is touched on the scanning queue alone.

    var watch: FolderWatch?
    var unfinished: UnfinishedFiles

    /// The folders that were read, and how they looked then, as far as everything in them could be told; nil until the
    /// whole source was. The index has the same.
    var folders: (prints: [[UInt8]: FolderPrint?], index: Index)?
    /// Why some folders, or the folder of a list, are not watched.
    var refusals: Set<FolderWatch.Refusal> = []
    /// Folders that could not be read when they were looked at last.
    var closed: Set<[UInt8]> = []
    /// Links that were met: what they lead to may change without a sign.
    var links: Set<[UInt8]> = []
    /// The listing that was written last, and where.
    var kept: (listing: Listing, index: Index)?
    /// Images that have gone, whose rows and facts are still there: a file that comes may be the same.
    var leaving: (images: [(id: ImageID, row: UInt32)], index: Index)?
    /// Those of them that this index has.
    func left(in index: Index) -> [(id: ImageID, row: UInt32)] {
        leaving?.index === index ? leaving?.images ?? [] : []
    }

    /// Whether they will be let go of.
    var isLettingGo = false
    /// The first rows of what came lately: it may have gone from another source.
    var arrivals: [(row: UInt32, index: Index, at: ContinuousClock.Instant)] = []
    /// Whether something can change without being heard of, so that it must be looked for.
    var isBlind = false
    /// Whether it will be looked for.
    var isDue = false
    /// Whether everything will be read, for hints named too much.
    var isOverrun = false
    /// Objects of it that were looked at by themselves.
    var looks = RecentLooks()
    /// Of its content as it is shown, where a listing said so and nothing has changed it since.
    var digest: String?
    /// When the listing was begun that was read last.
    var listed: ContinuousClock.Instant?
    /// Whether folders have other times when names came or went, as far as was seen; some mounts do not keep them.
    var timesTell = true
    /// How long it took to look at every folder's times, and at everything; nil before that was done.
    var durations: [Dirt.Extent: Duration] = [:]
    /// How often all of it was read, and not what is other than it was.
    var readings = 0
    /// When everything was looked at last.
    var lookedAt: ContinuousClock.Instant?

    func note(_ listed: ListingInTurn.Listed) {
        looks.settle(until: listed.begun)
        self.listed = listed.begun
        durations[.everything] = listed.time
        lookedAt = listed.begun + listed.time
    }

    init(_ configuration: Catalog.Configuration) {
        unfinished = UnfinishedFiles(settling: configuration.settling, patience: configuration.patience)
    }
}
