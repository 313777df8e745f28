import Images

/// A job as it is sent to a worker: one packet, with the original's descriptor beside it.
public struct JobMessage: Hashable, Sendable {
    /// Names the job in the answer; never used twice by one pool.
    public let job: UInt64
    public let work: RenderJob.Work
    /// Descriptors that are sent beside the message: the originals, and after them the file that is to be written.
    public var descriptors: Int {
        switch work {
        case .survey(let count): count
        case .pyramid: 2
        case .examine, .make, .encode, .glimpse: 1
        }
    }
    /// Whether a picture that turns out to be heavy may be worked on. If not, the worker says so and lets go of it.
    public let mayBeHeavy: Bool

    public init(job: UInt64, work: RenderJob.Work, mayBeHeavy: Bool) {
        self.job = job
        self.work = work
        self.mayBeHeavy = mayBeHeavy
    }

    /// Bytes that no message of a pool exceeds.
    public static let maximumLength = 256

    public var bytes: [UInt8] {
        var writer = MessageWriter()
        writer.number(ToWorker.job.rawValue)
        writer.number(job)
        writer.flag(mayBeHeavy)
        switch work {
        case .examine: writer.number(UInt8(0))
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
        case .survey(let count):
            writer.number(UInt8(3))
            writer.number(UInt8(clamping: count))
        case .pyramid: writer.number(UInt8(4))
        case .glimpse(let format):
            writer.number(UInt8(5))
            writer.number(format.number)
        }
        return writer.bytes
    }

    fileprivate init(_ reader: inout MessageReader) throws(MessageError) {
        job = try reader.number()
        mayBeHeavy = try reader.flag()
        switch try reader.number(UInt8.self) {
        case 0: work = .examine
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
            guard (1...RenderJob.mostSurveyed).contains(count) else { throw MessageError("a survey of \(count)") }
            work = .survey(count)
        case 4: work = .pyramid
        case 5: work = .glimpse(try OutputFormat(number: try reader.number()))
        default: throw MessageError("a job of an unknown kind")
        }
        try reader.end()
    }
}

/// What the pool says to a worker.
public enum PoolMessage: Hashable, Sendable {
    case job(JobMessage)
    /// The job with this number need not be finished. Obeyed where the decoder lets it be, ignored elsewhere.
    case stop(UInt64)

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

    /// - Throws: `MessageError` for anything that a pool does not write.
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

/// The renditions in the order of their numbers in messages: append only.
private let renditions: [Rendition] = [
    .preview, .tile, .screen, .original, .step160, .step640, .step1280, .step2560, .full, .pyramid,
]
private let formats: [OutputFormat] = [.avif, .webp, .jpeg]

extension Rendition {
    var number: UInt8 { UInt8(renditions.firstIndex(of: self) ?? 0) }

    init(number: UInt8) throws(MessageError) {
        guard renditions.indices.contains(Int(number)) else { throw MessageError("rendition \(number)") }
        self = renditions[Int(number)]
    }
}

extension OutputFormat {
    var number: UInt8 { UInt8(formats.firstIndex(of: self) ?? 0) }

    init(number: UInt8) throws(MessageError) {
        guard formats.indices.contains(Int(number)) else { throw MessageError("format \(number)") }
        self = formats[Int(number)]
    }
}
