import Images

/// A job as sent to a worker: one packet, accompanied by the original's descriptor.
public struct JobMessage: Hashable, Sendable {
    /// Identifies the job in the reply; a pool never uses a number twice.
    public let job: UInt64
    /// What to do.
    public let work: RenderJob.Work
    /// The number of descriptors that accompany the message: the originals, then the output file if there is one.
    public var descriptors: Int {
        switch work {
        case .readMetadataOfAll(let count): count
        case .readSidecars(let formats): formats.count
        case .pyramid: 2
        case .readMetadata, .make, .encode, .partialDecode: 1
        }
    }
    /// Whether the worker may proceed if the picture turns out to be heavy. Otherwise it reports that and gives up
    /// the job.
    public let mayBeHeavy: Bool

    public init(job: UInt64, work: RenderJob.Work, mayBeHeavy: Bool) {
        self.job = job
        self.work = work
        self.mayBeHeavy = mayBeHeavy
    }

    /// The maximum length of any message from a pool, in bytes.
    public static let maximumLength = 256

    /// The encoded message.
    public var bytes: [UInt8] {
        var writer = MessageWriter()
        writer.number(ToWorker.job.rawValue)
        writer.number(job)
        writer.flag(mayBeHeavy)
        switch work {
        case .readMetadata: writer.number(UInt8(0))
        case .make(let wanted):
            writer.number(UInt8(1))
            writer.number(UInt8(wanted.count))
            for (rendition, format) in wanted {
                writer.number(rendition.number)
                writer.number(format.number)
            }
        case .encode(let work):
            writer.number(UInt8(2))
            writer.number(UInt32(clamping: work.width))
            writer.number(UInt32(clamping: work.height))
            writer.number(work.format.number)
            writer.number(UInt8(clamping: work.quality))
        case .readMetadataOfAll(let count):
            writer.number(UInt8(3))
            writer.number(UInt8(clamping: count))
        case .pyramid: writer.number(UInt8(4))
        case .partialDecode(let format):
            writer.number(UInt8(5))
            writer.number(format.number)
        case .readSidecars(let formats):
            writer.number(UInt8(6))
            writer.number(UInt8(clamping: formats.count))
            for format in formats { writer.number(format.rawValue) }
        }
        return writer.bytes
    }

    fileprivate init(_ reader: inout MessageReader) throws(MessageError) {
        job = try reader.number()
        mayBeHeavy = try reader.flag()
        switch try reader.number(UInt8.self) {
        case 0: work = .readMetadata
        case 1:
            var wanted: [Rendition: OutputFormat] = [:]
            for _ in 0..<(try reader.number(UInt8.self)) {
                let rendition = try Rendition(number: try reader.number())
                wanted[rendition] = try OutputFormat(number: try reader.number())
            }
            work = .make(wanted)
        case 2:
            work = .encode(
                RenderJob.EncodingWork(
                    width: Int(try reader.number(UInt32.self)), height: Int(try reader.number(UInt32.self)),
                    format: try OutputFormat(number: try reader.number()), quality: Int(try reader.number(UInt8.self))))
        case 3:
            let count = Int(try reader.number(UInt8.self))
            guard (1...RenderJob.maximumFilesPerJob).contains(count) else { throw MessageError("a batch of \(count)") }
            work = .readMetadataOfAll(count)
        case 4: work = .pyramid
        case 5: work = .partialDecode(try OutputFormat(number: try reader.number()))
        case 6:
            let count = Int(try reader.number(UInt8.self))
            guard (1...RenderJob.maximumFilesPerJob).contains(count) else { throw MessageError("\(count) sidecars") }
            var formats: [SidecarFormat] = []
            for _ in 0..<count { formats.append(try SidecarFormat(number: try reader.number())) }
            work = .readSidecars(formats)
        default: throw MessageError("a job of an unknown kind")
        }
        try reader.end()
    }
}

/// A message from the pool to a worker.
public enum PoolMessage: Hashable, Sendable {
    case job(JobMessage)
    /// The job with this number is no longer needed. Honoured if the decoder allows it, otherwise ignored.
    case stop(UInt64)

    /// The encoded message.
    public var bytes: [UInt8] {
        switch self {
        case .job(let message): return message.bytes
        case .stop(let job):
            var writer = MessageWriter()
            writer.number(ToWorker.stop.rawValue)
            writer.number(job)
            return writer.bytes
        }
    }

    /// - Throws: `MessageError` for anything that a pool does not send.
    public init(_ packet: ArraySlice<UInt8>) throws(MessageError) {
        var reader = MessageReader(packet)
        switch ToWorker(rawValue: try reader.number()) {
        case .job: self = .job(try JobMessage(&reader))
        case .stop:
            self = .stop(try reader.number())
            try reader.end()
        case nil: throw MessageError("a message of an unknown kind")
        }
    }
}

private enum ToWorker: UInt8 {
    case job = 1
    case stop = 2
}

private let formats: [OutputFormat] = [.avif, .webp, .jpeg]

extension Rendition {
    var number: UInt8 { storageNumber }

    init(number: UInt8) throws(MessageError) {
        guard let rendition = Rendition(storageNumber: number) else { throw MessageError("rendition \(number)") }
        self = rendition
    }
}

extension SidecarFormat {
    fileprivate init(number: UInt8) throws(MessageError) {
        guard let format = SidecarFormat(rawValue: number) else { throw MessageError("a sidecar of format \(number)") }
        self = format
    }
}

extension OutputFormat {
    var number: UInt8 { UInt8(formats.firstIndex(of: self) ?? 0) }

    init(number: UInt8) throws(MessageError) {
        guard formats.indices.contains(Int(number)) else { throw MessageError("format \(number)") }
        self = formats[Int(number)]
    }
}
