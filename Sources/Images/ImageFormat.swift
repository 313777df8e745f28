/// A file format of images.
///
/// ``all`` is the only table of formats: how each is named in searches, file names and media types, how its files
/// begin, which decoder reads it, and whether browsers display it. To add a format, add a row; if libvips has a
/// separate loader for it, add a ``Decoder`` too.
public struct ImageFormat: Hashable, Sendable {
    /// The decoders; each is one of libvips' loaders.
    public enum Decoder: String, CaseIterable, Sendable {
        case jpeg
        case png
        case gif
        case webp
        /// HEIC and AVIF, which share a container and a decoder.
        case heif
        case tiff
        case svg
        case jxl
    }

    /// How browsers display a file of the format.
    public enum BrowserSupport: Sendable {
        case none
        case still
        /// Files with several frames are played as an animation.
        case animated
    }

    /// How files of the format begin.
    enum Signature: Hashable, Sendable {
        /// These bytes at these offsets.
        case bytes([Int: [UInt8]])
        /// An XML document whose first element has this name.
        case rootElement(String)
    }

    /// The format's name in searches (`type:jpeg`). Unique.
    public let name: String
    /// What people call it.
    public let title: String
    /// Other names for it in searches.
    public let aliases: [String]
    /// The extensions of file names, in lower case, without the dot.
    public let fileExtensions: [String]
    /// All media types of the format; the API uses the first.
    public let mediaTypes: [String]
    let signatures: [Signature]
    /// Nil for a format that can be searched for but not decoded.
    public let decoder: Decoder?
    /// How browsers display a file of the format.
    public let browserSupport: BrowserSupport

    init(
        _ name: String, title: String? = nil, aliases: [String] = [], fileExtensions: [String], mediaTypes: [String],
        signatures: [Signature] = [], decoder: Decoder? = nil, browserSupport: BrowserSupport = .none
    ) {
        self.name = name
        self.title = title ?? name.uppercased()
        self.aliases = aliases
        self.fileExtensions = fileExtensions
        self.mediaTypes = mediaTypes
        self.signatures = signatures
        self.decoder = decoder
        self.browserSupport = browserSupport
    }

    /// All formats. Their order is part of the search columns: append new formats at the end.
    public static let all: [ImageFormat] = [
        ImageFormat(
            "jpeg", fileExtensions: ["jpg", "jpeg", "jpe", "jfif"], mediaTypes: ["image/jpeg", "image/pjpeg"],
            signatures: [.start("\u{ff}\u{d8}\u{ff}")], decoder: .jpeg, browserSupport: .still),
        ImageFormat(
            "png", fileExtensions: ["png", "apng"],
            mediaTypes: ["image/png", "image/apng", "image/vnd.mozilla.apng"],
            signatures: [.start("\u{89}PNG\r\n\u{1a}\n")], decoder: .png, browserSupport: .animated),
        ImageFormat(
            "gif", fileExtensions: ["gif"], mediaTypes: ["image/gif"],
            signatures: [.start("GIF87a"), .start("GIF89a")], decoder: .gif, browserSupport: .animated),
        ImageFormat(
            "webp", fileExtensions: ["webp"], mediaTypes: ["image/webp"],
            signatures: [.bytes([0: Array("RIFF".utf8), 8: Array("WEBP".utf8)])], decoder: .webp,
            browserSupport: .animated),
        ImageFormat(
            "avif", fileExtensions: ["avif"], mediaTypes: ["image/avif", "image/avif-sequence", "image/avis"],
            signatures: [.brand("avif"), .brand("avis")], decoder: .heif, browserSupport: .animated),
        ImageFormat(
            "heic", aliases: ["heif"], fileExtensions: ["heic", "heif", "hif"],
            mediaTypes: ["image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"],
            signatures: ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"].map(Signature.brand),
            decoder: .heif),
        ImageFormat(
            "tiff", fileExtensions: ["tiff", "tif"], mediaTypes: ["image/tiff"],
            // Classic TIFF and BigTIFF, in both byte orders.
            signatures: [.start("II*\0"), .start("MM\0*"), .start("II+\0"), .start("MM\0+")], decoder: .tiff),
        ImageFormat(
            "svg", fileExtensions: ["svg", "svgz"],
            mediaTypes: ["image/svg+xml", "image/svg", "image/svg+xml-compressed"],
            signatures: [.rootElement("svg")], decoder: .svg, browserSupport: .still),
        ImageFormat(
            "jxl", fileExtensions: ["jxl"], mediaTypes: ["image/jxl"],
            // A bare codestream, and one in a container.
            signatures: [.start("\u{ff}\u{0a}"), .start("\0\0\0\u{0c}JXL \r\n\u{87}\n")], decoder: .jxl),
        ImageFormat(
            "bmp", fileExtensions: ["bmp", "dib"], mediaTypes: ["image/bmp", "image/x-ms-bmp"], browserSupport: .still),
        ImageFormat("ico", title: "icon", fileExtensions: ["ico", "cur"], mediaTypes: ["image/x-icon"]),
        ImageFormat(
            "jp2", title: "JPEG 2000", fileExtensions: ["jp2", "j2k", "jpf", "jpx", "jpm", "j2c", "jpc"],
            mediaTypes: ["image/jp2", "image/jpx", "image/jpm"]),
        ImageFormat(
            "raw",
            fileExtensions: [
                "dng", "gpr",  // Adobe, GoPro
                "cr2", "cr3", "crw",  // Canon
                "nef", "nrw",  // Nikon
                "arw", "srf", "sr2",  // Sony
                "raf", "orf", "ori",  // Fujifilm, Olympus
                "raw", "rw2", "rwl",  // Panasonic, Leica
                "pef", "srw", "x3f",  // Pentax, Samsung, Sigma
                "3fr", "fff", "iiq", "mef", "mos", "mrw", "erf",  // Hasselblad, Phase One, Mamiya, Leaf, Minolta, Epson
                "dcr", "kdc", "k25",  // Kodak
            ],
            mediaTypes: [
                "image/x-adobe-dng", "image/x-canon-cr2", "image/x-canon-cr3", "image/x-nikon-nef", "image/x-sony-arw",
                "image/x-fuji-raf", "image/x-olympus-orf", "image/x-panasonic-rw2", "image/x-pentax-pef",
                "image/x-samsung-srw",
            ]),
        ImageFormat(
            "psd", title: "Photoshop", fileExtensions: ["psd", "psb"], mediaTypes: ["image/vnd.adobe.photoshop"]),
        ImageFormat(
            "tga", fileExtensions: ["tga", "icb", "vda", "vst"], mediaTypes: ["image/x-tga", "image/x-targa"]),
        ImageFormat(
            "pnm", fileExtensions: ["pnm", "ppm", "pgm", "pbm", "pam"],
            mediaTypes: [
                "image/x-portable-anymap", "image/x-portable-pixmap", "image/x-portable-graymap",
                "image/x-portable-bitmap",
            ]),
        ImageFormat("exr", title: "OpenEXR", fileExtensions: ["exr"], mediaTypes: ["image/x-exr"]),
        ImageFormat("xcf", title: "GIMP", fileExtensions: ["xcf"], mediaTypes: ["image/x-xcf"]),
    ]
}

