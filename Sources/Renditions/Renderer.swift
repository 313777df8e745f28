import CVips
import Images

/// Renders with libvips, and believes a file to be what libmagic and the decoder both say it is.
public struct Renderer: Rendering {
    public let configuration: Configuration

    /// Starts libvips, once in a process.
    ///
    /// - Throws: `RenderError` with the reason `.failed` when libvips cannot be started.
    public init(configuration: Configuration = Configuration()) throws(RenderError) {
        self.configuration = configuration
        try DecoderLibrary.start()
    }

    public func inspect(_ source: RenderSource) throws(RenderError) -> Inspection {
        let original = try Examination(source, limits: configuration, stop: RenderStop())
        return Inspection(
            facts: original.facts, isProgressive: original.isProgressive,
            hasThumbnail: original.exif?.thumbnail != nil)
    }

    public func render(
        _ source: RenderSource, as rendition: Rendition, format: OutputFormat, stop: RenderStop
    ) throws(RenderError) -> Rendered {
        guard let rendered = try render(source, as: [rendition: format], stop: stop)[rendition] else {
            throw RenderError(.failed, "An original is sent as it is.")
        }
        return rendered
    }

    public func render(
        _ source: RenderSource, as wanted: [Rendition: OutputFormat], stop: RenderStop
    ) throws(RenderError) -> [Rendition: Rendered] {
        try stop.check()
        let sizes = wanted.compactMap { rendition, format in
            rendition.longestSide.map { (rendition: rendition, side: $0, format: format) }
        }.sorted { $0.side > $1.side }
        guard let largest = sizes.first else { return [:] }
        let original = try Examination(source, limits: configuration, stop: stop)
        do throws(DecoderFailure) {
            var picture = try pixels(of: original, rendition: largest.rendition, side: largest.side, stop: stop)
            var facts = original.facts
            facts.placeholder = Pixels(shrinking: picture, to: 32).map { ThumbHash($0).bytes }
            var all: [Rendition: Rendered] = [:]
            for size in sizes {
                guard !stop.isStopped else { throw DecoderFailure() }
                if max(picture.width, picture.height) > size.side {
                    picture = try picture.applying { cvips_thumbnail_image($0, &$1, Int32(size.side)) }.inMemory(
                        stop: stop)
                }
                let bytes = try Encoding(size.format, for: size.rendition)
                    .encode(picture, background: configuration.background)
                all[size.rendition] = Rendered(
                    bytes: bytes, format: size.format, width: picture.width, height: picture.height, facts: facts)
            }
            return all
        } catch {
            throw error.error(reader: original.reader, kind: original.identification.kind, stop: stop)
        }
    }

    public func threadWillEnd() {
        _ = DecoderWarnings.take()
        vips_thread_shutdown()
    }

    /// The pixels of the largest rendition that is wanted: upright, in sRGB or grey, eight bits, in memory.
    private func pixels(
        of original: Examination, rendition: Rendition, side: Int, stop: RenderStop
    ) throws(DecoderFailure) -> Picture {
        if rendition == .preview, let thumbnail = EmbeddedThumbnail.picture(of: original, atLeast: side, stop: stop) {
            return thumbnail
        }
        guard original.needsColourConversion else { return try decode(original, side: side, profile: nil, stop: stop) }
        do {
            return try decode(original, side: side, profile: "srgb", stop: stop)
        } catch {
            // A profile may be broken where the picture is whole; then its colours are shown as they are.
            guard !stop.isStopped, original.reader.error == nil, !original.reader.wasReadPastEnd else { throw error }
            return try decode(original, side: side, profile: nil, stop: stop)
        }
    }

    private func decode(
        _ original: Examination, side: Int, profile: String?, stop: RenderStop
    ) throws(DecoderFailure) -> Picture {
        original.reader.wasReadPastEnd = false
        _ = DecoderWarnings.take()
        let pixels = try shrunken(original, side: side, profile: profile, stop: stop)
        // When it has closed the file, libpng says if the data were not what the file's author wrote.
        guard !DecoderWarnings.take().contains("IDAT: CRC error") else { throw DecoderFailure("IDAT: CRC error") }
        return pixels
    }

    /// All that was opened on the way is closed when this returns.
    private func shrunken(
        _ original: Examination, side: Int, profile: String?, stop: RenderStop
    ) throws(DecoderFailure) -> Picture {
        var made: UnsafeMutablePointer<VipsImage>?
        // A drawing has no size of its own in pixels: it is drawn as large as it is shown.
        let size = original.identification.kind == .svg ? VIPS_SIZE_BOTH : VIPS_SIZE_DOWN
        let status = cvips_thumbnail_source(
            original.source.handle, &made, Int32(side), size, "[fail_on=truncated]", profile)
        return try Picture.checked(status, made).inEightBits().inMemory(stop: stop)
            .upright(original.orientation, stop: stop)
    }
}

extension Picture {
    /// At most four bands of bytes: what every format can be made from.
    fileprivate func inEightBits() throws(DecoderFailure) -> Picture {
        var picture = self
        if picture.bands > 4 { picture = try picture.applying { cvips_extract_bands($0, &$1, 3) } }
        if picture.bytesPerBand != 1 { picture = try picture.applying { cvips_cast_uchar($0, &$1) } }
        return picture
    }
}
