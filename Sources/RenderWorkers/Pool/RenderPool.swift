import EventLoops
import Glibc
import Locking
import Logging
import Renditions
import Scheduling
import Synchronization

/// Render workers and the line in front of them: decoders work in processes of their own, which may crash, hang and bloat
/// without harm to anybody but the picture that made them.
///
/// All of its state belongs to its event loop.
public final class RenderPool: Rendering {
    private typealias JobID = PoolMachine.JobID
    private typealias WorkerID = PoolMachine.WorkerID

    private struct Job {
        let job: RenderJob
        let deliver: @Sendable (Result<RenderAnswer, RenderError>) -> Void
    }

    private struct State {
        var machine: PoolMachine
        var jobs: [JobID: Job] = [:]
        var workers: [WorkerID: any RenderWorker] = [:]
        /// What each worker is at, wanted or not.
        var tasks: [WorkerID: JobID] = [:]
        /// How the last worker ended that died over a job.
        var obituaries: [JobID: (how: String, byOthers: Bool)] = [:]
        var timer: LoopTimer?
        var isStopped = false
        /// What was said in the log last, by its subject.
        var complaints: [String: String] = [:]
        var isToldOfFiles = false
        var whenEmpty: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: Configuration
    private let loop: EventLoop
    private let starter: any WorkerStarting
    private let lastJob = Atomic<JobID>(0)
    private let published = Guarded(WorkerStatistics())
    /// Invariant: read and written on `loop` only.
    nonisolated(unsafe) private var state: State

    /// A pool of real workers. The first is started at once.
    ///
    /// - Parameter program: The path of `tessera-renderer`.
    /// - Throws: `RenderLimits.Invalid`; `LoopError` when the process has no descriptors left.
    public convenience init(configuration: Configuration = Configuration(), program: String) throws {
        try self.init(
            configuration: configuration,
            starter: ProcessStarter(program: program, limits: configuration.limits))
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
        deliver: @escaping @Sendable (Result<RenderAnswer, RenderError>) -> Void
    ) -> any RenderHandle {
        let id = lastJob.wrappingAdd(1, ordering: .relaxed).newValue
        on { pool in
            guard !pool.state.isStopped else { return deliver(.failure(.unavailable("the pool has ended"))) }
            pool.state.jobs[id] = Job(job: job, deliver: deliver)
            pool.perform(
                pool.state.machine.submit(
                    id, job.work, isHeavy: job.isKnownHeavy, priority: priority, now: Self.now()))
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

    /// Fails what waits, ends all workers, and comes back when the last has ended.
    public func stop() async {
        await withCheckedContinuation { continuation in
            on { pool in
                pool.state.isStopped = true
                pool.state.whenEmpty.append(continuation)
                pool.perform(pool.state.machine.stopAll())
            }
        }
        await loop.stop()
    }

    // MARK: - On the loop

    private func on(_ body: @escaping @Sendable (RenderPool) -> Void) {
        loop.execute {
            body(self)
            self.settleDown()
        }
    }

    private func cancel(_ id: JobID) {
        let effects = state.machine.cancel(id, now: Self.now())
        // What is under way is kept for its answer; the rest goes now.
        if !state.tasks.values.contains(id) { state.jobs[id] = nil }
        state.obituaries[id] = nil
        perform(effects)
    }

    private func perform(_ effects: [PoolMachine.Effect]) {
        // The figures tell of what happened before anybody can see it.
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
        // The worker is told of before it can tell of itself: its events come in later turns of the loop.
        state.workers[id] = starter.start(on: loop) { [weak self] event in
            guard let self else { return }
            hear(event, of: id)
            settleDown()
        }
    }

    private func hear(_ event: WorkerEvent, of id: WorkerID) {
        let now = Self.now()
        switch event {
        case .ready(let confinement): ready(id, confinement, now)
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
            if let job { endsJob ? end(job, result) : salvage(job, result) }
        case .gone(let how, let byOthers):
            state.workers[id] = nil
            let job = state.tasks.removeValue(forKey: id)
            let before = state.machine.counts
            if let job { state.obituaries[job] = (how, byOthers) }
            let effects = state.machine.ended(id, now: now)
            let counts = state.machine.counts
            if counts.deaths > before.deaths { complain(Self.death, how) }
            if counts.failedStarts > before.failedStarts { complain("A render worker could not be started.", how) }
            perform(effects)
            if let job { forgetUnlessWanted(job) }
        }
    }

    private func ready(_ id: WorkerID, _ confinement: WorkerMessage.Confinement, _ now: Duration) {
        state.machine.counts.confinement = confinement
        if !confinement.files, !state.isToldOfFiles {
            state.isToldOfFiles = true
            configuration.logger.notice("The kernel has no Landlock: what files workers may read is not limited.")
        }
        guard confinement.calls || configuration.allowsUnconfined else {
            complain("A render worker cannot be locked in, so that nothing is decoded.", "no seccomp")
            state.workers[id]?.kill()
            return
        }
        perform(state.machine.ready(id, now: now))
    }

    private func end(_ id: JobID, _ result: Result<RenderAnswer, RenderError>) {
        state.obituaries[id] = nil
        state.jobs.removeValue(forKey: id)?.deliver(result)
    }

    /// An answer that came although its worker had been left: it is of use if it is one.
    private func salvage(_ id: JobID, _ result: Result<RenderAnswer, RenderError>) {
        guard !state.machine.isWanted(id), let job = state.jobs.removeValue(forKey: id) else { return }
        if case .success = result { job.deliver(result) }
    }

    private func forgetUnlessWanted(_ id: JobID) {
        guard !state.machine.isWanted(id), !state.tasks.values.contains(id) else { return }
        state.jobs[id] = nil
        state.obituaries[id] = nil
    }

    private func error(_ failure: PoolMachine.Failure, of job: JobID) -> RenderError {
        let (how, byOthers) = state.obituaries[job] ?? ("", false)
        switch failure {
        case .died where byOthers: return .unavailable("its worker was killed twice, from outside: \(how)")
        case .died(forMemory: false): return .decoderDied(how)
        case .died(forMemory: true): return .tooMuchMemory(limit: configuration.limits.memory, how)
        case .tookTooLong: return .tookTooLong("its worker was ended")
        case .unavailable: return .unavailable(state.complaints.values.sorted().joined(separator: "; "))
        }
    }

    private static let death = "A render worker died."

    /// Says in the log what went wrong; a failed start that is like the one before is said once.
    private func complain(_ what: String, _ how: String) {
        if state.complaints[what] != how || what == Self.death {
            configuration.logger.warning("\(what)", metadata: ["how": "\(how)"])
        }
        if what != Self.death { state.complaints[what] = how }
    }

    /// After every event: the timer for what is due next, and the figures for whoever asks.
    private func settleDown() {
        let now = Self.now()
        state.timer?.cancel()
        state.timer = nil
        if !state.isStopped, let next = state.machine.nextMoment() {
            state.timer = loop.schedule(after: max(.zero, next - now)) { [weak self] in
                guard let self else { return }
                let now = Self.now()
                for id in state.machine.overdue(now) where state.workers[id]?.wasStarved == true {
                    state.machine.extend(id)
                }
                perform(state.machine.tick(now))
                settleDown()
            }
        }
        publish()
        if state.isStopped, state.workers.isEmpty {
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
