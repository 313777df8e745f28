import CVips
import Images
import Redaction
import Renditions

/// An opened original whose format is known from its first bytes.
struct IdentifiedOriginal {
    private(set) var source: DecoderSource
    /// For a vector drawing, what the decoder gets in place of the file.
    private(set) var drawing: DrawingDocument?
    let identification: Identification

    var kind: FileKind { identification.kind }
    var reader: SourceReader { source.reader }

    /// - Throws: `RenderError` if this is not an image, or not of a known format.
    init(_ renderSource: RenderSource, limits: RenderLimits, stop: RenderStop) throws(RenderError) {
        try DecoderLibrary.start()
        let reader = try SourceReader(renderSource, stop: stop)
        drawing = try DrawingDocument(reader, limits: limits)
        if let drawing { reader.substitute(drawing.bytes) }
        source = try DecoderSource(reader)
        if let drawing, source.sniffedKind() == .svg {
            identification = Identification(of: drawing)
            reader.canBeStopped = kind.canBeStopped
            return
        }
        let mediaType = try MagicNumbers.mediaType(of: reader.head)
        guard !RawPhoto.matches(mediaType: mediaType, head: reader.head) else { throw RawPhoto.error }
        reader.replace(AVIFSequence.stillBrand(in: reader.head))
        let sniffed = source.sniffedKind()
        guard sniffed != nil || !AVIFSequence.matches(reader.head) else {
            throw RenderError(.unsupported, "This animated AVIF picture is not supported.", logDetail: "avis")
        }
        identification = try Identification(mediaType: mediaType, sniffed: sniffed)
        reader.canBeStopped = kind.canBeStopped
        try limits.checkBytes(reader.fileLength, kind: kind)
    }

    /// With a drawing that fills its frame, for which the drawing may have to be parsed.
    func framed() throws(RenderError) -> IdentifiedOriginal {
        guard var drawing, drawing.needsFrame else { return self }
        var size = DrawingFrame.defaultSize
        if let opened = cvips_image_open(source.handle, VIPS_FAIL_ON_TRUNCATED) {
            let header = Picture(owning: opened)
            size = (Double(header.width), Double(header.height))
        } else {
            _ = DecoderLibrary.takeErrorText()
        }
        drawing.setFrame(size)
        reader.substitute(drawing.bytes)
        var framed = self
        framed.drawing = drawing
        framed.source = try DecoderSource(reader)
        return framed
    }
}

/// An original whose header was read and found within the limits. None of its pixels has been decoded.
struct InspectedOriginal {
    let identified: IdentifiedOriginal
    /// How its pixels are opened.
    let pixelSource: PixelSource
    /// Whether pixels or frames are missing, for formats in which the file's structure shows it; nil if decoding will
    /// show it.
    let isKnownIncomplete: Bool?
    /// In pixels as stored, before the orientation is applied.
    let storedWidth: Int
    let storedHeight: Int
    /// 1 to 8, as the decoder will apply it.
    let orientation: Int
    /// Whether this is a JPEG in several scans. It must be decoded completely before it can be shrunk, at about 15
    /// times the cost of a baseline one.
    let isProgressive: Bool
    /// How its colours become those of a rendition.
    let colours: ColourTreatment
    /// Whether a browser displays the file in the same way as this decoder does.
    private let isPlain: Bool
    let exif: ExifMetadata?
    let metadata: ImageMetadata

    var source: DecoderSource { identified.source }
    var reader: SourceReader { identified.reader }
    var kind: FileKind { identified.kind }

