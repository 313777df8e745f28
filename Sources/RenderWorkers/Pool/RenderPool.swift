import EventLoops
import Glibc
import Locking
import Logging
import Renditions
import Scheduling
import Synchronization

/// A pool of render workers and the queue in front of them. Decoders run in separate processes, which may crash, hang
/// or use too much memory without harm to any image but their own.
///
/// All state belongs to the pool's event loop.
public final class RenderPool: Rendering {
    private typealias JobID = PoolMachine.JobID
    private typealias WorkerID = PoolMachine.WorkerID

    private struct Job {
        let job: RenderJob
        let deliver: @Sendable (Result<RenderResult, RenderError>) -> Void
    }

    private struct State {
        var machine: PoolMachine
        var jobs: [JobID: Job] = [:]
        var workers: [WorkerID: any RenderWorker] = [:]
        /// The job of each worker, abandoned or not.
        var tasks: [WorkerID: JobID] = [:]
        /// For each job, how the last worker that died running it ended.
        var exitReports: [JobID: (how: String, byOthers: Bool)] = [:]
        var timer: LoopTimer?
        var isStopped = false
        /// The last message logged about each subject.
        var complaints: [String: String] = [:]
        /// What workers could not be confined in, as far as it has been logged.
        var notes: Set<String> = []
        /// Whether any worker so far could encode AVIF.
        var hasEncodedAVIF = false
        var whenEmpty: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: Configuration
    private let loop: EventLoop
    private let starter: any WorkerStarting
    private let lastJob = Atomic<JobID>(0)
    private let published = Guarded(WorkerStatistics())
    /// Invariant: read and written on `loop` only.
    nonisolated(unsafe) private var state: State

    /// Creates a pool of real workers, and starts the first at once.
    ///
    /// - Parameter program: The path of `tessera-renderer`.
    /// - Throws: `RenderLimits.Invalid`; `LoopError` when the process has no descriptors left.
    public convenience init(configuration: Configuration = Configuration(), program: String) throws {
        try self.init(
            configuration: configuration,
            starter: ProcessStarter(
                program: program, limits: configuration.limits, threadLimit: configuration.threadsPerWorker))
    }

    init(configuration: Configuration, starter: any WorkerStarting) throws {
        try configuration.validate()
        self.configuration = configuration
        self.starter = starter
        loop = try EventLoop(label: "tessera.rendering")
        state = State(machine: PoolMachine(configuration))
        on { $0.perform($0.state.machine.settle(Self.now())) }
    }

    public var statistics: WorkerStatistics { published.withLock { $0 } }

    // MARK: - From any thread

    public func render(
        _ job: RenderJob, priority: Priority,
        deliver: @escaping @Sendable (Result<RenderResult, RenderError>) -> Void
    ) -> any RenderHandle {
        let id = lastJob.wrappingAdd(1, ordering: .relaxed).newValue
        on { pool in
            guard !pool.state.isStopped else { return deliver(.failure(.unavailable("the pool has ended"))) }
            pool.state.jobs[id] = Job(job: job, deliver: deliver)
            pool.perform(
                pool.state.machine.submit(
                    id, job.work, in: job.group, isHeavy: job.isKnownHeavy, priority: priority, now: Self.now()))
        }
        return Handle(id: id, pool: self)
    }

    private struct Handle: RenderHandle {
        let id: JobID
        let pool: RenderPool

        func cancel() { pool.on { $0.cancel(id) } }

        func reprioritise(_ priority: Priority) {
            pool.on { $0.perform($0.state.machine.reprioritise(id, to: priority, now: RenderPool.now())) }
        }
    }

    /// Fails the waiting jobs, ends all workers, and returns when the last has ended.
    public func stop() async {
        await withCheckedContinuation { continuation in
            on { pool in
                pool.state.isStopped = true
                pool.state.whenEmpty.append(continuation)
                pool.perform(pool.state.machine.stopAll(Self.now()))
            }
        }
        await loop.stop()
    }

    // MARK: - On the loop

    private func on(_ body: @escaping @Sendable (RenderPool) -> Void) {
        loop.execute {
            body(self)
            self.becomeIdle()
        }
    }

    private func cancel(_ id: JobID) {
        let effects = state.machine.cancel(id, now: Self.now())
        // A running job is kept for its answer; any other is removed now.
        if !state.tasks.values.contains(id) { state.jobs[id] = nil }
        state.exitReports[id] = nil
        perform(effects)
    }

    private func perform(_ effects: [PoolMachine.Effect]) {
        // Publish the statistics before anyone can see the results of the event.
        publish()
        for effect in effects {
            switch effect {
            case .start(let id): start(id)
            case .begin(let job, let worker, let mayBeHeavy):
                guard let known = state.jobs[job] else { continue }
                state.tasks[worker] = job
                state.workers[worker]?.begin(known.job, id: job, mayBeHeavy: mayBeHeavy)
            case .stop(let job, let worker): state.workers[worker]?.stop(job)
            case .kill(let worker): state.workers[worker]?.kill()
            case .fail(let job, let failure): end(job, .failure(error(failure, of: job)))
            }
        }
    }

    private func start(_ id: WorkerID) {
        guard !state.isStopped else { return }
        // The worker is stored before its first event arrives, because its events come in later iterations of the loop.
        state.workers[id] = starter.start(on: loop) { [weak self] event in
            guard let self else { return }
            handle(event, of: id)
            becomeIdle()
        }
    }

