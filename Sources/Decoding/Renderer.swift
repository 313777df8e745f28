import CVips
import Images
import Renditions

/// Renders with libvips, and believes a file to be what libmagic and the decoder both say it is. Each call blocks for as
/// long as the work takes; one at a time.
public struct Renderer: Sendable {
    public let limits: RenderLimits

    /// Bytes that a pyramid never exceeds.
    public static let longestOutput = PyramidFile.maximumLength

    /// What a visit to an original ends with.
    public enum Outcome: Sendable {
        case made(RenderAnswer)
        /// The picture is heavy, and was not to be.
        case heavy
    }

    /// Starts libvips, once in a process.
    ///
    /// - Throws: `RenderError` with the reason `.failed` when libvips cannot be started.
    public init(limits: RenderLimits = RenderLimits()) throws(RenderError) {
        self.limits = limits
        try DecoderLibrary.start()
    }

    /// Does everything that a job wants of an original in one visit. The answer's `source` is left to the caller.
    ///
    /// - Parameter output: Where a pyramid goes, open for writing.
    /// - Throws: `RenderError`; its reason is `.stopped` when `stop` was used.
    public func perform(
        _ work: RenderJob.Work, on source: RenderSource, output: Int32? = nil, mayBeHeavy: Bool = true, stop: RenderStop
    ) throws(RenderError) -> Outcome {
        do throws(RenderError) {
            return try visit(source, for: work, output: output, mayBeHeavy: mayBeHeavy, stop: stop)
        } catch {
            // What a stop leaves unread looks like damage, and that would be remembered of a good picture.
            try stop.check()
            throw error
        }
    }

    private func visit(
        _ source: RenderSource, for work: RenderJob.Work, output: Int32?, mayBeHeavy: Bool, stop: RenderStop
    ) throws(RenderError) -> Outcome {
        if case .encode(let encoding) = work { return .made(try encode(encoding, source, stop)) }
        try stop.check()
        if work == .examine, let facts = try head(of: source, stop) { return .made(RenderAnswer(facts: facts)) }
        let sighting = try Sighting(source, limits: limits, stop: stop)
        // Already the header of a drawing is the whole of it.
        guard mayBeHeavy || sighting.kind != .svg else { return .heavy }
        let original = try Examination(sighting, limits: limits, stop: stop)
        if case .glimpse(let format) = work { return .made(try glimpse(of: original, as: format, stop: stop)) }
        if work == .pyramid { return .made(try pyramid(of: original, in: output, stop: stop)) }
        guard case .make(let wanted) = work else { return .made(RenderAnswer(facts: original.facts)) }
        let embedded = embedded(in: original, for: wanted, stop: stop)
        guard mayBeHeavy || embedded != nil || !original.isHeavy(limits) else { return .heavy }
        return .made(try render(original, embedded, as: wanted, stop: stop))
    }

    /// A picture that the camera wrote beside the large one, of which everything that is wanted can be made: it costs next
    /// to nothing, whatever the large one is.
    private func embedded(
        in original: Examination, for wanted: [Rendition: OutputFormat], stop: RenderStop
    ) -> Picture? {
        let sides = wanted.keys.map(\.longestSide)
        guard !sides.contains(nil), let side = sides.compactMap({ $0 }).max() else { return nil }
        if Array(wanted.keys) == [.preview],
            let thumbnail = EmbeddedThumbnail.picture(of: original, atLeast: side, stop: stop)
        {
            return thumbnail
        }
        return EmbeddedPreview.picture(of: original, side: side, stop: stop)
    }

    /// What a camera put at the beginning of a JPEG, whatever is still to come of it.
    private func glimpse(
        of original: Examination, as format: OutputFormat, stop: RenderStop
    ) throws(RenderError) -> RenderAnswer {
        guard original.kind == .jpeg, let side = Rendition.preview.longestSide,
            let thumbnail = EmbeddedThumbnail.picture(of: original, atLeast: side, stop: stop)
        else { throw RenderError(.truncated, "The beginning of this picture shows nothing of it.") }
        return try render(original, thumbnail, as: [.preview: format], stop: stop)
    }