    /// - Throws: `RenderError` if the header cannot be read, or the image exceeds the limits.
    init(_ identified: IdentifiedOriginal, limits: RenderLimits, stop: RenderStop) throws(RenderError) {
        let identified = try identified.framed()
        self.identified = identified
        let (reader, kind) = (identified.reader, identified.kind)
        var (ownExif, ownXMP): (ExifMetadata?, XMPPacket?)
        var pngColour = PNGColour()
        // For formats of which only the first frame is decoded.
        var otherFrames: Int?
        var (pixelSource, isKnownIncomplete) = (PixelSource.library, Bool?.none)
        var (ownOrientation, isUnlikeThumbnails) = (Int?.none, false)
        switch kind {
        case .gif:
            let frames = GIFFrames(in: reader, upTo: limits.maximumFrames)
            try limits.checkFrames(frames.count)
            if frames.isCut {
                guard frames.hasPixels else { throw RenderError.truncated("a GIF without pixels") }
                isKnownIncomplete = true
            }
            if let first = frames.firstPart { pixelSource = .placed(first) }
        case .tiff:
            let images = TIFFImages(in: reader, upTo: limits.maximumFrames)
            try limits.checkFrames(images.pages)
            guard !images.hasSensorData else { throw RawPhoto.error }
            if let selection = TIFFSelection(images) {
                pixelSource = selection.main.needsLibTIFF ? .convertedTIFF(selection) : .tiff(selection)
                (otherFrames, ownOrientation) = (selection.pages, selection.main.orientation)
            }
        case .webp:
            if let webp = CutWebP(reader) {
                (pixelSource, isKnownIncomplete, otherFrames) = (.cutWebP(webp), webp.isIncomplete, webp.frames)
            }
        case .png:
            otherFrames = min(PNGFrames.count(in: reader), limits.maximumFrames)
            var embedded = PNGMetadata()
            let excess = try PNGChunks.excess(in: reader) {
                embedded.take($0, at: $1, of: reader)
                pngColour.take($0, at: $1, of: reader)
            }
            (ownExif, ownXMP) = (embedded.exif, embedded.xmp)
            reader.hide(excess)
        case .heif where AVIFSequence.matches(reader.head):
            otherFrames = min(AVIFSequence.frames(in: reader), limits.maximumFrames)
        default: break
        }
        if kind == .heif || kind == .jxl {
            let embedded = BoxedMetadata(reader)
            (ownExif, ownXMP) = (embedded.exif, embedded.xmp)
        }
        if kind == .heif, let transformations = HEIFTransformations(reader) {
            reader.replace(transformations.replacements)
            ownOrientation = transformations.orientation
            isUnlikeThumbnails = transformations.hasOtherThumbnails
            if let crop = transformations.crop { pixelSource = .part(crop) }
        }
        try stop.check()

        reader.wasReadPastEnd = false
        let header: Picture
        do throws(DecoderFailure) {
            header = try pixelSource.header(
                of: identified.source, failingOn: isKnownIncomplete == nil ? VIPS_FAIL_ON_TRUNCATED : VIPS_FAIL_ON_NONE)
        } catch {
            guard let converted = pixelSource.converted(in: reader), !stop.isStopped else {
                throw error.error(reader: reader, kind: kind, stop: stop)
            }
            (header, pixelSource) = converted
        }
        if isUnlikeThumbnails, pixelSource.part == nil {
            // Whoever opens a part gets that of the image, and not that of a thumbnail.
            pixelSource = .part(PixelRectangle(left: 0, top: 0, width: header.width, height: header.height))
        }
        (self.pixelSource, self.isKnownIncomplete) = (pixelSource, isKnownIncomplete)
        let frames = max(1, header.integer("n-pages") ?? 1)
        let isInterlaced = header.integer("interlaced") == 1 || header.integer("jpeg-multiscan") == 1
        try limits.checkPixels(
            header, kind: kind, frames: frames, isInterlaced: isInterlaced, bytesHeld: pixelSource.bytesHeld)
        isProgressive = kind == .jpeg && isInterlaced
        if isProgressive { try limits.checkScans(JPEGScans.count(in: reader, upTo: limits.maximumScans)) }

        let reduction = identified.drawing?.reduction ?? 1
        // A drawing may be larger than any whole number.
        let side = { (pixels: Int) in Int(min(Double(limits.maximumSide), Double(pixels) * reduction)) }
        storedWidth = side(pixelSource.part?.width ?? header.width)
        storedHeight = side(pixelSource.part?.height ?? header.height)
        let tagged = header.integer("orientation").flatMap { (1...8).contains($0) ? $0 : nil }
        orientation = ownOrientation ?? tagged ?? 1
        let hasProfile = header.blob("icc-profile-data") != nil
        let profile = header.blob("icc-profile-data").flatMap { ICCProfile($0) }
        colours = ColourTreatment(header, profile: profile) { hasProfile in
            switch kind {
            case .png: pngColour.description(hasProfile: hasProfile)
            case .heif: HEIFColour(reader).description(hasProfile: hasProfile)
            default: nil
            }
        }
        isPlain =
            frames == 1 && (otherFrames ?? 1) == 1 && orientation == 1
            && colours == .none && (!hasProfile || profile?.isStandardRGB == true)
            && [VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_B_W].contains(header.space)
            && pixelSource.isFileAsBrowsersSeeIt
        exif =
            kind == .tiff
            ? ExifMetadata(tiff: reader) : ownExif ?? header.blob("exif-data").flatMap { ExifMetadata($0) }

        var metadata = ImageMetadata()
        let embedded = PictureMetadata(
            exif: exif, iptc: header.blob("iptc-data").flatMap { IPTCRecord($0[...]) },
            xmp: ownXMP ?? header.blob("xmp-data").map { XMPPacket($0[...]) })
        embedded.describe(&metadata)
        let isSideways = orientation >= 5
        metadata.width = isSideways ? storedHeight : storedWidth
        metadata.height = isSideways ? storedWidth : storedHeight
        metadata.mediaType = identified.identification.mediaType
        metadata.byteCount = reader.fileLength
        metadata.frames = otherFrames ?? frames
        metadata.digest = reader.digest
        metadata.isBroken = false
        metadata.readerVersion = ImageMetadata.currentReader
        self.metadata = metadata
    }

