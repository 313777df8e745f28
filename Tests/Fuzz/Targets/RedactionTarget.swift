import FileHeads
import Images

@testable import Decoding
@testable import Redaction

/// Redacts an original for a visitor who may not see its metadata. The first byte selects the format, what is kept, and how the
/// file is cut into parts.
enum RedactionTarget: FuzzTarget {
    private static let mediaTypes = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/heic", "image/jxl"]

    static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let mediaType = mediaTypes[Int(first & 7) % mediaTypes.count]
        let keeping: Redactor.Keeping = first & 8 == 0 ? .nothing : .metadata
        guard let redactor = Redactor(mediaType: mediaType, keeping: keeping) else {
            preconditionFailure("a format without a redactor")
        }
        let pieces = Pieces(input)
        guard let edits = try? redactor.edits(of: pieces.bytes) else { return }
        var whole = pieces.bytes
        edits.apply(to: &whole, at: 0)
        checkParts(of: whole, edits, pieces)
        checkAgain(whole, redactor, mediaType)
        checkMetadata(of: whole, mediaType, keeping)
    }

    /// Parts of any length are edited like the whole.
    private static func checkParts(of whole: [UInt8], _ edits: FileEdits, _ pieces: Pieces) {
        var joined: [UInt8] = []
        pieces.forEach { piece in
            var part = Array(piece)
            edits.apply(to: &part, at: Int64(joined.count))
            joined += part
        }
        precondition(joined == whole, "a part is edited in another way than the whole file")
    }

    /// Nothing is left to remove. Only zeros may change: those in the place of something after the last box are read as a
    /// box themselves.
    private static func checkAgain(_ whole: [UInt8], _ redactor: Redactor, _ mediaType: String) {
        guard let edits = try? redactor.edits(of: whole) else {
            preconditionFailure("a redacted file is refused")
        }
        var again = whole
        edits.apply(to: &again, at: 0)
        if ["image/heic", "image/jxl"].contains(mediaType) {
            for (before, after) in zip(whole, again) where before != after {
                precondition(before == 0, "something was left to remove")
            }
        } else {
            precondition(again == whole, "something was left to remove")
        }
    }

    /// The readers of metadata find no place, and without metadata nothing but an orientation.
    private static func checkMetadata(of file: [UInt8], _ mediaType: String, _ keeping: Redactor.Keeping) {
        guard let reader = try? SourceReader(.bytes(file), stop: RenderStop()) else { return }
        var metadata = ImageMetadata()
        switch mediaType {
        case "image/jpeg":
            JPEGHead(reader)?.metadata.describe(&metadata)
            precondition(MultiPictureIndex(reader) == nil, "further images are left")
            precondition(CameraThumbnail(head: file, atLeast: 1, atMost: .max) == nil, "a thumbnail is left")
        case "image/png":
            var found = PNGMetadata()
            _ = try? PNGChunks.excess(in: reader) { found.take($0, at: $1, of: reader) }
            PictureMetadata(exif: found.exif, xmp: found.xmp).describe(&metadata)
        case "image/heic", "image/jxl":
            let found = BoxedMetadata(reader)
            PictureMetadata(exif: found.exif, xmp: found.xmp).describe(&metadata)
        default: return
        }
        precondition(metadata.place == nil && metadata.placeNames == nil, "a place is left")
        var bare = ImageMetadata()
        bare.orientation = metadata.orientation
        precondition(keeping == .metadata || metadata == bare, "metadata is left")
    }
}