    /// What the head of a JPEG tells; nil of other pictures, and where it takes a decoder to tell.
    private func head(of source: RenderSource, _ stop: RenderStop) throws(RenderError) -> ImageFacts? {
        let reader = try SourceReader(source, stop: stop)
        guard reader.fileLength <= limits.maximumBytes, let head = JPEGHead(reader),
            max(head.width, head.height) <= limits.maximumSide
        else { return nil }
        return head.facts(of: reader)
    }

    /// Several renditions out of one decoding. They cost little more than the largest of them alone.
    private func render(
        _ original: Examination, _ embedded: Picture?, as wanted: [Rendition: OutputFormat], stop: RenderStop
    ) throws(RenderError) -> RenderAnswer {
        guard wanted[.original] == nil else { throw RenderError(.failed, "An original is sent as it is.") }
        if wanted[.full] != nil { try limits.checkWhole(original) }
        let sizes = wanted.map { (rendition: $0, side: $0.longestSide ?? original.fullSide, format: $1) }
            .sorted { $0.side > $1.side }
        guard let largest = sizes.first else { throw RenderError(.failed, "Nothing is to be made of the picture.") }
        do throws(DecoderFailure) {
            // Whether a picture is whole, what is embedded in it does not tell.
            let decoded: (picture: Picture, isIncomplete: Bool?) =
                if let embedded { (embedded, nil) } else { try pixels(of: original, side: largest.side, stop: stop) }
            var picture = decoded.picture
            var answer = RenderAnswer(facts: original.facts)
            answer.facts.placeholder = Pixels(shrinking: picture, to: 32).map { ThumbHash($0).bytes }
            answer.facts.isIncomplete = decoded.isIncomplete
            for size in sizes {
                guard !stop.isStopped else { throw DecoderFailure() }
                if max(picture.width, picture.height) > size.side {
                    picture = try picture.applying { cvips_thumbnail_image($0, &$1, Int32(size.side)) }.inMemory(
                        stop: stop)
                }
                let encoded = Rendered(
                    bytes: try Encoding(size.format, for: size.rendition).encode(
                        picture, background: limits.background),
                    format: size.format, width: picture.width, height: picture.height)
                let isWhole = decoded.isIncomplete == false && size.rendition != .preview
                answer.renditions[size.rendition] = (isWhole ? original.asItIs(insteadOf: encoded) : nil) ?? encoded
            }
            return answer
        } catch {
            throw error.error(reader: original.reader, kind: original.kind, stop: stop)
        }
    }

    private func encode(
        _ work: RenderJob.EncodingWork, _ source: RenderSource, _ stop: RenderStop
    ) throws(RenderError) -> RenderAnswer {
        let reader = try SourceReader(source, stop: stop)
        let count = work.width * work.height * 3
        guard reader.fileLength == Int64(count), count <= limits.decodedBytes / 2,
            let pixels = Pixels(width: work.width, height: work.height, bytes: reader.chunk(upTo: count))
        else { throw RenderError(.failed, "The picture could not be encoded.", logDetail: "not the pixels it says") }
        let bytes = try pixels.encoded(as: work.format, quality: work.quality)
        return RenderAnswer(
            encoded: Rendered(bytes: bytes, format: work.format, width: work.width, height: work.height))
    }

    private func pyramid(
        of original: Examination, in output: Int32?, stop: RenderStop
    ) throws(RenderError) -> RenderAnswer {
        guard let output else { throw RenderError(.failed, "There is no file for the tiles of the picture.") }
        guard original.kind != .svg else {
            throw RenderError(.unsupported, "A drawing has no pixels of its own that could be looked at closely.")
        }
        do throws(DecoderFailure) {
            let side = max(original.storedWidth, original.storedHeight)
            let made = try decode(original, side: side, stop: stop) { picture throws(DecoderFailure) in
                try PyramidBuilder.build(
                    picture, orientation: original.orientation, background: limits.background, in: output,
                    memory: limits.decodedBytes / 2, stop: stop)
            }
            var answer = RenderAnswer(facts: original.facts)
            answer.facts.isIncomplete = made.isIncomplete
            return answer
        } catch {
            throw error.error(reader: original.reader, kind: original.kind, stop: stop)
        }
    }

