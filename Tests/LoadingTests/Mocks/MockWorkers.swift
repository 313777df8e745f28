import EventLoops
import Glibc
import Images
import Locking
import Renditions
import Scheduling

@testable import Loading
@testable import RenderWorkers

/// A real worker pool whose workers live in this process and render nothing: their output names the rendition and the
/// bytes it was made from. The test can hold them at the start of a job, and inject faults.
final class MockWorkers: Sendable {
    struct Render: Hashable {
        let rendition: Rendition
        let content: [UInt8]
    }

    /// What happens to a worker with a job.
    enum Fault: Sendable {
        /// It ends, like one whose decoder crashes.
        case dies
        case failure(RenderError)
    }

    private struct State {
        var longestSide = 4_000
        var isHeld = false
        var isProgressive = false
        var hasThumbnails = false
        var heedsStops = true
        var fault: Fault?
        var nextFault: Fault?
        var workers: [ObjectIdentifier: MockWorker] = [:]
    }

    let renders = Recorder<Render>()
    /// Prefixes of originals that were searched for an embedded preview.
    let glimpses = Recorder<[UInt8]>()
    /// Images that were found heavy and requeued.
    let heavies = Recorder<[UInt8]>()
    let stops = Recorder<Rendition>()
    let deaths = Recorder<Rendition>()
    private let state = Guarded(State())

    func pool(_ change: (inout RenderPool.Configuration) -> Void = { _ in }) throws -> RenderPool {
        var configuration = RenderPool.Configuration()
        change(&configuration)
        return try RenderPool(configuration: configuration, starter: Starter(fixture: self))
    }

    var isHeld: Bool {
        get { state.withLock { $0.isHeld } }
        set {
            let workers = state.withLock { state in
                state.isHeld = newValue
                return Array(state.workers.values)
            }
            if !newValue { for worker in workers { worker.onLoop { $0.proceed() } } }
        }
    }

    /// The longer side of every image in pixels. Images are twice as wide as high.
    var longestSide: Int {
        get { state.withLock { $0.longestSide } }
        set { state.withLock { $0.longestSide = newValue } }
    }

    var isProgressive: Bool {
        get { state.withLock { $0.isProgressive } }
        set { state.withLock { $0.isProgressive = newValue } }
    }

    /// Whether images have embedded previews.
    var hasThumbnails: Bool {
        get { state.withLock { $0.hasThumbnails } }
        set { state.withLock { $0.hasThumbnails = newValue } }
    }

    /// Whether a worker stops when asked. Otherwise it finishes before it receives the request.
    var heedsStops: Bool {
        get { state.withLock { $0.heedsStops } }
        set { state.withLock { $0.heedsStops = newValue } }
    }

    /// The fault of every job, if any.
    var fault: Fault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    /// The failure of every job, if any.
    var failure: RenderError? {
        get { nil }
        set { fault = newValue.map { .failure($0) } }
    }

    /// The failure of the next job to end.
    var nextFailure: RenderError? {
        get { nil }
        set { state.withLock { $0.nextFault = newValue.map { .failure($0) } } }
    }

    fileprivate func takeFault() -> Fault? {
        state.withLock { state in
            defer { state.nextFault = nil }
            return state.nextFault ?? state.fault
        }
    }

    fileprivate func came(_ worker: MockWorker) { state.withLock { $0.workers[ObjectIdentifier(worker)] = worker } }
    fileprivate func went(_ worker: MockWorker) { state.withLock { $0.workers[ObjectIdentifier(worker)] = nil } }

    static func picture(_ rendition: Rendition, _ format: OutputFormat, of content: [UInt8]) -> [UInt8] {
        Array("\(rendition.rawValue) \(format.rawValue) ".utf8) + content.prefix(64)
    }

    private struct Starter: WorkerStarting {
        let fixture: MockWorkers

        func start(on loop: EventLoop, onEvent: @escaping (WorkerEvent) -> Void) -> any RenderWorker {
            let worker = MockWorker(fixture, loop, onEvent)
            fixture.came(worker)
            worker.onLoop { $0.tell(.ready(.init(files: true, calls: true, threads: true))) }
            return worker
        }
    }
}

/// Used on the pool's loop only, except `onLoop`.
private final class MockWorker: RenderWorker, @unchecked Sendable {
    // Sendable because only the loop touches its members.
    private struct Task {
        let id: UInt64
        let wanted: [Rendition: OutputFormat]
        let content: [UInt8]
        let descriptor: Int32
        let output: Int32?

        var largest: Rendition { wanted.keys.max { ($0.longestSide ?? 0) < ($1.longestSide ?? 0) } ?? .tile }
    }

