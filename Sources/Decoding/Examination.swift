import CVips
import Images
import Renditions

/// An original that is open, and known by its first bytes.
struct Sighting {
    let source: DecoderSource
    let identification: Identification

    var kind: FileKind { identification.kind }
    var reader: SourceReader { source.reader }

    /// - Throws: `RenderError` when this is no picture, or none of a known kind.
    init(_ renderSource: RenderSource, limits: RenderLimits, stop: RenderStop) throws(RenderError) {
        try DecoderLibrary.start()
        let reader = try SourceReader(renderSource, stop: stop)
        source = try DecoderSource(reader)
        let mediaType = try MagicNumbers.mediaType(of: reader.head)
        if let head = AVIFSequence.pictureHead(reader.head) { reader.present(head) }
        let sniffed = source.sniffedKind()
        guard sniffed != nil || !AVIFSequence.begins(reader.head) else {
            throw RenderError(.unsupported, "This animated AVIF picture cannot be drawn here.", logDetail: "avis")
        }
        identification = try Identification(mediaType: mediaType, sniffed: sniffed)
        reader.heedsStop = kind.heedsStop
        try limits.checkBytes(reader.fileLength, kind: kind)
    }
}

/// An original whose header was read and found within the limits. No pixel of it is decoded yet.
struct Examination {
    let sighting: Sighting
    /// Pixels as they are stored, before the orientation is applied.
    let storedWidth: Int
    let storedHeight: Int
    /// 1 to 8, as the decoder will apply it.
    let orientation: Int
    /// A JPEG in several scans. It has to be decoded whole before it can be shrunk, at some 15 times the cost of a
    /// baseline one.
    let isProgressive: Bool
    /// Whether colours have to be converted from an embedded profile.
    let needsColourConversion: Bool
    /// Whether a browser shows of the file what is decoded of it here.
    private let isPlain: Bool
    let exif: ExifMetadata?
    let facts: ImageFacts

    var source: DecoderSource { sighting.source }
    var reader: SourceReader { sighting.reader }
    var kind: FileKind { sighting.kind }

    /// - Throws: `RenderError` when the header cannot be read, or tells of a picture beyond the limits.
    init(_ sighting: Sighting, limits: RenderLimits, stop: RenderStop) throws(RenderError) {
        self.sighting = sighting
        let (reader, kind) = (sighting.reader, sighting.kind)
        // Of kinds of which only the first frame is decoded.
        var otherFrames: Int?
        switch kind {
        case .gif: try limits.checkFrames(GIFFrames.count(in: reader, upTo: limits.maximumFrames))
        case .tiff: try limits.checkFrames(TIFFPages.count(in: reader, upTo: limits.maximumFrames))
        case .png:
            otherFrames = min(PNGFrames.count(in: reader), limits.maximumFrames)
            reader.hide(try PNGChunks.excess(in: reader))
        case .heif where AVIFSequence.begins(reader.head):
            otherFrames = min(AVIFSequence.frames(in: reader), limits.maximumFrames)
        default: break
        }
        try stop.check()

        reader.wasReadPastEnd = false
        guard let opened = cvips_image_open(sighting.source.handle, VIPS_FAIL_ON_TRUNCATED) else {
            throw DecoderFailure().error(reader: reader, kind: kind, stop: stop)
        }
        let header = Picture(owning: opened)
        let frames = max(1, header.integer("n-pages") ?? 1)
        let isInterlaced = header.integer("interlaced") == 1 || header.integer("jpeg-multiscan") == 1
        try limits.checkPixels(header, kind: kind, frames: frames, isInterlaced: isInterlaced)
        isProgressive = kind == .jpeg && isInterlaced
        if isProgressive { try limits.checkScans(JPEGScans.count(in: reader, upTo: limits.maximumScans)) }

        storedWidth = header.width
        storedHeight = header.height
        orientation = header.integer("orientation").flatMap { (1...8).contains($0) ? $0 : nil } ?? 1
        needsColourConversion =
            header.space != VIPS_INTERPRETATION_CMYK
            && header.blob("icc-profile-data").map { !ICCProfile.isStandardRGB($0) } ?? false
        isPlain =
            frames == 1 && (otherFrames ?? 1) == 1 && orientation == 1 && !needsColourConversion
            && [VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_B_W].contains(header.space)
            && reader.length == reader.fileLength
        exif = kind == .tiff ? ExifMetadata(reader.head) : header.blob("exif-data").flatMap(ExifMetadata.init)

        var facts = ImageFacts()
        let metadata = PictureMetadata(
            exif: exif, iptc: header.blob("iptc-data").flatMap { IPTCRecord($0[...]) },
            xmp: header.blob("xmp-data").map { XMPPacket($0[...]) })
        metadata.describe(&facts)
        let isSideways = orientation >= 5
        facts.width = isSideways ? storedHeight : storedWidth
        facts.height = isSideways ? storedWidth : storedHeight
        facts.mediaType = sighting.identification.mediaType
        facts.byteCount = reader.fileLength
        facts.frames = otherFrames ?? frames
        facts.digest = reader.digest
        facts.isBroken = false
        facts.examination = ImageFacts.presentExamination
        self.facts = facts
    }

    /// Pixels of the longer side of what has all its pixels. A drawing has none of its own: it is drawn as large as the
    /// largest step.
    var fullSide: Int {
        kind == .svg ? Rendition.step2560.longestSide ?? 0 : max(storedWidth, storedHeight)
    }

    /// The file itself, where it is a small one (its head is all of it) that a browser shows as well as what was encoded of
    /// it: of the same size in pixels, and not much larger in bytes for what the encoding lost.
    func asItIs(insteadOf encoded: Rendered) -> Rendered? {
        guard isPlain, reader.head.count == Int(reader.fileLength), encoded.width == storedWidth,
            encoded.height == storedHeight, reader.head.count <= encoded.bytes.count * 3 / 2,
            let file = FileFormat(of: reader.head), file.suits(encoded.format)
        else { return nil }
        return Rendered(
            bytes: reader.head, format: encoded.format, file: file, width: storedWidth, height: storedHeight)
    }

    /// Whether work on its pixels belongs to the place of heavy pictures. What an SVG costs its size does not tell.
    func isHeavy(_ limits: RenderLimits) -> Bool {
        isProgressive || kind == .svg || Int64(storedWidth) * Int64(storedHeight) > limits.heavyPixels
    }
}

extension DecoderFailure {
    /// What the failure means to who asked for a rendition.
    func error(reader: SourceReader, kind: FileKind, stop: RenderStop) -> RenderError {
        if stop.isStopped { return RenderError(.stopped, "The picture is no longer wanted.") }
        if let error = reader.error { return error }
        switch cause {
        case .picture: break
        case .bounds:
            return RenderError(
                .tooLarge, "This picture is too large to be shown with all its pixels.", logDetail: text)
        case .output:
            return RenderError(.failed, "The tiles of the picture could not be written.", logDetail: text)
        }
        if reader.wasReadPastEnd, kind.knowsItsEnd {
            return RenderError(.truncated, "This picture is incomplete: its file ends too early.", logDetail: text)
        }
        return RenderError(.damaged, "This picture is damaged and cannot be shown.", logDetail: text)
    }
}
