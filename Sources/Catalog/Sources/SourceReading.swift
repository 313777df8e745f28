import Images

/// The operations that each kind of source implements: naming, checking, scanning and detecting changes. Each kind has
/// a folder of its own: Folders, Lists, Templates, Buckets. Code that displays images does not depend on the kind.
///
/// Scans and updates run on the scanning queue, and may block.
protocol SourceReading: Sendable {
    /// The display name.
    var name: String { get }
    /// The top-level folder of its folders when several sources have folders; nil if it has no folders.
    var folderName: String? { get }
    /// Whether its images are files, which the metadata indexer may read in advance.
    var hasFiles: Bool { get }
    /// The message for people if it contains no images.
    var emptyMessage: String { get }

    /// Computes what distinguishes it and its images from the earlier sources.
    func identity(among namesakes: inout Namesakes) -> SourceIdentity

    /// Checks that the source can be read now.
    ///
    /// - Returns: The root, for a folder.
    /// - Throws: `CatalogError.badSource`.
    func open(_ configuration: Catalog.Configuration) throws(CatalogError) -> FolderRoot?

    /// Whether a file name can belong to something in this source.
    func isOfInterest(_ name: [UInt8]) -> Bool

    /// The path of a hinted object beneath this source; nil if it cannot be an image of the source.
    func path(of hint: ObjectHint) -> [UInt8]?

    /// Scans only what has, or may have, changed.
    ///
    /// - Returns: Whether something could not be read now and may become readable later; nil if a full scan is needed.
    func update(_ source: NamedSource, _ context: ScanContext) throws -> Bool?

    /// Scans the source completely, and reports its images in order.
    ///
    /// - Returns: Nil if the source is unchanged, or is still being written.
    /// - Throws: Why it cannot be read; its former images stay.
    func read(_ source: NamedSource, _ context: ScanContext, into scan: SourceScan) throws -> SourceReport?

    /// The location of an image's original.
    func location(of scannedImage: ScannedImage, in ordinal: Int) -> ImageLocation
}

extension SourceReading {
    var folderName: String? { nil }
    var hasFiles: Bool { false }
    var emptyMessage: String { "contains no usable URL." }

    func isOfInterest(_ name: [UInt8]) -> Bool { true }

    func path(of hint: ObjectHint) -> [UInt8]? { nil }

    func update(_ source: NamedSource, _ context: ScanContext) throws -> Bool? { nil }
}

/// The context of one scan of a source. On the scanning queue.
struct ScanContext {
    let catalog: Catalog
    /// The index to write to.
    let index: Index
    /// What may have changed since the last scan.
    let dirtySet: DirtySet
    /// The earliest acceptable beginning of another node's bucket listing.
    let listedSince: ContinuousClock.Instant
    /// What is known of the source; nil if it was never scanned completely.
    var former: SourceScan.Former?
}

/// The result of a full scan, apart from the images.
struct SourceReport {
    /// The state of the list file that was read.
    var stamp: FileStamp?
    var problems = CatalogState.Problems()
    /// What was found in a folder.
    var folders: FolderReading?
    /// The objects of a bucket that are not shown.
    var unshown: UnshownCounts?
    /// A digest of all images, if other nodes can compute the same.
    var digest: String?
}

/// Why a source could not be read, in words for people. Any other error is treated as an `errno`.
protocol SourceFailure: Error {
    var reason: String { get }
}
