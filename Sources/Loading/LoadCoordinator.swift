import Dispatch
import Images
import Locking
import Origins
import Renditions
import Scheduling

/// Drives the machine of loads: tells it what happened and performs what it answers, all on one serial queue, so that
/// the effects of one event are under way before the next event counts. Nothing on the queue blocks: work goes to lanes
/// and origins, and their ends come back as events.
final class LoadCoordinator: @unchecked Sendable {
    // Sendable because everything below `queue` is touched on it alone.
    private let queue = DispatchQueue(label: "tessera.loading")
    let configuration: Loader.Configuration
    let origins: any OriginFetching
    let renderer: any Rendering
    let lanes: LoadLanes
    let stages: LoadStages
    let harmful: HarmfulPictures
    let time: any TimeKeeping
    let coordination: any Coordinating
    let tier: any RenditionTier

    var machine = LoadMachine()
    var waiters: WaitingList
    var contexts: [LoadMachine.JobID: Context] = [:]
    var fetches: [LoadMachine.FetchID: OriginalFetch] = [:]
    var spools: [LoadMachine.FetchID: Spool] = [:]
    var beginnings: [LoadMachine.FetchID: OriginalBeginning] = [:]
    let arrivals = Arrivals()
    var failures: FailureMemory
    /// What other machines wait for while this one has the turn.
    var wishes: [SharedName: LoadWaiter] = [:]
    var counts = LoadStatistics()
    var isStopped = false
    private var watchers: [Watcher] = []
    private let published = Guarded(LoadStatistics())

    private struct Watcher {
        let condition: @Sendable (LoadStatistics) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    /// What a job carries from stage to stage.
    struct Context {
        let request: LoadRequest
        var ground: RemoteGround?
        var kept: KeptOriginal?
        var mustFetch = false
        /// What is kept of the picture could not stand in for its original.
        var needsOriginal = false
        /// How a fetch of the image ended while this job looked into the caches, if one did.
        var overtakenBy: FetchEnd?
        var source: OriginalSource?
        /// What the job is doing on a lane, or with the render workers.
        var work: BlockingLane.WorkID = 0
        var render: (any RenderHandle)?
        /// A try to show something of an original whose fetch goes on.
        var glimpse: (any RenderHandle)?
        var attempts = 0
        var share = Share()
        var trace: LoadTrace?
    }

    /// How a fetch ended, for those of its image that had not joined it yet.
    enum FetchEnd {
        case brought
        case failed(LoadFailure)
    }

    /// How often a file that changes under the reader, or an original that is evicted under it, is begun anew.
    private static let maximumAttempts = 4

    init(
        configuration: Loader.Configuration, origins: any OriginFetching, renderer: any Rendering, lanes: LoadLanes,
        stages: LoadStages, harmful: HarmfulPictures, time: any TimeKeeping, coordination: any Coordinating,
        tier: any RenditionTier
    ) {
        self.configuration = configuration
        self.origins = origins
        self.renderer = renderer
        self.lanes = lanes
        self.stages = stages
        self.harmful = harmful
        self.time = time
        self.coordination = coordination
        self.tier = tier
        waiters = WaitingList(limit: configuration.maximumPending, perOwner: configuration.maximumPendingPerClient)
        failures = FailureMemory(lifetime: configuration.failureLifetime, capacity: configuration.rememberedFailures)
    }

    var statistics: LoadStatistics { published.withLock { $0 } }

    // MARK: - From any thread

    func join(_ waiter: LoadWaiter, _ request: LoadRequest, priority: Priority) {
        on { $0.begin(waiter, request, priority) }
    }

    func leave(_ waiter: LoadMachine.WaiterID) {
        on {
            _ = $0.waiters.remove(waiter)
            $0.perform($0.machine.leave(waiter))
        }
    }

    func reprioritise(_ waiter: LoadMachine.WaiterID, to priority: Priority) {
        on { $0.perform($0.machine.reprioritise(waiter, to: priority)) }
    }

    /// Fails every load, and every one that comes later.
    func stop() async {
        await withCheckedContinuation { continuation in
            on {
                $0.stopAll()
                continuation.resume()
            }
        }
    }

    /// Calls back when every event that was sent before has been dealt with. For the tests.
    func settled() async {
        await withCheckedContinuation { continuation in on { _ in continuation.resume() } }
    }

    /// Comes back once the counts are as said. For the tests.
    func reached(_ condition: @escaping @Sendable (LoadStatistics) -> Bool) async {
        await withCheckedContinuation { continuation in
            on { $0.watchers.append(Watcher(condition: condition, continuation: continuation)) }
        }
    }

    /// Whether nothing is left in any table. For the tests.
    func isEmpty() async -> Bool {
        await withCheckedContinuation { continuation in
            on {
                let isEmpty = $0.machine.isEmpty && $0.waiters.isEmpty && $0.contexts.isEmpty && $0.fetches.isEmpty
                continuation.resume(
                    returning: isEmpty && $0.spools.isEmpty && $0.beginnings.isEmpty && $0.wishes.isEmpty)
            }
        }
    }

