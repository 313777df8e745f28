import Images
import Renditions

/// The format of a file, by its bytes alone: never by its name or by what a server claims.
struct Identification: Equatable {
    let kind: FileKind
    /// As libmagic names it, which distinguishes HEIC from AVIF.
    let mediaType: String

    /// Combines the verdicts of libmagic and of the decoders, which must agree.
    ///
    /// - Parameters:
    ///   - mediaType: libmagic's result.
    ///   - sniffed: The format of the decoder that accepts the file; nil if none does.
    /// - Throws: `RenderError` with the reason `.notAnImage`, `.unsupported`, `.damaged` or `.disagreement`.
    init(mediaType: String, sniffed: FileKind?) throws(RenderError) {
        let named = FileKind(mediaType: mediaType)
        switch (named, sniffed) {
        case (let named?, let sniffed?) where named == sniffed:
            self.init(kind: sniffed, mediaType: sniffed == .svg ? Self.drawing : mediaType)
        case (nil, .svg?) where Self.plainText.contains(mediaType):
            // A drawing is XML, and XML is text: libmagic only says less, it does not say otherwise.
            self.init(kind: .svg, mediaType: Self.drawing)
        case (nil, _) where !mediaType.hasPrefix("image/") && (sniffed == nil || sniffed == .svg):
            throw RenderError(
                .notAnImage, "This is not a picture: it is \(Self.name(of: mediaType)).", logDetail: mediaType)
        case (nil, nil):
            throw RenderError(
                .unsupported, "Pictures of this kind (\(Self.printable(mediaType))) cannot be shown.",
                logDetail: mediaType)
        case (.some, nil):
            throw RenderError(
                .damaged, "This picture is damaged: only its first bytes look like \(Self.printable(mediaType)).",
                logDetail: mediaType)
        case (_, let sniffed?):
            throw RenderError(
                .disagreement, "It is not clear what this file is, so it is not shown.",
                logDetail: "libmagic: \(mediaType); decoder: \(sniffed.rawValue)")
        }
    }

    init(kind: FileKind, mediaType: String) {
        self.kind = kind
        self.mediaType = mediaType
    }

    private static let drawing = ImageMetadata.drawing
    private static let plainText: Set<String> = ["text/xml", "application/xml", "text/plain"]

    /// In words, with an article.
    private static func name(of mediaType: String) -> String {
        switch mediaType {
        case "text/html", "application/xhtml+xml": "a web page"
        case "application/pdf": "a PDF document"
        case "application/json": "a JSON file"
        case "text/xml", "application/xml": "XML"
        case "application/zip", "application/gzip", "application/x-tar", "application/x-7z-compressed",
            "application/x-rar", "application/zstd", "application/x-bzip2", "application/x-xz":
            "an archive"
        case "application/octet-stream": "data of an unknown kind"
        case "application/x-empty", "inode/x-empty": "an empty file"
        case _ where mediaType.hasPrefix("text/"): "a text file"
        case _ where mediaType.hasPrefix("video/"): "a video (\(printable(mediaType)))"
        case _ where mediaType.hasPrefix("audio/"): "an audio file (\(printable(mediaType)))"
        default: printable(mediaType)
        }
    }

    private static func printable(_ mediaType: String) -> String {
        String(mediaType.prefix(60).filter { $0.isASCII && !$0.isWhitespace })
    }
}