    private func handle(_ event: WorkerEvent, of id: WorkerID) {
        let now = Self.now()
        switch event {
        case .ready(let confinement, let lacksAVIF):
            // A worker that could not encode it once, although others can, changes nothing.
            state.hasEncodedAVIF = state.hasEncodedAVIF || !lacksAVIF
            OutputFormat.setAVIFUnavailable(!state.hasEncodedAVIF)
            if !state.hasEncodedAVIF {
                noteOnce(
                    "libheif has no AVIF encoder, so clients get WebP or JPEG. On Debian 13 or newer, install"
                        + " libheif-plugin-aomenc.")
            }
            ready(id, confinement, now)
        case .refusedMemory(let count):
            state.machine.refusedMemory(id)
            configuration.logger.debug("A render worker was refused memory.", metadata: ["bytes": "\(count)"])
        case .heavy:
            let job = state.tasks.removeValue(forKey: id)
            perform(state.machine.foundHeavy(id, now: now))
            if let job { forgetUnlessWanted(job) }
        case .ended(let result, let memory):
            let job = state.tasks.removeValue(forKey: id)
            var isStopped = false
            if case .failure(let error) = result, error.reason == .stopped { isStopped = true }
            let (endsJob, effects) = state.machine.answered(id, isStopped: isStopped, memory: memory, now: now)
            perform(effects)
            if let job { endsJob ? end(job, result) : deliverAnyway(job, result) }
        case .gone(let how, let byOthers):
            state.workers[id] = nil
            let job = state.tasks.removeValue(forKey: id)
            let before = state.machine.counts
            if let job { state.exitReports[job] = (how, byOthers) }
            let effects = state.machine.ended(id, now: now)
            let counts = state.machine.counts
            if counts.deaths > before.deaths { logOnce(Self.death, how) }
            if counts.failedStarts > before.failedStarts { logOnce("A render worker could not be started.", how) }
            perform(effects)
            if let job { forgetUnlessWanted(job) }
        }
    }

    private func ready(_ id: WorkerID, _ confinement: WorkerMessage.Confinement, _ now: Duration) {
        state.machine.counts.confinement = confinement
        if !confinement.files { noteOnce("The kernel lacks Landlock: the workers' file access is not restricted.") }
        if confinement.calls, !confinement.threads {
            noteOnce(
                "The workers' threads are not limited: the kernel is older than Linux 5.7, or the container runtime uses"
                    + " seccomp's notifications itself.")
        }
        guard confinement.calls || configuration.allowsUnconfined else {
            logOnce("A render worker cannot be sandboxed, so nothing is decoded.", "no seccomp")
            state.workers[id]?.kill()
            return
        }
        perform(state.machine.ready(id, now: now))
    }

    private func noteOnce(_ text: String) {
        if state.notes.insert(text).inserted { configuration.logger.notice("\(text)") }
    }

    private func end(_ id: JobID, _ result: Result<RenderResult, RenderError>) {
        state.exitReports[id] = nil
        state.jobs.removeValue(forKey: id)?.deliver(result)
    }

    /// Delivers a successful result of an abandoned job, since it is still of use.
    private func deliverAnyway(_ id: JobID, _ result: Result<RenderResult, RenderError>) {
        guard !state.machine.isWanted(id), let job = state.jobs.removeValue(forKey: id) else { return }
        if case .success = result { job.deliver(result) }
    }

    private func forgetUnlessWanted(_ id: JobID) {
        guard !state.machine.isWanted(id), !state.tasks.values.contains(id) else { return }
        state.jobs[id] = nil
        state.exitReports[id] = nil
    }

    private func error(_ failure: PoolMachine.Failure, of job: JobID) -> RenderError {
        let (how, byOthers) = state.exitReports[job] ?? ("", false)
        switch failure {
        case .died where byOthers: return .unavailable("its worker was killed twice, from outside: \(how)")
        case .died(forMemory: false): return .decoderDied(how)
        case .died(forMemory: true): return .tooMuchMemory(limit: configuration.limits.memory, how)
        case .tookTooLong: return .tookTooLong("its worker was ended")
        case .sourceHangs: return .sourceHangs("its worker waits for a read")
        case .waitedTooLong: return .waitedTooLong
        case .unavailable: return .unavailable(state.complaints.values.sorted().joined(separator: "; "))
        }
    }

    private static let death = "A render worker died."

    /// Logs what went wrong. Repeated failed starts with the same reason are logged once.
    private func logOnce(_ what: String, _ how: String) {
        if state.complaints[what] != how || what == Self.death {
            configuration.logger.warning("\(what)", metadata: ["how": "\(how)"])
        }
        if what != Self.death { state.complaints[what] = how }
    }

    /// After every event: sets the timer for the next due time, and publishes the statistics.
    private func becomeIdle() {
        let now = Self.now()
        state.timer?.cancel()
        state.timer = nil
        if let next = state.machine.nextMoment() {
            state.timer = loop.schedule(after: max(.zero, next - now)) { [weak self] in
                guard let self else { return }
                let now = Self.now()
                for id in state.machine.workersToCheck(now) {
                    guard let worker = state.workers[id] else { continue }
                    state.machine.recordCheck(
                        of: id, hasAdvanced: worker.hasAdvanced(), isUninterruptible: worker.isUninterruptible,
                        now: now)
                }
                for id in state.machine.overdue(now) where state.workers[id]?.wasStarved == true {
                    state.machine.extend(id)
                }
                perform(state.machine.tick(now))
                becomeIdle()
            }
        }
        publish()
        if state.isStopped, state.workers.keys.allSatisfy({ state.machine.workers[$0]?.isHung == true }) {
            for continuation in state.whenEmpty { continuation.resume() }
            state.whenEmpty = []
        }
    }

    private func publish() {
        let statistics = state.machine.statistics
        published.withLock { $0 = statistics }
    }

    private static func now() -> Duration { .read(CLOCK_MONOTONIC) }
}
