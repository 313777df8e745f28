/// What the file of a rendition is: one that was encoded, or the original as it is, where that does as well.
public enum FileFormat: String, CaseIterable, Hashable, Sendable {
    case avif
    case webp
    case jpeg
    case png
    case gif

    public var mediaType: String { "image/" + rawValue }

    public init(_ format: OutputFormat) {
        self =
            switch format {
            case .avif: .avif
            case .webp: .webp
            case .jpeg: .jpeg
            }
    }

    /// By a file's first bytes; nil where they are of no such file.
    public init?(of file: some Collection<UInt8>) {
        if file.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if file.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
            self = .png
        } else if file.starts(with: "GIF87a".utf8) || file.starts(with: "GIF89a".utf8) {
            self = .gif
        } else if file.starts(with: "RIFF".utf8), file.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else if file.dropFirst(4).starts(with: "ftypavif".utf8) {
            self = .avif
        } else {
            return nil
        }
    }

    /// Whether whoever asks for the format can show this. What shows AVIF shows WebP too (it is the younger of the two),
    /// and JPEG, PNG and GIF are shown by all.
    public func suits(_ format: OutputFormat) -> Bool {
        switch self {
        case .jpeg, .png, .gif: true
        case .webp: format != .jpeg
        case .avif: format == .avif
        }
    }
}
