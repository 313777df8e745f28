/// The formats of sidecars: files beside a picture that describe it.
public enum SidecarFormat: UInt8, CaseIterable, Sendable {
    /// XMP (ISO 16684-1), as Lightroom, darktable and digiKam write it.
    case xmp = 1
    /// JSON, as Google Takeout exports it.
    case takeout = 2

    /// The maximum size in bytes. A larger file is ignored.
    public var maximumLength: Int {
        switch self {
        case .xmp: 1 << 20
        case .takeout: 256 << 10
        }
    }
}

/// Identifies the sidecars of a picture and their contents: with another version, its metadata must be read again.
public struct SidecarVersion: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The version of a picture without sidecars.
    public static let none = SidecarVersion(rawValue: 0)

    /// The bits that tell which formats there are; the others are mixed from the versions of the files.
    private static let formatBits = UInt64(SidecarFormat.allCases.reduce(0) { $0 | $1.rawValue })

    /// - Parameter files: The content version of each sidecar.
    public init(_ files: [SidecarFormat: ContentVersion]) {
        var (mixed, formats) = (SplitMix.start, UInt64(0))
        for format in SidecarFormat.allCases {
            guard let version = files[format] else { continue }
            mixed = SplitMix.mixed(mixed, with: version.rawValue)
            formats |= UInt64(format.rawValue)
        }
        self.init(rawValue: formats == 0 ? 0 : mixed & ~Self.formatBits | formats)
    }

    /// The formats of the sidecars, in the order of precedence.
    public var formats: [SidecarFormat] { SidecarFormat.allCases.filter { rawValue & UInt64($0.rawValue) != 0 } }
}
