import CVips
import Images
import Renditions

/// Renders with libvips. Accepts a file's format only if libmagic and the decoder agree on it. Each call blocks until
/// its work is done; make one call at a time.
public struct Renderer: Sendable {
    public let limits: RenderLimits

    /// The maximum size of a pyramid in bytes.
    public static let longestOutput = PyramidFile.maximumLength

    /// The outcome of the work on one original.
    public enum Outcome: Sendable {
        case made(RenderResult)
        /// The image is heavy, and heavy work was not allowed.
        case heavy
    }

    /// Starts libvips, once per process.
    ///
    /// - Throws: `RenderError` with the reason `.failed` if libvips cannot be started.
    public init(limits: RenderLimits = RenderLimits()) throws(RenderError) {
        self.limits = limits
        try DecoderLibrary.start()
    }

    /// Does everything that a job wants from one original, opening it once. The caller sets the answer's `source`.
    ///
    /// - Parameter output: The file for a pyramid, open for writing.
    /// - Throws: `RenderError`; with the reason `.stopped` if `stop` was used.
    public func perform(
        _ work: RenderJob.Work, on source: RenderSource, output: Int32? = nil, mayBeHeavy: Bool = true, stop: RenderStop
    ) throws(RenderError) -> Outcome {
        do throws(RenderError) {
            return try process(source, for: work, output: output, mayBeHeavy: mayBeHeavy, stop: stop)
        } catch {
            // A stopped read looks like damage, and a good image would then be remembered as damaged.
            try stop.check()
            throw error
        }
    }

    private func process(
        _ source: RenderSource, for work: RenderJob.Work, output: Int32?, mayBeHeavy: Bool, stop: RenderStop
    ) throws(RenderError) -> Outcome {
        if case .encode(let encoding) = work { return .made(try encode(encoding, source, stop)) }
        try stop.check()
        if case .readSidecars(let formats) = work, let format = formats.first {
            return .made(RenderResult(metadata: try Sidecar.metadata(in: source, as: format, stop: stop)))
        }
        if work == .readMetadata, let metadata = try head(of: source, stop) {
            return .made(RenderResult(metadata: metadata))
        }
        let identified = try IdentifiedOriginal(source, limits: limits, stop: stop)
        // Reading a vector drawing's header already means parsing the whole drawing.
        guard mayBeHeavy || identified.kind != .svg else { return .heavy }
        let original = try InspectedOriginal(identified, limits: limits, stop: stop)
        if case .partialDecode(let format) = work {
            return .made(try partialDecode(of: original, as: format, stop: stop))
        }
        if work == .pyramid { return .made(try pyramid(of: original, in: output, stop: stop)) }
        guard case .make(let wanted) = work else { return .made(RenderResult(metadata: original.metadata)) }
        let embedded = embedded(in: original, for: wanted, stop: stop)
        guard mayBeHeavy || embedded != nil || !original.isHeavy(limits) else { return .heavy }
        return .made(try render(original, embedded, as: wanted, stop: stop))
    }

