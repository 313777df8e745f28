import Images

/// What a kind of source knows of itself: how it is named and checked, what lies in it, and what has changed there. One
/// folder has each kind: Folders, Lists, Templates, Buckets. Whoever shows images knows none of them.
///
/// Readings are called on the scanning queue, and may block.
protocol SourceReading: Sendable {
    /// As people know it.
    var name: String { get }
    /// What its folders stand beneath where several sources have folders; nil where it has none.
    var folderName: String? { get }
    /// Whether its images are files, which may be looked into before anybody asks for them.
    var hasFiles: Bool { get }
    /// What people are told when nothing is found in it.
    var emptiness: String { get }

    /// What tells it and its images apart from the sources before it.
    func identity(among namesakes: inout Namesakes) -> SourceIdentity

    /// Checks that the source can be read now.
    ///
    /// - Returns: the root, for a folder.
    /// - Throws: `CatalogError.badSource`.
    func open(_ configuration: Catalog.Configuration) throws(CatalogError) -> FolderRoot?

    /// Whether a name can be that of something in this source.
    func isOfInterest(_ name: [UInt8]) -> Bool

    /// Where an object is beneath this source, if it may be a picture of it.
    func path(of hint: ObjectHint) -> [UInt8]?

    /// Looks at what is said to have changed, or looks for it, and reads nothing else.
    ///
    /// - Returns: whether something could not be told that may be told later; nil when everything is to be read.
    func update(_ source: NamedSource, _ visit: SourceVisit) throws -> Bool?

    /// Reads it from its beginning to its end, and names what lies in it, in its order.
    ///
    /// - Returns: nil where it is known to be as it was, or is being written.
    /// - Throws: what is the matter with it; what was known of it stays.
    func read(_ source: NamedSource, _ visit: SourceVisit, into scan: SourceScan) throws -> SourceReport?

    /// Where the original of one of its images is kept.
    func place(of sighting: Sighting, in ordinal: Int) -> ImageLocation
}

extension SourceReading {
    var folderName: String? { nil }
    var hasFiles: Bool { false }
    var emptiness: String { "holds no usable URL." }

    func isOfInterest(_ name: [UInt8]) -> Bool { true }

    func path(of hint: ObjectHint) -> [UInt8]? { nil }

    func update(_ source: NamedSource, _ visit: SourceVisit) throws -> Bool? { nil }
}

/// The circumstances of one reading of a source. Scanning queue.
struct SourceVisit {
    let catalog: Catalog
    /// What is written to.
    let index: Index
    /// What may have changed since it was looked at.
    let dirt: Dirt
    /// What another node lists serves if it was begun since then.
    let listedSince: ContinuousClock.Instant
    /// What is known of it from before; nil where it was never read to its end.
    var former: SourceScan.Former?
}

/// What a reading from beginning to end came to, beside the images.
struct SourceReport {
    /// The list's file as it was read.
    var stamp: FileStamp?
    var problems = CatalogState.Problems()
    /// What was met in a folder.
    var folders: FolderReading?
    /// Of all that was found, where other nodes may find the same.
    var digest: String?
}

/// Why a source could not be read, in words for people. Any other error is an `errno`.
protocol SourceTrouble: Error {
    var reason: String { get }
}
