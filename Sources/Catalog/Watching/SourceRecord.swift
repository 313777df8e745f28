import Images

/// The state of one source between its scans.
final class SourceRecord: @unchecked Sendable {
    // Sendable because it is confined to the scanning queue.

    var watch: FolderWatch?
    var unfinished: UnfinishedFiles

    /// The folders with their fingerprints from the last time they were read, nil where something in the folder could
    /// not be determined. Nil before the first full scan. The index stores the same.
    var folders: (fingerprints: [[UInt8]: FolderFingerprint?], index: Index)?
    /// Why some folders, or the folder of a list, are not watched.
    var refusals: Set<FolderWatch.Refusal> = []
    /// Folders that could not be read at the last attempt.
    var closed: Set<[UInt8]> = []
    /// The files that are not shown, of each folder that has any.
    var unshown: [[UInt8]: UnshownCounts] = [:]
    /// The folders that were entered through links.
    var linkedFolders: Set<[UInt8]> = []
    /// Links that were found. Their targets may change without an event.
    var links: Set<[UInt8]> = []
    /// The listing that was written last, and the index that has it.
    var kept: (listing: Listing, index: Index)?
    /// Removed images whose rows and metadata still exist, because an added file may be the same.
    var removed: (images: [(id: ImageID, row: UInt32)], index: Index)?
    /// The removed images in this index.
    func removedImages(in index: Index) -> [(id: ImageID, row: UInt32)] {
        removed?.index === index ? removed?.images ?? [] : []
    }

    /// Whether their deletion is scheduled.
    var isDeletionScheduled = false
    /// The first rows of recently added images, which may have been removed from another source.
    var arrivals: [(row: UInt32, index: Index, at: ContinuousClock.Instant)] = []
    /// Whether something may change without an event, so that periodic scans are needed.
    var needsPeriodicScans = false
    /// Whether the next periodic scan is scheduled.
    var isDue = false
    /// Whether a full scan is scheduled because too much was hinted.
    var isOverrun = false
    /// Objects that were looked up individually.
    var lookups = RecentLookups()
    /// Whether file I/O of the source was abandoned because its disk hangs, and has not returned.
    var hangs = false
    /// The digest of the visible content, if a listing stated it and nothing has changed since.
    var digest: String?
    /// When the last listing read began.
    var listed: ContinuousClock.Instant?
    /// Whether folders get new times when names are added or removed, as far as was observed; some mounts do not update
    /// them.
    var hasReliableFolderTimes = true
    /// How long a check of all folder times and a full scan took last; nil before the first.
    var durations: [DirtySet.Extent: Duration] = [:]
    /// The number of full scans.
    var readings = 0
    /// The end of the last full scan.
    var lastFullScan: ContinuousClock.Instant?

    func note(_ listed: LeasedListing.Listed) {
        lookups.settle(until: listed.begun)
        self.listed = listed.begun
        durations[.everything] = listed.time
        lastFullScan = listed.begun + listed.time
    }

    /// Records what a scan found in folders, besides their images.
    ///
    /// - Parameter folders: All folders known now. What was known of those that were not read stays.
    /// - Returns: How many files are not shown.
    func settle(_ reading: FolderReading, _ folders: [[UInt8]: FolderFingerprint?]) -> UnshownCounts {
        linkedFolders = reading.linkedFolders.filter { folders[$0] != nil }
        unshown = unshown.filter { folders[$0.key] != nil && !reading.counted.contains($0.key) }
        for (folder, counts) in reading.unshown where folders[folder] != nil { unshown[folder] = counts }
        return unshown.values.reduce(into: UnshownCounts()) { $0.add($1) }
    }

    init(_ configuration: Catalog.Configuration) {
        unfinished = UnfinishedFiles(settling: configuration.settling, unclosedSettling: configuration.unclosedSettling)
    }
}
