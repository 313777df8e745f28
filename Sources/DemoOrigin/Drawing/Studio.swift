import Dispatch
import Renditions
import Synchronization

/// Has pictures drawn and encoded off the loops, so many at a time, and keeps the last ones. From any thread.
final class Studio: Sendable {
    /// More wait to be drawn than may.
    struct Crowded: Error {}

    private struct Job {
        let picture: NumberedPicture
        let continuation: CheckedContinuation<[UInt8], any Error>
    }

    private struct State {
        var waiting: [UInt64: Job] = [:]
        /// In the order in which they came; may name some that have been cancelled.
        var line: [UInt64] = []
        var nextInLine = 0
        var jobs: UInt64 = 0
        var idle: [Int]
        var cache: PictureCache
    }

    private let seed: UInt64
    private let limit: Int
    private let queues: [DispatchQueue]
    private let encoder: any PixelEncoding
    private let state: Mutex<State>

    init(_ configuration: DemoOrigin.Configuration, encoder: any PixelEncoding) {
        self.encoder = encoder
        seed = configuration.seed
        limit = configuration.waitingPictures
        queues = (0..<configuration.painters).map { DispatchQueue(label: "tessera.demo.painter.\($0)") }
        state = Mutex(
            State(idle: Array(queues.indices), cache: PictureCache(maximumBytes: configuration.cacheBytes)))
    }

    /// The picture as a JPEG file. Throws ``Crowded``, or `CancellationError` when the task is cancelled before its
    /// turn.
    func file(_ picture: NumberedPicture) async throws -> [UInt8] {
        if let bytes = state.withLock({ $0.cache.bytes(picture) }) { return bytes }
        let id = state.withLock { state in
            state.jobs += 1
            return state.jobs
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(Job(picture: picture, continuation: continuation), id)
            }
        } onCancel: {
            let job = state.withLock { $0.waiting.removeValue(forKey: id) }
            job?.continuation.resume(throwing: CancellationError())
        }
    }

    private func enqueue(_ job: Job, _ id: UInt64) {
        // Read outside of the lock: the cancel's handler takes it.
        let isCancelled = Task.isCancelled
        let refusal: (any Error)? = state.withLock { state in
            if isCancelled { return CancellationError() }
            guard state.waiting.count < limit else { return Crowded() }
            state.waiting[id] = job
            state.line.append(id)
            return nil
        }
        if let refusal { return job.continuation.resume(throwing: refusal) }
        guard let painter = state.withLock({ $0.idle.popLast() }) else { return }
        queues[painter].async { [self] in work(as: painter) }
    }

    /// One picture after the other; while one is encoded, the painter waits for it, so that no more are under way than
    /// there are painters.
    private func work(as painter: Int) {
        while let job = next(for: painter) {
            if let bytes = state.withLock({ $0.cache.bytes(job.picture) }) {
                job.continuation.resume(returning: bytes)
                continue
            }
            return job.picture.encode(seed: seed, with: encoder) { [self] result in
                if case .success(let bytes) = result { state.withLock { $0.cache.insert(job.picture, bytes) } }
                job.continuation.resume(with: result)
                queues[painter].async { [self] in work(as: painter) }
            }
        }
    }

    /// The next job that was not cancelled; the painter rests if there is none.
    private func next(for painter: Int) -> Job? {
        state.withLock { state in
            while state.nextInLine < state.line.count {
                let id = state.line[state.nextInLine]
                state.nextInLine += 1
                if state.nextInLine > 1_024, state.nextInLine * 2 > state.line.count {
                    state.line.removeFirst(state.nextInLine)
                    state.nextInLine = 0
                }
                if let job = state.waiting.removeValue(forKey: id) { return job }
            }
            state.idle.append(painter)
            return nil
        }
    }
}

/// The pictures drawn last, as many as fit. A plain queue will do: pictures are cheap to draw again.
struct PictureCache {
    private let maximumBytes: Int
    private(set) var byteCount = 0
    private var files: [NumberedPicture: [UInt8]] = [:]
    private var order: [NumberedPicture] = []
    private var oldest = 0

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    func bytes(_ picture: NumberedPicture) -> [UInt8]? { files[picture] }

    mutating func insert(_ picture: NumberedPicture, _ bytes: [UInt8]) {
        guard bytes.count <= maximumBytes, files[picture] == nil else { return }
        files[picture] = bytes
        order.append(picture)
        byteCount += bytes.count
        while byteCount > maximumBytes {
            byteCount -= files.removeValue(forKey: order[oldest])?.count ?? 0
            oldest += 1
        }
        if oldest > 256, oldest * 2 > order.count {
            order.removeFirst(oldest)
            oldest = 0
        }
    }
}
