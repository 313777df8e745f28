import Images

/// A packet from a worker to the pool.
public enum WorkerMessage: Hashable, Sendable {
    /// The worker is sandboxed and can take a job.
    /// `lacksAVIF`: its libraries cannot encode AVIF.
    case ready(Confinement, lacksAVIF: Bool = false)
    /// The result of a job. The bytes of its renditions follow in `bytes` packets, one rendition after another.
    case ended(job: UInt64, End, memory: Int64)
    case bytes(ArraySlice<UInt8>)
    /// The results of a survey's next originals.
    case results(job: UInt64, [End])
    /// An allocation of this many bytes failed during the current job.
    case refusedMemory(Int64)

    /// How far a worker could sandbox itself.
    public struct Confinement: Hashable, Sendable {
        /// It can open only the files that decoding needs (Landlock).
        public var files: Bool
        /// It can make only the system calls that decoding needs (seccomp).
        public var calls: Bool
        /// It gets no more threads than the server grants it (seccomp's user notification). The packet then carries the
        /// two descriptors of `Sandbox.ThreadRequests`.
        public var threads: Bool

        public init(files: Bool, calls: Bool, threads: Bool) {
            self.files = files
            self.calls = calls
            self.threads = threads
        }
    }

    /// The result of a job.
    public enum End: Hashable, Sendable {
        case made(RenderResponseHead)
        case failed(RenderError)
        /// The picture is heavy, and the job doesn't allow that.
        case heavy
    }

    /// The maximum length of a packet in bytes; several fit into a socket's default buffer.
    public static let packetLength = 60_000
    /// The maximum total size of an answer's renditions, in bytes.
    public static let maximumAnswer = 64 << 20

    private enum Kind: UInt8 {
        case ready = 1
        case ended = 2
        case bytes = 3
        case refusedMemory = 4
        case results = 5
    }

    /// The encoded packet.
    public var packet: [UInt8] {
        var writer = MessageWriter()
        switch self {
        case .ready(let confinement, let lacksAVIF):
            writer.number(Kind.ready.rawValue)
            writer.flag(confinement.files)
            writer.flag(confinement.calls)
            writer.flag(confinement.threads)
            writer.flag(lacksAVIF)
        case .ended(let job, let end, let memory):
            writer.number(Kind.ended.rawValue)
            writer.number(job)
            writer.number(memory)
            end.write(to: &writer)
        case .results(let job, let ends):
            writer.number(Kind.results.rawValue)
            writer.number(job)
            writer.number(UInt8(clamping: ends.count))
            for end in ends { end.write(to: &writer) }
        case .bytes(let bytes):
            writer.number(Kind.bytes.rawValue)
            writer.raw(bytes)
        case .refusedMemory(let count):
            writer.number(Kind.refusedMemory.rawValue)
            writer.number(count)
        }
        return writer.bytes
    }

    /// - Throws: `MessageError` for anything that a working worker does not send.
    public init(_ packet: ArraySlice<UInt8>) throws(MessageError) {
        var reader = MessageReader(packet)
        guard let kind = Kind(rawValue: try reader.number()) else { throw MessageError("of an unknown kind") }
        switch kind {
        case .ready:
            self = .ready(
                Confinement(files: try reader.flag(), calls: try reader.flag(), threads: try reader.flag()),
                lacksAVIF: try reader.flag())
        case .ended:
            let job = try reader.number(UInt64.self)
            // No worker uses a terabyte, and sums below it cannot overflow.
            let memory = try reader.integer(in: 0...1 << 40, "memory")
            let end = try End(&reader)
            self = .ended(job: job, end, memory: memory)
        case .bytes:
            self = .bytes(reader.rest)
            return
        case .results:
            let job = try reader.number(UInt64.self)
            var ends: [End] = []
            for _ in 0..<(try reader.number(UInt8.self)) { ends.append(try End(&reader)) }
            self = .results(job: job, ends)
        case .refusedMemory: self = .refusedMemory(try reader.integer(in: 0...Int64.max, "memory"))
        }
        try reader.end()
    }
}

extension WorkerMessage.End {
    fileprivate func write(to writer: inout MessageWriter) {
        switch self {
        case .made(let head):
            writer.number(UInt8(0))
            head.write(to: &writer)
        case .failed(let error):
            writer.number(error.reason.rawValue)
            writer.text(error.publicMessage, upTo: 300)
            writer.text(error.logDetail, upTo: 1_000)
            writer.optional(error.source) { $0.source($1) }
        case .heavy: writer.number(UInt8.max)
        }
    }

    fileprivate init(_ reader: inout MessageReader) throws(MessageError) {
        switch try reader.number(UInt8.self) {
        case 0: self = .made(try RenderResponseHead(&reader))
        case UInt8.max: self = .heavy
        case let number:
            guard let reason = RenderError.Reason(rawValue: number), reason.isForWorkers else {
                throw MessageError("reason \(number)")
            }
            let (message, detail) = (try reader.text(upTo: 300, "message"), try reader.text(upTo: 1_000, "detail"))
            var error = RenderError(reason, message, logDetail: detail)
            error.source = try reader.optional { reader throws(MessageError) in try reader.source() }
            self = .failed(error)
        }
    }
}

extension RenderError.Reason {
    /// Whether a worker may report this reason. The pool determines the others itself.
    fileprivate var isForWorkers: Bool {
        switch self {
        case .decoderDied, .tookTooLong, .tooMuchMemory, .unavailable, .waitedTooLong: false
        default: true
        }
    }
}

extension MessageWriter {
    mutating func source(_ source: SourceStatus) {
        for value in [source.size, source.modifiedSeconds, source.nanoseconds] { number(value) }
    }
}

extension MessageReader {
    mutating func source() throws(MessageError) -> SourceStatus {
        SourceStatus(size: try number(), modifiedSeconds: try number(), nanoseconds: try number())
    }
}