    private let fixture: MockWorkers
    private let loop: EventLoop
    private let events: (WorkerEvent) -> Void
    private var task: Task?
    private var hasGone = false

    init(_ fixture: MockWorkers, _ loop: EventLoop, _ events: @escaping (WorkerEvent) -> Void) {
        self.fixture = fixture
        self.loop = loop
        self.events = events
    }

    func onLoop(_ body: @escaping @Sendable (MockWorker) -> Void) { loop.execute { body(self) } }

    func tell(_ event: WorkerEvent) {
        guard !hasGone else { return }
        if case .gone = event { hasGone = true }
        events(event)
    }

    func begin(_ job: RenderJob, id: UInt64, mayBeHeavy: Bool) {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = pread(job.descriptors[0], &buffer, buffer.count, 0)
        let content = Array(buffer.prefix(max(0, count)))
        let source = Self.status(job.descriptors[0])
        let isDrawing = content.starts(with: Array("<svg".utf8))
        if content.starts(with: Array("<html".utf8)) {
            var error = RenderError(.notAnImage, "This is no picture.")
            error.source = source
            return onLoop { [error] in $0.tell(.ended(.failure(error), memory: 0)) }
        }
        let wanted: [Rendition: OutputFormat]
        switch job.work {
        case .make(let renditions): wanted = renditions
        case .pyramid: wanted = [.pyramid: .jpeg]
        case .partialDecode(let format):
            fixture.glimpses.record(content)
            guard fixture.hasThumbnails else {
                let error = RenderError(.truncated, "It shows nothing.")
                return onLoop { $0.tell(.ended(.failure(error), memory: 0)) }
            }
            wanted = [.preview: format]
        default:
            var metadata = metadata(of: content)
            metadata.placeholder = nil
            let answer = RenderResult(metadata: metadata, source: source)
            return onLoop { $0.tell(.ended(.success(answer), memory: 0)) }
        }
        guard mayBeHeavy || !(isDrawing || fixture.isProgressive) else {
            fixture.heavies.record(content)
            return onLoop { $0.tell(.heavy) }
        }
        let task = Task(id: id, wanted: wanted, content: content, descriptor: job.descriptors[0], output: job.output)
        fixture.renders.record(.init(rendition: task.largest, content: content))
        self.task = task
        if !fixture.isHeld { onLoop { $0.proceed() } }
    }

    func proceed() {
        guard let task else { return }
        self.task = nil
        // The status at the end of the job.
        let source = Self.status(task.descriptor)
        switch fixture.takeFault() {
        case .dies:
            fixture.deaths.record(task.largest)
            fixture.went(self)
            tell(.gone("signal 6; it was told to", byOthers: false))
        case .failure(var error):
            error.source = source
            tell(.ended(.failure(error), memory: 0))
        case nil:
            var answer = RenderResult(metadata: metadata(of: task.content), source: source)
            if let output = task.output {
                let bytes = MockWorkers.picture(.pyramid, .jpeg, of: task.content)
                _ = pwrite(output, bytes, bytes.count, 0)
            }
            for (rendition, format) in task.wanted where rendition != .pyramid {
                let side = min(fixture.longestSide, rendition.longestSide ?? .max)
                answer.renditions[rendition] = Rendered(
                    bytes: MockWorkers.picture(rendition, format, of: task.content), format: format, width: side,
                    height: side / 2)
            }
            tell(.ended(.success(answer), memory: 0))
        }
    }

    var wasStarved: Bool { false }
    func hasAdvanced() -> Bool { true }
    var isUninterruptible: Bool { false }

    func stop(_ job: UInt64) {
        guard let task, task.id == job else { return }
        fixture.stops.record(task.largest)
        guard fixture.heedsStops else { return }
        self.task = nil
        onLoop { $0.tell(.ended(.failure(RenderError(.stopped, "Stopped.")), memory: 0)) }
    }

    func kill() {
        task = nil
        fixture.went(self)
        onLoop { $0.tell(.gone("killed", byOthers: false)) }
    }

    private func metadata(of content: [UInt8]) -> ImageMetadata {
        var metadata = ImageMetadata()
        metadata.width = fixture.longestSide
        metadata.height = fixture.longestSide / 2
        metadata.mediaType = content.starts(with: Array("<svg".utf8)) ? "image/svg+xml" : "image/jpeg"
        metadata.placeholder = [1, 2, 3]
        return metadata
    }

    private static func status(_ descriptor: Int32) -> SourceStatus {
        var status = stat()
        fstat(descriptor, &status)
        return SourceStatus(
            size: Int64(status.st_size), modifiedSeconds: Int64(status.st_mtim.tv_sec),
            nanoseconds: Int64(status.st_mtim.tv_nsec))
    }
}
