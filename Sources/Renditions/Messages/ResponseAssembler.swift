import Images

/// Assembles the packets of one worker without trusting them: every packet must be one that the current job allows at
/// this point, every size must be within its bounds, and every file must be in a requested format.
///
/// A pure value: packets go in, events come out.
public struct ResponseAssembler: Sendable {
    /// What a packet has completed.
    public enum Event: Hashable, Sendable {
        case ready(WorkerMessage.Confinement, lacksAVIF: Bool = false)
        case ended(job: UInt64, Result<RenderResult, RenderError>, memory: Int64)
        case heavy(job: UInt64)
        case refusedMemory(Int64)
    }

    private struct Arriving: Sendable {
        let job: UInt64
        let head: RenderResponseHead
        let memory: Int64
        let length: Int
    }

    private var isReady = false
    private var expected: (job: UInt64, work: RenderJob.Work, mayBeHeavy: Bool)?
    private var wasRefusedMemory = false
    private var arriving: Arriving?
    private var bytes: [UInt8] = []
    private var fileResults: [RenderResult.FileResult] = []

    public init() {}

    /// Announces the job that the worker has been given. It must have answered the previous one.
    public mutating func expect(_ work: RenderJob.Work, job: UInt64, mayBeHeavy: Bool) {
        expected = (job, work, mayBeHeavy)
        wasRefusedMemory = false
        arriving = nil
        fileResults = []
    }

    /// - Returns: The event that the packet completes; nil if more packets must follow.
    /// - Throws: `MessageError` if the worker can no longer be trusted.
    public mutating func take(_ packet: ArraySlice<UInt8>) throws(MessageError) -> Event? {
        switch try WorkerMessage(packet) {
        case .ready(let confinement, let lacksAVIF):
            guard !isReady else { throw MessageError("ready twice") }
            isReady = true
            return .ready(confinement, lacksAVIF: lacksAVIF)
        case .refusedMemory(let count):
            guard expected != nil, !wasRefusedMemory else { throw MessageError("an unexpected memory report") }
            wasRefusedMemory = true
            return .refusedMemory(count)
        case .ended(let job, let end, let memory):
            guard isReady, let expected, expected.job == job, arriving == nil else {
                throw MessageError("the end of a job that is not running")
            }
            switch end {
            case .heavy:
                guard !expected.mayBeHeavy else { throw MessageError("a heavy job is found heavy") }
                return over(.heavy(job: job))
            case .failed(let error): return over(.ended(job: job, .failure(error), memory: memory))
            case .made(let head):
                try head.check(against: expected.work)
                guard fileResults.count == expected.work.batchSize else {
                    throw MessageError("a batch of \(fileResults.count) originals")
                }
                let length = head.parts.reduce(0) { $0 + $1.length }
                arriving = Arriving(job: job, head: head, memory: memory, length: length)
                bytes = []
                bytes.reserveCapacity(length)
                return length == 0 ? try complete() : nil
            }
        case .results(let job, let ends):
            guard isReady, let expected, expected.job == job, arriving == nil,
                expected.work.batchSize > 0, fileResults.count + ends.count <= expected.work.batchSize
            else { throw MessageError("an unexpected file result") }
            for end in ends {
                switch end {
                case .made(let head):
                    try head.check(against: expected.work)
                    fileResults.append(.metadata(head.metadata, head.source))
                case .failed(let error): fileResults.append(.failed(error))
                case .heavy: fileResults.append(.skipped)
                }
            }
            return nil
        case .bytes(let more):
            guard let length = arriving?.length, !more.isEmpty, bytes.count + more.count <= length else {
                throw MessageError("unexpected bytes")
            }
            bytes += more
            return bytes.count == length ? try complete() : nil
        }
    }

    private mutating func over(_ event: Event) -> Event {
        expected = nil
        arriving = nil
        bytes = []
        fileResults = []
        return event
    }

    private mutating func complete() throws(MessageError) -> Event? {
        guard let arrived = arriving else { return nil }
        var answer = RenderResult(metadata: arrived.head.metadata, source: arrived.head.source)
        answer.fileResults = fileResults
        var position = 0
        for part in arrived.head.parts {
            let file = Array(bytes[position..<position + part.length])
            position += part.length
            guard let kind = FileFormat(of: file), kind == FileFormat(part.format) || part.mayBeOriginal(kind) else {
                throw MessageError("a file that is no \(part.format.rawValue)")
            }
            let rendered = Rendered(
                bytes: file, format: part.format, file: kind, width: part.width, height: part.height)
            if let rendition = part.rendition {
                answer.renditions[rendition] = rendered
            } else {
                answer.encoded = rendered
            }
        }
        return over(.ended(job: arrived.job, .success(answer), memory: arrived.memory))
    }
}

extension RenderJob.Work {
    /// The number of originals that are reported one by one.
    fileprivate var batchSize: Int {
        switch self {
        case .readMetadataOfAll(let count): count
        case .readSidecars(let formats): formats.count
        default: 0
        }
    }
}

extension RenderResponseHead.Part {
    /// Whether the file may be an original that is sent unchanged.
    fileprivate func mayBeOriginal(_ kind: FileFormat) -> Bool {
        rendition != nil && rendition != .preview && kind.suits(format)
    }
}
