import Images
import Renditions

/// An original that is open and can be rendered.
struct OriginalSource: Sendable {
    let descriptor: OwnedDescriptor
    let version: ContentVersion
    /// Bytes.
    let length: Int64
    /// Seconds since 1970, as far as known.
    let modified: Int64?
    /// What a local file was like when it was opened: a render is good only if it still is.
    var status: FileStatus?
    /// What is rendered in its place.
    var standIn: StandIn?
    /// Where all its pixels go, in tiles.
    var pyramid: PyramidDraft?
    /// Whether what is made of it may be kept.
    var mayStore = true
    /// Its origin could not be asked whether it is current.
    var isStale = false

    /// Whether a local file is, as it was found later, no longer what it was when it was opened: what was read of it says
    /// nothing.
    func hasChanged(_ later: SourceStatus) -> Bool {
        guard let status, standIn == nil else { return false }
        return SourceStatus(
            size: status.size, modifiedSeconds: status.modifiedSeconds, nanoseconds: status.nanoseconds) != later
    }

    /// There is no original, only what stands in for it.
    var isStandInAlone: Bool { standIn?.descriptor === descriptor }

    /// The original as it is.
    func file(_ mediaType: String?) -> OriginalFile {
        OriginalFile(
            descriptor: descriptor, length: length, mediaType: mediaType, version: version, modified: modified,
            isStale: isStale)
    }
}

/// What a job that needs the original of a remote image stands on.
enum RemoteGround: Sendable {
    /// The original itself, just fetched or found fresh.
    case source(OriginalSource)
    /// What is kept is current, though its file may be gone; or is the best there is, since its origin failed.
    case kept(KeptOriginal, originFailure: LoadFailure?)
}
