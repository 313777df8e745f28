import Images
import Loading

/// The 28 bytes before the image or the problem in a binary message; see Documentation/stream.md.
struct RenditionHead: Hashable, Sendable {
    static let length = 28

    /// The format of the image that follows.
    enum Format: UInt8, CaseIterable, Sendable {
        case unknown = 0
        case avif = 1
        case webp = 2
        case jpeg = 3
        case png = 4
        case gif = 5

        init(mediaType: String) { self = Self.allCases.first { $0.mediaType == mediaType } ?? .unknown }

        /// Empty if the format is unknown.
        var mediaType: String {
            switch self {
            case .unknown: ""
            case .avif: "image/avif"
            case .webp: "image/webp"
            case .jpeg: "image/jpeg"
            case .png: "image/png"
            case .gif: "image/gif"
            }
        }
    }

    var token: Token
    var rendition: StreamRendition
    /// A problem follows instead of an image.
    var isFailure = false
    var format = Format.unknown
    /// The token ends with this message.
    var endsToken = false
    /// The origin could not confirm that the rendition is current.
    var isStale = false
    /// The image file is truncated.
    var isIncomplete = false
    /// More of the rendition follows in another message.
    var isPart = false
    /// This continues the previous message of the same token and rendition.
    var isContinued = false
    var version: ContentVersion?

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.length)
        token.appendBytes(to: &bytes)
        bytes.append(rendition.rawValue)
        bytes.append(isFailure ? 1 : 0)
        bytes.append(format.rawValue)
        let flags: InlineArray<5, Bool> = [endsToken, isStale, isIncomplete, isPart, isContinued]
        bytes.append(flags.indices.reduce(0) { flags[$1] ? $0 | 1 << $1 : $0 })
        var version = (version?.rawValue ?? 0).bigEndian
        withUnsafeBytes(of: &version) { bytes.append(contentsOf: $0) }
        return bytes
    }
}