    /// An embedded smaller version from which everything wanted can be made: it costs next to nothing, whatever the
    /// size of the image.
    private func embedded(
        in original: InspectedOriginal, for wanted: [Rendition: OutputFormat], stop: RenderStop
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

    /// A preview from the thumbnail at the beginning of a JPEG whose rest has not arrived yet.
    private func partialDecode(
        of original: InspectedOriginal, as format: OutputFormat, stop: RenderStop
    ) throws(RenderError) -> RenderResult {
        guard original.kind == .jpeg, let side = Rendition.preview.longestSide,
            let thumbnail = EmbeddedThumbnail.picture(of: original, atLeast: side, stop: stop)
        else { throw RenderError(.truncated, "The beginning of this picture does not contain a preview.") }
        return try render(original, thumbnail, as: [.preview: format], stop: stop)
    }

    /// The metadata in a JPEG's head; nil for other formats, and if a decoder is needed.
    private func head(of source: RenderSource, _ stop: RenderStop) throws(RenderError) -> ImageMetadata? {
        let reader = try SourceReader(source, stop: stop)
        guard reader.fileLength <= limits.maximumBytes, let head = JPEGHead(reader),
            max(head.width, head.height) <= limits.maximumSide
        else { return nil }
        return head.metadata(of: reader)
    }

    /// Makes several renditions from one decoding, which costs little more than the largest of them alone.
    private func render(
        _ original: InspectedOriginal, _ embedded: Picture?, as wanted: [Rendition: OutputFormat], stop: RenderStop
    ) throws(RenderError) -> RenderResult {
        guard wanted[.original] == nil else { throw RenderError(.failed, "An original is sent as it is.") }
        if wanted[.full] != nil { try limits.checkWhole(original) }
        let sizes = wanted.map { (rendition: $0, side: $0.longestSide ?? original.fullSide, format: $1) }
            .sorted { $0.side > $1.side }
        guard let largest = sizes.first else { throw RenderError(.failed, "Nothing is to be made of the picture.") }
        do throws(DecoderFailure) {
            // An embedded version does not show whether the image itself is complete.
            let decoded: (picture: Picture, isIncomplete: Bool?) =
                if let embedded { (embedded, nil) } else { try pixels(of: original, side: largest.side, stop: stop) }
            var picture = decoded.picture
            var answer = RenderResult(metadata: original.metadata)
            answer.metadata.placeholder = Pixels(shrinking: picture, to: 32).map { ThumbHash($0).bytes }
            answer.metadata.isIncomplete = decoded.isIncomplete
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
                answer.renditions[size.rendition] = (isWhole ? original.fileItself(insteadOf: encoded) : nil) ?? encoded
            }
            return answer
        } catch {
            throw error.error(reader: original.reader, kind: original.kind, stop: stop)
        }
    }

    private func encode(
        _ work: RenderJob.EncodingWork, _ source: RenderSource, _ stop: RenderStop
    ) throws(RenderError) -> RenderResult {
        let reader = try SourceReader(source, stop: stop)
        let count = work.width * work.height * 3
        guard reader.fileLength == Int64(count), count <= limits.decodedBytes / 2,
            let pixels = Pixels(width: work.width, height: work.height, bytes: reader.chunk(upTo: count))
        else { throw RenderError(.failed, "The picture could not be encoded.", logDetail: "not the pixels it says") }
        let bytes = try pixels.encoded(as: work.format, quality: work.quality)
        return RenderResult(
            encoded: Rendered(bytes: bytes, format: work.format, width: work.width, height: work.height))
    }

    private func pyramid(
        of original: InspectedOriginal, in output: Int32?, stop: RenderStop
    ) throws(RenderError) -> RenderResult {
        guard let output else { throw RenderError(.failed, "There is no file for the tiles of the picture.") }
        guard original.kind != .svg else {
            throw RenderError(.unsupported, "A vector drawing has no pixel pyramid.")
        }
        do throws(DecoderFailure) {
            let side = max(original.storedWidth, original.storedHeight)
            let made = try decode(original, side: side, stop: stop) { picture throws(DecoderFailure) in
                try PyramidBuilder.build(
                    picture, orientation: original.orientation, background: limits.background, in: output,
                    memory: limits.decodedBytes / 2, stop: stop)
            }
            var answer = RenderResult(metadata: original.metadata)
            answer.metadata.isIncomplete = made.isIncomplete
            return answer
        } catch {
            throw error.error(reader: original.reader, kind: original.kind, stop: stop)
        }
    }

    /// The pixels for the largest wanted rendition: upright, in sRGB or grey, eight bits per channel, in memory; and
    /// whether some are missing.
    private func pixels(
        of original: InspectedOriginal, side: Int, stop: RenderStop
    ) throws(DecoderFailure) -> (Picture, Bool?) {
        try decode(original, side: side, stop: stop) { picture throws(DecoderFailure) in
            try picture.inMemory(stop: stop).upright(original.orientation, stop: stop)
        }
    }