    /// The longer side in pixels of the rendition with all pixels. A vector drawing has no pixels of its own, so it is
    /// drawn at the size of the largest step.
    var fullSide: Int {
        kind == .svg ? Rendition.step2560.longestSide ?? 0 : max(storedWidth, storedHeight)
    }

    /// The file without its metadata, if it is small (its head is all of it) and a browser displays it as well as the encoded
    /// rendition: with the same size in pixels, and at most half as large again in bytes, because encoding it would
    /// lose detail. The metadata is removed because the same bytes go to clients that may not see the place.
    func fileItself(insteadOf encoded: Rendered) -> Rendered? {
        guard isPlain, !reader.isEdited, reader.head.count == Int(reader.fileLength), encoded.width == storedWidth,
            encoded.height == storedHeight, reader.head.count <= encoded.bytes.count * 3 / 2,
            let file = FileFormat(of: reader.head), file.suits(encoded.format),
            let redactor = metadata.mediaType.flatMap({ Redactor(mediaType: $0, keeping: .nothing) }),
            let edits = try? redactor.edits(of: reader.head)
        else { return nil }
        var bytes = reader.head
        edits.apply(to: &bytes, at: 0)
        return Rendered(bytes: bytes, format: encoded.format, file: file, width: storedWidth, height: storedHeight)
    }

    /// Whether decoding it counts as heavy. The size of an SVG does not tell what it costs.
    func isHeavy(_ limits: RenderLimits) -> Bool {
        isProgressive || kind == .svg || Int64(storedWidth) * Int64(storedHeight) > limits.heavyPixels
    }
}

extension RenderError {
    fileprivate static func truncated(_ detail: String) -> RenderError {
        RenderError(.truncated, "This picture is incomplete: its file ends too early.", logDetail: detail)
    }
}

extension DecoderFailure {
    /// The error that the failure means for the caller.
    func error(reader: SourceReader, kind: FileKind, stop: RenderStop) -> RenderError {
        if stop.isStopped { return RenderError(.stopped, "The picture is no longer wanted.") }
        if let error = reader.error { return error }
        switch cause {
        case .picture: break
        case .bounds:
            return RenderError(
                .tooLarge, "This picture is too large to be shown with all its pixels.", logDetail: text)
        case .output:
            return RenderError(.failed, "The picture could not be encoded.", logDetail: text)
        }
        if reader.wasReadPastEnd, kind.knowsItsEnd {
            return .truncated(text)
        }
        return RenderError(.damaged, "This picture is damaged and cannot be shown.", logDetail: text)
    }
}