    /// The pixels of the largest rendition that is wanted: upright, in sRGB or grey, eight bits, in memory; and whether
    /// some of them are missing.
    private func pixels(
        of original: Examination, side: Int, stop: RenderStop
    ) throws(DecoderFailure) -> (Picture, Bool?) {
        try decode(original, side: side, stop: stop) { picture throws(DecoderFailure) in
            try picture.inMemory(stop: stop).upright(original.orientation, stop: stop)
        }
    }

    // MARK: - Decoding

    /// Opens a picture to be decoded while `use` asks for its rows, as they are stored, in sRGB or grey, eight bits; once
    /// more, from the beginning, where it proves to be damaged in a way that can be borne.
    private func decode<Made>(
        _ original: Examination, side: Int, stop: RenderStop, _ use: (Picture) throws(DecoderFailure) -> Made
    ) throws(DecoderFailure) -> (made: Made, isIncomplete: Bool?) {
        do {
            return (try convert(original, side: side, failingOn: "truncated", stop: stop, use), false)
        } catch {
            // What there is of a file that ends too early is shown.
            guard !stop.isStopped, error.cause == .picture, original.reader.error == nil,
                original.reader.wasReadPastEnd, original.kind.knowsItsEnd
            else { throw error }
            return (try convert(original, side: side, failingOn: "none", stop: stop, use), true)
        }
    }

    private func convert<Made>(
        _ original: Examination, side: Int, failingOn faults: String, stop: RenderStop,
        _ use: (Picture) throws(DecoderFailure) -> Made
    ) throws(DecoderFailure) -> Made {
        guard original.needsColourConversion else {
            return try shrink(original, side: side, profile: nil, failingOn: faults, use)
        }
        do {
            return try shrink(original, side: side, profile: "srgb", failingOn: faults, use)
        } catch {
            // A profile may be broken where the picture is whole; then its colours are shown as they are.
            guard !stop.isStopped, error.cause == .picture, original.reader.error == nil,
                !original.reader.wasReadPastEnd
            else { throw error }
            return try shrink(original, side: side, profile: nil, failingOn: faults, use)
        }
    }

    private func shrink<Made>(
        _ original: Examination, side: Int, profile: String?, failingOn faults: String,
        _ use: (Picture) throws(DecoderFailure) -> Made
    ) throws(DecoderFailure) -> Made {
        original.reader.wasReadPastEnd = false
        _ = DecoderWarnings.take()
        let made = try opened(original, side: side, profile: profile, failingOn: faults, use)
        // When it has closed the file, libpng says if the data were not what the file's author wrote.
        guard !DecoderWarnings.take().contains("IDAT: CRC error") else { throw DecoderFailure("IDAT: CRC error") }
        return made
    }

    /// All that was opened on the way is closed when this returns.
    private func opened<Made>(
        _ original: Examination, side: Int, profile: String?, failingOn faults: String,
        _ use: (Picture) throws(DecoderFailure) -> Made
    ) throws(DecoderFailure) -> Made {
        var made: UnsafeMutablePointer<VipsImage>?
        // A drawing has no size of its own in pixels: it is drawn as large as it is shown.
        let size = original.kind == .svg ? VIPS_SIZE_BOTH : VIPS_SIZE_DOWN
        let status = cvips_thumbnail_source(
            original.source.handle, &made, Int32(side), size, "[fail_on=\(faults)]", profile)
        return try use(try Picture.checked(status, made).inEightBits())
    }
}

extension Picture {
    /// At most four bands of bytes: what every format can be made from.
    func inEightBits() throws(DecoderFailure) -> Picture {
        var picture = self
        if picture.bands > 4 { picture = try picture.applying { cvips_extract_bands($0, &$1, 3) } }
        if picture.bytesPerBand != 1 { picture = try picture.applying { cvips_cast_uchar($0, &$1) } }
        return picture
    }
}
