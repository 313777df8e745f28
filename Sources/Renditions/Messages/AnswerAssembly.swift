import Images

/// Puts the packets of one worker together, believing nothing: every packet must be one that the job under way allows at
/// this point, every size within its bounds, and every file one of the format that was asked for.
///
/// A pure value: packets in, events out.
public struct AnswerAssembly: Sendable {
    public enum Event: Hashable, Sendable {
        case ready(WorkerMessage.Confinement)
        case ended(job: UInt64, Result<RenderAnswer, RenderError>, memory: Int64)
        case heavy(job: UInt64)
        case refusedMemory(Int64)
    }

    private struct Arriving: Sendable {
        let job: UInt64
        let head: AnswerHead
        let memory: Int64
        let length: Int
    }

    private var isReady = false
    private var expected: (job: UInt64, work: RenderJob.Work, mayBeHeavy: Bool)?
    private var wasRefusedMemory = false
    private var arriving: Arriving?
    private var bytes: [UInt8] = []
    private var visits: [RenderAnswer.Visit] = []

    public init() {}

    /// The worker has been given this job; it must have answered the one before.
    public mutating func expect(_ work: RenderJob.Work, job: UInt64, mayBeHeavy: Bool) {
        expected = (job, work, mayBeHeavy)
        wasRefusedMemory = false
        arriving = nil
        visits = []
    }

    /// - Returns: What the packet completes; nil when there is more to come.
    /// - Throws: `MessageError` when the worker must not be listened to any longer.
    public mutating func take(_ packet: ArraySlice<UInt8>) throws(MessageError) -> Event? {
        switch try WorkerMessage(packet) {
        case .ready(let confinement):
            guard !isReady else { throw MessageError("ready twice") }
            isReady = true
            return .ready(confinement)
        case .refusedMemory(let count):
            guard expected != nil, !wasRefusedMemory else { throw MessageError("memory that nobody asked for") }
            wasRefusedMemory = true
            return .refusedMemory(count)
        case .ended(let job, let end, let memory):
            guard isReady, let expected, expected.job == job, arriving == nil else {
                throw MessageError("the end of a job that is not under way")
            }
            switch end {
            case .heavy:
                guard !expected.mayBeHeavy else { throw MessageError("a heavy job is found heavy") }
                return over(.heavy(job: job))
            case .failed(let error): return over(.ended(job: job, .failure(error), memory: memory))
            case .made(let head):
                try head.check(against: expected.work)
                guard visits.count == expected.work.surveyed else {
                    throw MessageError("a survey of \(visits.count) originals")
                }
                let length = head.parts.reduce(0) { $0 + $1.length }
                arriving = Arriving(job: job, head: head, memory: memory, length: length)
                bytes = []
                bytes.reserveCapacity(length)
                return length == 0 ? try complete() : nil
            }
        case .visited(let job, let ends):
            guard isReady, let expected, expected.job == job, arriving == nil, case .survey(let count) = expected.work,
                visits.count + ends.count <= count
            else { throw MessageError("a visit that nobody waits for") }
            for end in ends {
                switch end {
                case .made(let head):
                    try head.check(against: expected.work)
                    visits.append(.examined(head.facts, head.source))
                case .failed(let error): visits.append(.failed(error))
                case .heavy: visits.append(.left)
                }
            }
            return nil
        case .bytes(let more):
            guard let length = arriving?.length, !more.isEmpty, bytes.count + more.count <= length else {
                throw MessageError("bytes that nobody waits for")
            }
            bytes += more
            return bytes.count == length ? try complete() : nil
        }
    }

    private mutating func over(_ event: Event) -> Event {
        expected = nil
        arriving = nil
        bytes = []
        visits = []
        return event
    }

    private mutating func complete() throws(MessageError) -> Event? {
        guard let arrived = arriving else { return nil }
        var answer = RenderAnswer(facts: arrived.head.facts, source: arrived.head.source)
        answer.visits = visits
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
    /// Originals that are told of in visits.
    fileprivate var surveyed: Int { if case .survey(let count) = self { count } else { 0 } }
}

extension AnswerHead.Part {
    /// Whether its file may be an original that is sent as it is.
    fileprivate func mayBeOriginal(_ kind: FileFormat) -> Bool {
        rendition != nil && rendition != .preview && kind.suits(format)
    }
}
