import Dispatch
import Renditions
import Synchronization

/// Draws and encodes pictures off the event loops, a limited number at a time, and caches the latest. Callable from
/// any thread.
final class PictureRenderer: Sendable {
    /// Too many pictures are waiting to be drawn.
    struct QueueFull: Error {}

    private struct Job {
        let picture: NumberedPicture
        let continuation: CheckedContinuation<[UInt8], any Error>
    }

    private struct State {
        var waiting: [UInt64: Job] = [:]
        /// The waiting jobs in order of arrival; may still contain cancelled ones.
        var queue: [UInt64] = []
        var nextInQueue = 0
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

    /// The picture as a JPEG file. Throws ``QueueFull``, or `CancellationError` if the task is cancelled before the
    /// picture is drawn.
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
        // Read outside the lock, because the cancellation handler takes it.
        let isCancelled = Task.isCancelled
        let refusal: (any Error)? = state.withLock { state in
            if isCancelled { return CancellationError() }
            guard state.waiting.count < limit else { return QueueFull() }
            state.waiting[id] = job
            state.queue.append(id)
            return nil
        }
        if let refusal { return job.continuation.resume(throwing: refusal) }
        guard let painter = state.withLock({ $0.idle.popLast() }) else { return }
        queues[painter].async { [self] in work(as: painter) }
    }

    /// Draws one picture after another. The painter also waits while a picture is encoded, so that no more pictures
    /// are in progress than there are painters.
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

    /// The next job that has not been cancelled; if there is none, the painter becomes idle.
    private func next(for painter: Int) -> Job? {
        state.withLock { state in
            while state.nextInQueue < state.queue.count {
                let id = state.queue[state.nextInQueue]
                state.nextInQueue += 1
                if state.nextInQueue > 1_024, state.nextInQueue * 2 > state.queue.count {
                    state.queue.removeFirst(state.nextInQueue)
                    state.nextInQueue = 0
                }
                if let job = state.waiting.removeValue(forKey: id) { return job }
            }
            state.idle.append(painter)
            return nil
        }
    }
}

/// The latest pictures, as many as fit. A plain FIFO suffices, since pictures are cheap to draw again.
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
