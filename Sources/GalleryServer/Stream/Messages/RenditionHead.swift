import Images
import Loading

/// The 28 bytes before the image, or the problem, in a binary message; see Documentation/stream.md.
struct RenditionHead: Hashable, Sendable {
    static let length = 28

    /// What the bytes are.
    enum Format: UInt8, Sendable {
        case unknown = 0
        case avif = 1
        case webp = 2
        case jpeg = 3
        case png = 4
        case gif = 5

        init(mediaType: String) {
            switch mediaType {
            case "image/avif": self = .avif
            case "image/webp": self = .webp
            case "image/jpeg": self = .jpeg
            case "image/png": self = .png
            case "image/gif": self = .gif
            default: self = .unknown
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
    /// The origin could not be asked whether this is current.
    var isStale = false
    /// The picture's file ends before the picture does.
    var isIncomplete = false
    /// More of the rendition follows in a message of its own.
    var isPart = false
    /// This goes on where the message before it, of the same token and rendition, ended.
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