    func on(_ body: @escaping @Sendable (LoadCoordinator) -> Void) {
        queue.async {
            body(self)
            self.publish()
        }
    }

    /// Calls back later, from the queue.
    func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + seconds, execute: body)
    }

    private func publish() {
        counts.waiting = waiters.count
        counts.jobs = machine.jobCount
        counts.fetches = machine.fetchCount
        counts.rememberedFailures = failures.count
        counts.rememberedHarmful = harmful.count
        published.withLock { $0 = counts }
        guard !watchers.isEmpty else { return }
        let met = watchers.filter { $0.condition(counts) }
        watchers.removeAll { $0.condition(counts) }
        for watcher in met { watcher.continuation.resume() }
    }

    // MARK: - Beginning

    func begin(_ waiter: LoadWaiter, _ request: LoadRequest, _ priority: Priority) {
        guard !isStopped else { return waiter.answer(.failure(.shuttingDown)) }
        let image = request.image
        let subject = FailureMemory.Subject(request, version: image.failing())
        var request = request
        request.named = request.named.flatMap { version in
            let isKept = request.rendition == .pyramid && stages.pyramids.has(image.id, version: version)
            return isKept ? version : nil
        }
        // A pyramid takes a worker for long, and may cost two: nobody may insist on that.
        if request.rendition == .pyramid { request.bypassNegativeCache = false }
        if request.bypassNegativeCache {
            failures.forget(subject)
        } else if request.named == nil, let failure = failures.failure(of: subject, now: time.uptime()) {
            return waiter.answer(.failure(failure))
        }
        if let tile = stages.memory.rendition(request, now: time.secondsSince1970) {
            return waiter.answer(.success(.bytes(tile)))
        }
        if let refusal = waiters.admit(waiter, of: priority.flow.owner) {
            counts.refused += 1
            return waiter.answer(.failure(refusal))
        }
        let key = LoadMachine.Key(
            image: image.id, version: request.named ?? image.ownVersion, rendition: request.rendition,
            format: request.rendition.isFile ? .jpeg : request.format)
        let effects = machine.join(waiter.id, key: key, priority: priority)
        if case .find(let job, _) = effects.first {
            contexts[job] = Context(request: request)
            contexts[job]?.trace = trace(request, waiter)
        } else if let cause = waiter.cause, let job = machine.job(for: key) {
            contexts[job]?.trace?.joined(by: cause)
        }
        perform(effects)
    }

    /// None of what is made ahead: of a million pictures nobody waits for one.
    private func trace(_ request: LoadRequest, _ waiter: LoadWaiter) -> LoadTrace? {
        guard let tracer = configuration.tracer, !waiter.isForLater else { return nil }
        return LoadTrace(of: request, cause: waiter.cause, tracer: tracer)
    }

    // MARK: - Effects

    func perform(_ effects: [LoadMachine.Effect]) {
        for effect in effects {
            if configuration.tracer != nil, let (job, step) = effect.step { contexts[job]?.trace?.enter(step) }
            switch effect {
            case .find(let job, let priority): find(job, priority)
            case .share(let job, let priority): share(job, priority)
            case .fetch(let fetch, let job, let priority): beginFetch(fetch, for: job, priority)
            case .prepare(let job, let priority): prepare(job, priority)
            case .render(let job, let priority): render(job, priority)
            case .glimpse(let job, let fetch, let priority): glimpse(job, of: fetch, priority)
            case .stream(let waiter, let fetch): stream(waiter, from: fetch)
            case .reprioritise(let job, let stage, let priority): move(job, stage, priority)
            case .reprioritiseFetch(let fetch, let priority): fetches[fetch]?.reprioritise(priority)
            case .abandon(let job, let stage): abandon(job, stage)
            case .abandonFetch(let fetch):
                spools[fetch] = nil
                beginnings[fetch] = nil
                arrivals.went(fetches[fetch])
                fetches.removeValue(forKey: fetch)?.cancel()
            case .release(let job): contexts.removeValue(forKey: job)?.trace?.end(.answered)
            }
        }
    }

    private func lane(of job: LoadMachine.JobID, _ stage: LoadMachine.Stage) -> BlockingLane? {
        switch stage {
        case .finding: lanes.lookups
        case .preparing: contexts[job]?.request.image.location.isFetched == true ? lanes.fetched : lanes.files
        case .sharing, .rendering, .fetching, .streaming: nil
        }
    }

    private func move(_ job: LoadMachine.JobID, _ stage: LoadMachine.Stage, _ priority: Priority) {
        guard let context = contexts[job] else { return }
        context.glimpse?.reprioritise(priority)
        if stage == .rendering {
            context.render?.reprioritise(priority)
        } else {
            lane(of: job, stage)?.reprioritise(context.work, to: priority)
        }
    }

    private func abandon(_ job: LoadMachine.JobID, _ stage: LoadMachine.Stage) {
        let lane = lane(of: job, stage)
        guard let context = contexts.removeValue(forKey: job) else { return }
        lane?.cancel(context.work)
        context.render?.cancel()
        context.glimpse?.cancel()
        context.share.turn?.end(.gaveUp)
        // Who was given an original while it arrives has let go of it.
        if case .streaming = stage { context.trace?.end(.answered) } else { context.trace?.end(.abandoned) }
    }

    /// Runs `step` on a lane; when the job is still wanted then, `next` hears its result on the queue.
    private func run<Result: Sendable>(
        _ job: LoadMachine.JobID, on lane: BlockingLane?, _ priority: Priority,
        _ step: @escaping @Sendable () -> Result,
        then next: @escaping @Sendable (LoadCoordinator, Result) -> Void
    ) {
        let work = BlockingLane.newWork()
        contexts[job]?.work = work
        lane?.submit(work, in: contexts[job]?.request.image.location.folder ?? 0, priority: priority) { [weak self] in
            let result = step()
            self?.on { coordinator in
                guard coordinator.contexts[job] != nil else { return }
                next(coordinator, result)
            }
        }
    }

    // MARK: - Finding

    private func find(_ job: LoadMachine.JobID, _ priority: Priority) {
        guard let request = contexts[job]?.request else { return }
        if request.rendition == .original {
            guard request.image.location.isFetched else { return perform(machine.prepare(job)) }
            // An original that is arriving is what the caches do not have: whoever comes late joins at once. Other
            // renditions look first: one that is kept must not wait for an origin that hangs.
            if machine.hasFetch(for: request.image.id) { return needOriginal(job) }
        }
        contexts[job]?.overtakenBy = nil
        run(job, on: lanes.lookups, priority) { [stages] in
            stages.find(request)
        } then: {
            guard case .nothing(let kept) = $1, let end = $0.contexts[job]?.overtakenBy else {
                return $0.found(job, $1)
            }
            switch end {
            case .brought:
                // What it brought was not there yet, so the look is taken once more.
                $0.find(job, priority)
            case .failed(let failure):
                $0.contexts[job]?.kept = kept
                $0.fetchFailed(job, failure)
            }
        }
    }

    private func found(_ job: LoadMachine.JobID, _ result: LoadStages.Found) {
        switch result {
        case .tile(let tile, let freshUntil):
            counts.diskHits += 1
            remember(tile, job, freshUntil: freshUntil)
            finish(job, .success(.bytes(tile)))
        case .file(let file):
            counts.diskHits += 1
            finish(job, .success(.file(file)))
        case .ground(let ground, let kept):
            contexts[job]?.ground = ground
            contexts[job]?.kept = kept
            shareOrGoOn(job)
        case .nothing(let kept):
            contexts[job]?.kept = kept
            shareOrGoOn(job)
        }
    }

    private func remember(_ tile: RenditionBytes, _ job: LoadMachine.JobID, freshUntil: Int64?) {
        guard let request = contexts[job]?.request else { return }
        remember(tile, of: request)
        guard let freshUntil else { return }
        stages.memory.setFreshness(.init(version: tile.version, until: freshUntil), of: request.image.id)
    }

    // MARK: - Preparing

    /// Waits for the original, whoever's fetch brings it.
    func needOriginal(_ job: LoadMachine.JobID) {
        contexts[job]?.trace?.enter(.fetch)
        perform(machine.needOriginal(job))
    }

    private func prepare(_ job: LoadMachine.JobID, _ priority: Priority) {
        guard let context = contexts[job] else { return }
        // What it would have made now comes of the whole.
        context.glimpse?.cancel()
        contexts[job]?.glimpse = nil
        contexts[job]?.attempts += 1
        guard context.attempts < Self.maximumAttempts else { return finish(job, .failure(.changing)) }
        run(job, on: lane(of: job, .preparing), priority) { [stages] in
            stages.prepare(context.request, on: context.ground, needsOriginal: context.needsOriginal)
        } then: {
            $0.prepared(job, $1)
        }
    }

    private func prepared(_ job: LoadMachine.JobID, _ result: LoadStages.Prepared) {
        guard let request = contexts[job]?.request else { return }
        switch result {
        case .tile(let tile):
            counts.diskHits += 1
            remember(tile, job, freshUntil: nil)
            finish(job, .success(.bytes(tile)))
        case .file(let file): finish(job, .success(.file(file)))
        case .toRender(let source):
            if let end = known(request, source) { return finish(job, end) }
            contexts[job]?.source = source
            perform(machine.render(job))
        case .mustFetchAgain:
            contexts[job]?.attempts += 1
            contexts[job]?.mustFetch = true
            needOriginal(job)
        case .failed(let failure, let version): fail(job, failure, version: version)
        }
    }
}

extension LoadMachine.Effect {
    /// The step that a job enters with it. That it waits for an original, no effect tells: the fetch may be another's.
    fileprivate var step: (LoadMachine.JobID, LoadTrace.Step)? {
        switch self {
        case .find(let job, _): (job, .find)
        case .share(let job, _): (job, .share)
        case .prepare(let job, _): (job, .prepare)
        case .render(let job, _): (job, .render)
        default: nil
        }
    }
}
