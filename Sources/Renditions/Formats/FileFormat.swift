import Images

/// The actual format of a rendition's file: an encoded one, or the original's if the original itself serves as the
/// rendition.
public enum FileFormat: String, CaseIterable, Hashable, Sendable {
    case avif
    case webp
    case jpeg
    case png
    case gif

    /// The media type of the file.
    public var mediaType: String { "image/" + rawValue }

    /// The format of a file encoded as `format`.
    public init(_ format: OutputFormat) {
        self =
            switch format {
            case .avif: .avif
            case .webp: .webp
            case .jpeg: .jpeg
            }
    }

    /// Detects the format from a file's first bytes; nil if it is none of these, and for an AVIF image sequence.
    public init?(of file: some Collection<UInt8>) {
        guard !file.dropFirst(4).starts(with: "ftypavis".utf8),
            let format = ImageFormat(firstBytes: file.prefix(Self.signatureLength))
        else { return nil }
        self.init(rawValue: format.name)
    }

    /// Bytes that the signatures of these formats need.
    private static let signatureLength = 16

    /// Whether a client that accepts `format` can show this. A client that shows AVIF also shows WebP, the older of
    /// the two, and all clients show JPEG, PNG and GIF.
    public func suits(_ format: OutputFormat) -> Bool {
        switch self {
        case .jpeg, .png, .gif: true
        case .webp: format != .jpeg
        case .avif: format == .avif
        }
    }
}
