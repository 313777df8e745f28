import Images
import Renditions

/// An original that is open and can be rendered.
struct OriginalSource: Sendable {
    let descriptor: OwnedDescriptor
    let version: ContentVersion
    /// Bytes.
    let length: Int64
    /// In seconds since 1970, if known.
    let modified: Int64?
    /// The state of a local file when it was opened. A render is valid only if the file has not changed since.
    var status: FileStatus?
    /// The folder source that contains a local file.
    var folder: Int?
    /// The larger rendition to render from in place of the original.
    var renditionSource: RenditionSource?
    /// The file for all pixels, as pyramid tiles.
    var pyramid: PyramidDraft?
    /// Whether renditions made from it may be stored.
    var mayStore = true
    /// Whether its origin could not confirm that it is current.
    var isStale = false

    /// Whether a local file has changed since it was opened, so that nothing read from it can be trusted.
    func hasChanged(_ later: SourceStatus) -> Bool {
        guard let status, renditionSource == nil else { return false }
        return SourceStatus(
            size: status.size, modifiedSeconds: status.modifiedSeconds, nanoseconds: status.nanoseconds) != later
    }

    /// Whether there is no original, only a larger rendition.
    var isRenditionSourceOnly: Bool { renditionSource?.descriptor === descriptor }

    /// The unchanged original.
    func file(_ mediaType: String?) -> OriginalFile {
        OriginalFile(
            descriptor: descriptor, length: length, mediaType: mediaType, version: version, modified: modified,
            isStale: isStale, folder: folder)
    }
}

/// What a job for a remote image can work with instead of fetching.
enum RemoteOriginal: Sendable {
    /// The original itself, just fetched or found fresh.
    case source(OriginalSource)
    /// The cached content is current although its file may be gone, or the best available because the origin failed.
    case kept(CachedOriginal, originFailure: LoadFailure?)
}
