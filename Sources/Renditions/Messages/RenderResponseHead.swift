import Images

/// A job's result without the bytes of its renditions, which follow.
public struct RenderResponseHead: Hashable, Sendable {
    /// One file that follows.
    public struct Part: Hashable, Sendable {
        /// Nil for the file of an `.encode` job.
        public let rendition: Rendition?
        /// The requested format.
        public let format: OutputFormat
        /// In pixels.
        public let width: Int
        /// In pixels.
        public let height: Int
        /// In bytes.
        public let length: Int
    }

    /// What the job learnt about the original.
    public let metadata: ImageMetadata
    /// The status of the original's file at the end of the job.
    public let source: SourceStatus
    /// The files that follow, in order.
    public let parts: [Part]

    /// - Returns: The head, and the files that must follow it, in order.
    public static func splitting(_ answer: RenderResult) -> (head: RenderResponseHead, bytes: [[UInt8]]) {
        var rendered: [(Rendition?, Rendered)] = answer.renditions.map { ($0.key, $0.value) }
        if let encoded = answer.encoded { rendered.append((nil, encoded)) }
        let parts = rendered.map { rendition, file in
            Part(
                rendition: rendition, format: file.format, width: file.width, height: file.height,
                length: file.bytes.count)
        }
        return (
            RenderResponseHead(metadata: answer.metadata, source: answer.source, parts: parts),
            rendered.map { $0.1.bytes }
        )
    }

    private init(metadata: ImageMetadata, source: SourceStatus, parts: [Part]) {
        self.metadata = metadata
        self.source = source
        self.parts = parts
    }

    func write(to writer: inout MessageWriter) {
        writer.metadata(metadata)
        writer.source(source)
        writer.number(UInt8(parts.count))
        for part in parts {
            writer.optional(part.rendition) { $0.number($1.number) }
            writer.number(part.format.number)
            for value in [part.width, part.height, part.length] { writer.number(UInt32(clamping: value)) }
        }
    }

    init(_ reader: inout MessageReader) throws(MessageError) {
        metadata = try reader.metadata()
        source = try reader.source()
        var parts: [Part] = []
        for _ in 0..<(try reader.number(UInt8.self)) {
            let rendition = try reader.optional { reader throws(MessageError) in
                try Rendition(number: try reader.number())
            }
            parts.append(
                Part(
                    rendition: rendition, format: try OutputFormat(number: try reader.number()),
                    width: Int(try reader.number(UInt32.self)), height: Int(try reader.number(UInt32.self)),
                    length: Int(try reader.number(UInt32.self))))
        }
        self.parts = parts
    }

    /// Checks that the head matches the requested work.
    ///
    /// - Throws: `MessageError` unless it answers exactly that work, within the allowed sizes.
    func check(against work: RenderJob.Work) throws(MessageError) {
        var length = 0
        for part in parts {
            length += part.length
            guard EncodedSize.isPlausible(bytes: part.length, width: part.width, height: part.height),
                length <= WorkerMessage.maximumAnswer
            else {
                throw MessageError("a part of \(part.width) by \(part.height), \(part.length) bytes")
            }
        }
        let isRight: Bool
        switch work {
        case .readMetadata, .readMetadataOfAll, .readSidecars, .pyramid: isRight = parts.isEmpty
        case .make(let wanted): isRight = answers(wanted)
        case .partialDecode(let format): isRight = answers([.preview: format])
        case .encode(let work):
            isRight =
                parts.count == 1
                && parts.allSatisfy {
                    $0.rendition == nil && $0.format == work.format && $0.width == work.width
                        && $0.height == work.height
                }
        }
        guard isRight else { throw MessageError("a result for another job") }
    }

    private func answers(_ wanted: [Rendition: OutputFormat]) -> Bool {
        parts.count == wanted.count && Set(parts.map(\.rendition)).count == parts.count
            && parts.allSatisfy { part in
                guard let rendition = part.rendition, wanted[rendition] == part.format else { return false }
                return rendition.longestSide.map { max(part.width, part.height) <= $0 } ?? (rendition == .full)
            }
    }
}