extension ImageFormat {
    /// The most first bytes that ``init(firstBytes:)`` examines.
    public static let signatureLength = 512

    private static let byMediaType: [String: ImageFormat] = Dictionary(
        uniqueKeysWithValues: all.flatMap { format in format.mediaTypes.map { ($0, format) } })

    /// The format of a media type, given in lower case and without parameters; nil if unknown.
    public init?(mediaType: String) {
        guard let format = Self.byMediaType[mediaType] else { return nil }
        self = format
    }

    /// The format of a file that begins with these bytes; nil if unknown. A cheap guess: only decoding shows what a
    /// file really is.
    public init?(firstBytes: some Collection<UInt8>) {
        let head = Array(firstBytes.prefix(Self.signatureLength))
        guard let format = Self.all.first(where: { $0.signatures.contains { $0.matches(head) } }) else { return nil }
        self = format
    }

    /// The format's media type in the API.
    public var mediaType: String { mediaTypes[0] }
}

extension ImageFormat.Signature {
    /// The first bytes of a file, each given as the Unicode scalar of the same value.
    static func start(_ text: String) -> Self {
        .bytes([0: text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }])
    }

    /// The major brand of a file in the ISO base media file format (ISO/IEC 14496-12, 4.3).
    static func brand(_ brand: String) -> Self { .bytes([4: Array("ftyp".utf8), 8: Array(brand.utf8)]) }

    fileprivate func matches(_ head: [UInt8]) -> Bool {
        switch self {
        case .bytes(let parts): parts.allSatisfy { offset, bytes in head.dropFirst(offset).starts(with: bytes) }
        case .rootElement(let name): Self.rootElement(of: head, is: name)
        }
    }

    /// Whether the first element of an XML text has this name, as far as the head shows.
    private static func rootElement(of head: [UInt8], is name: String) -> Bool {
        var text = Substring(String(decoding: head, as: UTF8.self))
        if text.first == "\u{feff}" { text = text.dropFirst() }
        while true {
            text = text.drop(while: \.isWhitespace)
            guard text.hasPrefix("<?") || text.hasPrefix("<!") else { return text.hasPrefix("<" + name) }
            guard let close = text.firstRange(of: text.hasPrefix("<!--") ? "-->" : ">") else { return false }
            text = text[close.upperBound...]
        }
    }
}
