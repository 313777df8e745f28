import Images

/// A format that can be decoded, by the loader of libvips that decodes it.
typealias FileKind = ImageFormat.Decoder

extension ImageFormat.Decoder {
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

    /// Whether a decoder that reads beyond the last byte does so because data is missing. The other decoders read until
    /// there is no more, or read the whole file at once.
    var knowsItsEnd: Bool { self == .jpeg || self == .png || self == .tiff }

    /// Whether the decoder handles a failed read as the end of its work. libheif 1.15 fails an assertion instead, and
    /// the others have read the whole file before they start decoding.
    var canBeStopped: Bool {
        switch self {
        case .jpeg, .png, .gif, .tiff, .webp: true
        case .heif, .svg, .jxl: false
        }
    }

    /// A lower bound of the decoder's memory, in half bytes per pixel; 0 if it decodes line by line, or if the memory
    /// depends on more than the header: then the worker's memory limit decides.
    func halfBytesHeld(isInterlaced: Bool, bands: Int, bytesPerBand: Int) -> Int {
        switch self {
        // Coefficients of two bytes, with chroma subsampled to half.
        case .jpeg: isInterlaced ? (bands == 1 ? 4 : 6) : 0
        case .png: isInterlaced ? 2 * bands * bytesPerBand : 0
        case .gif: 8
        // The planes, with chroma subsampled to half, and then the pixels.
        case .heif: (2 * bands + 3) * bytesPerBand
        // One float per band.
        case .jxl: 8 * bands
        case .webp, .tiff, .svg: 0
        }
    }

    /// The format of one of libvips's loaders, by its class name ("VipsForeignLoadPngSource").
    init?(loader: String) {
        guard let kind = Self.allCases.first(where: { loader.hasPrefix($0.loaderClass) }) else { return nil }
        self = kind
    }

    /// The format that a media type names.
    init?(mediaType: String) {
        guard let kind = ImageFormat(mediaType: mediaType)?.decoder else { return nil }
        self = kind
    }
}