    // MARK: - Decoding

    /// Opens an image and decodes it while `use` reads its rows, as stored, in sRGB or grey, eight bits per channel.
    /// Starts again from the beginning if the image turns out to be damaged in a tolerable way.
    private func decode<Made>(
        _ original: InspectedOriginal, side: Int, stop: RenderStop, _ use: (Picture) throws(DecoderFailure) -> Made
    ) throws(DecoderFailure) -> (made: Made, isIncomplete: Bool?) {
        if let isIncomplete = original.isKnownIncomplete {
            return (try convert(original, side: side, failingOn: "none", stop: stop, use).made, isIncomplete)
        }
        let failure: DecoderFailure
        do {
            return try convert(original, side: side, failingOn: "truncated", stop: stop, use)
        } catch {
            failure = error
        }
        let endsEarly = original.reader.wasReadPastEnd && original.kind.knowsItsEnd
        guard !stop.isStopped, failure.cause == .picture, original.reader.error == nil else { throw failure }
        let repair = original.repair(endsEarly: endsEarly)
        do throws(DecoderFailure) {
            guard let repair else { throw failure }
            repair.apply(to: original.reader)
            return try convert(original, side: side, failingOn: repair.faults, stop: stop, use)
        } catch {
            // What remains of a damaged or truncated image is displayed as far as it goes.
            guard !stop.isStopped, error.cause == .picture, original.reader.error == nil,
                endsEarly || repair?.isTolerant ?? false
            else { throw error }
            original.reader.append([])
            return (try convert(original, side: side, failingOn: "none", stop: stop, use).made, true)
        }
    }

    private func convert<Made>(
        _ original: InspectedOriginal, side: Int, failingOn faults: String, stop: RenderStop,
        _ use: (Picture) throws(DecoderFailure) -> Made
    ) throws(DecoderFailure) -> (made: Made, isIncomplete: Bool?) {
        do {
            return try shrink(original, side: side, original.colours, failingOn: faults, stop: stop, use)
        } catch {
            // The profile may be invalid although the image is intact; then its colours are used without conversion.
            guard original.colours.isByProfile, !stop.isStopped, error.cause == .picture,
                original.reader.error == nil, !original.reader.wasReadPastEnd
            else { throw error }
            return try shrink(original, side: side, .none, failingOn: faults, stop: stop, use)
        }
    }

    private func shrink<Made>(
        _ original: InspectedOriginal, side: Int, _ colours: ColourTreatment, failingOn faults: String,
        stop: RenderStop,
        _ use: (Picture) throws(DecoderFailure) -> Made
    ) throws(DecoderFailure) -> (made: Made, isIncomplete: Bool?) {
        original.reader.wasReadPastEnd = false
        // libvips repeats what it has not been asked for.
        _ = DecoderLibrary.takeErrorText()
        // Everything opened on the way is closed when this returns.
        let made = try use(original.shrunk(to: side, colours, failingOn: faults, stop: stop).inEightBits())
        // libpng and libjpeg report corrupt data only when they close the file.
        let warnings = DecoderWarnings.take()
        guard !warnings.contains("IDAT: CRC error") else { throw DecoderFailure("IDAT: CRC error") }
        return (made, original.kind == .jpeg && warnings.contains(where: JPEGWarning.tellsOfDamage))
    }

}

extension Picture {
    /// At most four bands of bytes, from which every format can be encoded.
    func inEightBits() throws(DecoderFailure) -> Picture {
        var picture = self
        if picture.bands > 4 { picture = try picture.applying { cvips_extract_bands($0, &$1, 3) } }
        if picture.bytesPerBand != 1 { picture = try picture.applying { cvips_cast_uchar($0, &$1) } }
        return picture
    }
}
