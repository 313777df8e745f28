import FileHeads
import Images

/// Removes metadata from originals for people who may not learn it, such as where a picture was taken.
///
/// An allowlist for each format names the parts needed to show the picture, and the Exif tags that may stay. Everything else
/// is overwritten: GPS, XMP, IPTC, maker notes, comments, a JPEG's thumbnails, data after the picture, and whatever no format
/// defines. Bytes are overwritten in place, so positions stay valid, pixels are never decoded, and any byte range can be
/// served.
public struct Redactor: Sendable {
    /// What an original keeps besides the picture itself, its colours, and its orientation.
    public enum Keeping: String, Sendable {
        case nothing
        /// Camera, exposure, dates, and what people wrote into Exif.
        case metadata
    }

    /// Increase when redaction produces different bytes; part of the entity tag.
    public static let revision = 1

    private let decoder: ImageFormat.Decoder
    private let keeping: Keeping

    /// Nil for a format whose metadata cannot be removed.
    ///
    /// - Parameter mediaType: In lower case, without parameters.
    public init?(mediaType: String, keeping: Keeping) {
        guard let decoder = ImageFormat(mediaType: mediaType)?.decoder, decoder != .tiff, decoder != .svg else {
            return nil
        }
        self.decoder = decoder
        self.keeping = keeping
    }

    /// The edits that remove the metadata from an original in memory.
    ///
    /// - Throws: ``RedactionError``.
    public func edits(of bytes: [UInt8]) throws(RedactionError) -> FileEdits {
        try edits(of: RedactedFile(bytes[...], length: Int64(bytes.count)))
    }

    /// The edits that remove the metadata from an original in a file. Blocks; reads a JPEG to its end.
    ///
    /// - Parameter descriptor: Open for reading. Its offset is neither used nor moved.
    /// - Throws: ``RedactionError``.
    public func edits(of descriptor: Int32, length: Int64) throws(RedactionError) -> FileEdits {
        try edits(of: RedactedFile(FileWindow(descriptor, length: length), length: length))
    }

    private func edits(of file: consuming RedactedFile<some RandomAccessBytes>) throws(RedactionError) -> FileEdits {
        switch decoder {
        case .jpeg: try file.redactJPEG(keeping: keeping)
        case .png: try file.redactPNG(keeping: keeping)
        case .gif: try file.redactGIF()
        case .webp: try file.redactWebP(keeping: keeping)
        case .heif: try file.redactHEIF(keeping: keeping)
        case .jxl: try file.redactJXL()
        case .tiff, .svg: throw .unsupported
        }
        return try FileEdits(file.edits)
    }
}
