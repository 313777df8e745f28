import CVips
import Renditions

/// How the pixels of an original are opened.
enum PixelSource {
    /// By libvips, which shrinks many formats while it decodes.
    case library
    /// By libvips, and then cropped to this part.
    case part(PixelRectangle)
    /// By libvips, and then placed on a clear canvas: an animation's first frame that covers only a part of it.
    case placed(PixelRectangle)
    /// The smallest version in a TIFF that has the pixels wanted.
    case tiff(TIFFSelection)
    /// Like `tiff`, with the conversion of libtiff.
    case convertedTIFF(TIFFSelection)
    /// A WebP that is cut short.
    case cutWebP(CutWebP)

    /// The bytes per pixel that are in memory at once, beside what the format's decoder holds; nil if it decodes strip by
    /// strip.
    var bytesHeld: Int? {
        switch self {
        case .library, .part, .placed, .tiff: nil
        case .convertedTIFF, .cutWebP: 4
        }
    }

    /// Whether a browser makes the same pixels of the file.
    var isFileAsBrowsersSeeIt: Bool {
        switch self {
        case .library, .placed: true
        case .part, .tiff, .convertedTIFF, .cutWebP: false
        }
    }

    /// The part of the decoded image that the picture consists of; nil if that is all of it.
    var part: PixelRectangle? {
        if case .part(let part) = self { part } else { nil }
    }

    /// For a TIFF that libvips cannot open: its properties, and the source that converts it with libtiff; nil if that is
    /// not possible either.
    func converted(in reader: SourceReader) -> (header: Picture, source: PixelSource)? {
        guard case .tiff(let selection) = self, TIFFConversion(selection.main, in: reader)?.isPossible() ?? false,
            let header = try? Picture(describing: selection.main.width, by: selection.main.height, bands: 3)
        else { return nil }
        _ = DecoderLibrary.takeErrorText()
        return (header, .convertedTIFF(selection))
    }

    /// Opens the header.
    ///
    /// - Throws: `DecoderFailure`.
    func header(of source: DecoderSource, failingOn faults: VipsFailOn) throws(DecoderFailure) -> Picture {
        var opened: UnsafeMutablePointer<VipsImage>?
        switch self {
        case .library, .part, .placed: opened = cvips_image_open(source.handle, faults)
        case .tiff(let selection), .convertedTIFF(let selection):
            opened = cvips_image_open_with(source.handle, "[\(selection.main.loaderOptions)]")
            if opened == nil, case .convertedTIFF = self {
                _ = DecoderLibrary.takeErrorText()
                return try Picture(describing: selection.main.width, by: selection.main.height, bands: 3)
            }
        case .cutWebP(let webp): return try Picture(describing: webp.width, by: webp.height, bands: 4)
        }
        guard let opened else { throw DecoderFailure() }
        return Picture(owning: opened)
    }

    /// Opens the pixels, shrunk if that is cheaper while decoding.
    ///
    /// - Parameters:
    ///   - side: The wanted pixels on the longer side.
    ///   - faults: What makes the decoder fail, as libvips names it.
    /// - Returns: Nil if libvips can do all of it.
    /// - Throws: `DecoderFailure`.
    func open(
        _ source: DecoderSource, side: Int, failingOn faults: String, stop: RenderStop
    ) throws(DecoderFailure) -> Picture? {
        func opened(_ options: String) throws(DecoderFailure) -> Picture {
            guard let opened = cvips_image_open_with(source.handle, "[\(options)]") else { throw DecoderFailure() }
            return Picture(owning: opened)
        }
        switch self {
        case .library: return nil
        case .part(let part):
            return try opened("fail_on=\(faults)").cropped(to: part)
        case .placed(let part):
            let whole = try opened("fail_on=\(faults)")
            guard !whole.hasAlpha, let visible = part.intersection(width: whole.width, height: whole.height) else {
                return whole
            }
            return try whole.cropped(to: visible).applying { cvips_add_alpha($0, &$1) }.applying {
                cvips_embed(
                    $0, &$1, Int32(visible.left), Int32(visible.top), Int32(whole.width), Int32(whole.height))
            }
        case .tiff(let selection):
            let image = selection.image(ofLongestSide: side)
            let picture = try opened("\(image.loaderOptions),fail_on=\(faults)")
            // The size that was compared with the limits.
            guard picture.width == image.width, picture.height == image.height else { throw DecoderFailure() }
            return try TIFFSamples.inBytes(picture)
        case .convertedTIFF(let selection):
            let image = selection.image(ofLongestSide: side)
            guard let conversion = TIFFConversion(image, in: source.reader) else { throw DecoderFailure() }
            return try conversion.picture(isTolerant: faults == "none")
        case .cutWebP(let webp):
            return try webp.picture(from: source.reader, stop: stop)
        }
    }
}

extension Picture {
    /// An image without pixels, for its properties only.
    convenience init(describing width: Int, by height: Int, bands: Int) throws(DecoderFailure) {
        guard let blank = vips_image_new() else { throw DecoderFailure() }
        self.init(owning: blank)
        vips_image_init_fields(
            blank, Int32(clamping: width), Int32(clamping: height), Int32(bands), VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
            VIPS_INTERPRETATION_sRGB, 1, 1)
    }

    func cropped(to part: PixelRectangle) throws(DecoderFailure) -> Picture {
        try applying {
            cvips_crop($0, &$1, Int32(part.left), Int32(part.top), Int32(part.width), Int32(part.height))
        }
    }
}
