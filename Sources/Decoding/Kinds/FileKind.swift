/// The kinds of picture that are decoded.
enum FileKind: String, CaseIterable {
    case jpeg
    case png
    case gif
    case webp
    /// HEIC and AVIF: one container and one decoder.
    case heif
    case tiff
    case svg
    case jxl

    /// The class of libvips' loaders for this kind.
    var loaderClass: String {
        switch self {
        case .jpeg: "VipsForeignLoadJpeg"
        case .png: "VipsForeignLoadPng"
        case .gif: "VipsForeignLoadNsgif"
        case .webp: "VipsForeignLoadWebp"
        case .heif: "VipsForeignLoadHeif"
        case .tiff: "VipsForeignLoadTiff"
        case .svg: "VipsForeignLoadSvg"
        case .jxl: "VipsForeignLoadJxl"
        }
    }

    /// Whether a decoder that reads beyond the last byte does so because something is missing. The others read until nothing
    /// comes, or take the whole file at once.
    var knowsItsEnd: Bool { self == .jpeg || self == .png || self == .tiff }

    /// Whether the decoder takes a read that fails for the end of its work. libheif 1.15 asserts instead, and the others
    /// have read the whole file before their work begins.
    var heedsStop: Bool {
        switch self {
        case .jpeg, .png, .gif, .tiff, .webp: true
        case .heif, .svg, .jxl: false
        }
    }

    /// The kind that one of libvips' loaders decodes, by the name of its class ("VipsForeignLoadPngSource").
    init?(loader: String) {
        guard let kind = Self.allCases.first(where: { loader.hasPrefix($0.loaderClass) }) else { return nil }
        self = kind
    }

    /// The kind that a media type names.
    init?(mediaType: String) {
        switch mediaType {
        case "image/jpeg": self = .jpeg
        case "image/png", "image/apng", "image/vnd.mozilla.apng": self = .png
        case "image/gif": self = .gif
        case "image/webp": self = .webp
        case "image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence", "image/avif",
            "image/avif-sequence", "image/avis":
            self = .heif
        case "image/tiff": self = .tiff
        case "image/svg+xml", "image/svg": self = .svg
        case "image/jxl": self = .jxl
        default: return nil
        }
    }
}
