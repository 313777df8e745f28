import BlockingIO
import Images
import Locking
import Origins
import Renditions
import Scheduling

/// Drives the load machine: feeds it one event at a time and performs the effects before the next event. No event
/// blocks. The work runs on pools and at origins, and its results come back as events.
final class LoadCoordinator: @unchecked Sendable {
    typealias Machine = LoadMachine<LoadWaiter>

    // Sendable because only the events of `events` touch the members below it.
    private let events = EventQueue(label: "tessera.loading")
    let configuration: Loader.Configuration
    let origins: any OriginFetching
    let renderer: any Rendering
    let pools: LoadPools
    let stages: LoadStages
    let harmful: HarmfulImages
    let time: any TimeKeeping
    let coordination: any Coordinating
    let tier: any RenditionTier

    var machine = Machine()
    var waiters: WaitingList
    var contexts: [Machine.JobID: Context] = [:]
    var fetches: [Machine.FetchID: OriginalFetch] = [:]
    var spools: [Machine.FetchID: Spool] = [:]
    var prefixes: [Machine.FetchID: OriginalPrefix] = [:]
    /// Fetches that are parked after their prefix.
    var parkedFetches: Set<Machine.FetchID> = []
    var prefixHistory = PrefixHistory()
    /// The number of fetches that are kept alive although nobody waits for them.
    var extensions = 0
    let inFlightOriginals = InFlightOriginals()
    var failures: NegativeCache
    /// Loads for other nodes, while this node holds the lease.
    var nodeRequests: [SharedName: LoadWaiter] = [:]
    var counts = LoadStatistics()
    var isStopped = false
    private let published = Guarded(LoadStatistics())

    /// What a job carries from stage to stage.
    struct Context {
        let request: LoadRequest
        var remoteOriginal: RemoteOriginal?
        var kept: CachedOriginal?
        var mustFetch = false
        /// Whether a cached rendition was tried in place of the original and did not work.
        var needsOriginal = false
        /// How a fetch of the image ended while this job was looking into the caches, if one did.
        var concurrentFetchEnd: FetchEnd?
        var source: OriginalSource?
        /// The job's work on a pool, or with the render workers.
        var work: BlockingPool.Handle?
        var render: (any RenderHandle)?
        /// A partial decode of an original whose fetch continues.
        var partialDecode: (any RenderHandle)?
        /// Whether the job needs nothing more of the original, and only keeps its fetch alive.
        var onlyKeepsFetchAlive = false
        var attempts = 0
        var share = Share()
        var trace: LoadTrace?
    }

    /// How a fetch ended, for jobs of its image that had not joined it yet.
    enum FetchEnd {
        case completed
        case failed(LoadFailure)
    }

    /// The limit of attempts when a file changes while it is read, or an original is evicted while it is needed.
    private static let maximumAttempts = 4

    init(
        configuration: Loader.Configuration, origins: any OriginFetching, renderer: any Rendering, pools: LoadPools,
        stages: LoadStages, harmful: HarmfulImages, time: any TimeKeeping, coordination: any Coordinating,
        tier: any RenditionTier
    ) {
        self.configuration = configuration
        self.origins = origins
        self.renderer = renderer
        self.pools = pools
        self.stages = stages
        self.harmful = harmful
        self.time = time
        self.coordination = coordination
        self.tier = tier
        waiters = WaitingList(limit: configuration.maximumPending, perOwner: configuration.maximumPendingPerClient)
        failures = NegativeCache(lifetime: configuration.failureLifetime, capacity: configuration.rememberedFailures)
    }

    var statistics: LoadStatistics { published.withLock { $0 } }

    // MARK: - From any thread

    func join(_ waiter: LoadWaiter, _ request: LoadRequest, priority: Priority) {
        on { $0.begin(waiter, request, priority) }
    }

    func leave(_ waiter: LoadWaiter) {
        on {
            $0.waiters.remove(waiter)
            $0.perform($0.machine.leave(waiter))
        }
    }

    func reprioritise(_ waiter: LoadWaiter, to priority: Priority) {
        on { $0.perform($0.machine.reprioritise(waiter, to: priority)) }
    }

    /// Fails every load, including all later ones.
    func stop() async {
        await withCheckedContinuation { continuation in
            on {
                $0.stopAll()
                continuation.resume()
            }
        }
    }

    /// Queues an event from a client's thread, which does not run it.
    func on(_ body: @escaping @Sendable (LoadCoordinator) -> Void) { events.enqueue { self.handle(body) } }

    /// Handles an event from a pool or render worker, on that thread if no other event runs.
    func resume(_ body: @escaping @Sendable (LoadCoordinator) -> Void) { events.runOrEnqueue { self.handle(body) } }

    private func handle(_ event: (LoadCoordinator) -> Void) {
        event(self)
        publish()
    }

    /// Calls `body` after a delay in seconds.
    func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) { events.enqueue(body, after: seconds) }

    private func publish() {
        counts.waiting = waiters.count
        counts.jobs = machine.jobCount
        counts.fetches = machine.fetchCount
        counts.rememberedFailures = failures.count
        counts.rememberedHarmful = harmful.count
        published.withLock { $0 = counts }
    }

    // MARK: - Beginning

    func begin(_ waiter: LoadWaiter, _ request: LoadRequest, _ priority: Priority) {
        guard !isStopped else { return waiter.answer(.failure(.shuttingDown)) }
        let image = request.image
        let subject = NegativeCache.Subject(request, version: image.failing())
        var request = request
        request.named = request.named.flatMap { version in
            let isKept = request.rendition == .pyramid && stages.pyramids.has(image.id, version: version)
            return isKept ? version : nil
        }
        // A pyramid keeps a worker busy for long and may crash two, so it cannot bypass the negative cache.
        if request.rendition == .pyramid { request.bypassesNegativeCache = false }
        if !coordination.isSingleNode { request.acceptsThumbnail = false }
        if request.bypassesNegativeCache {
            failures.forget(subject)
        } else if request.named == nil, let failure = failures.failure(of: subject, now: time.uptime()) {
            return waiter.answer(.failure(failure))
        }
        if let refusal = waiters.admit(waiter, of: priority.flow.owner) {
            counts.refused += 1
            return waiter.answer(.failure(refusal))
        }
        let key = Machine.Key(
            image: image.id, version: request.named ?? image.ownVersion, rendition: request.rendition,
            format: request.rendition.isFile ? .jpeg : request.format, acceptsThumbnail: request.acceptsThumbnail,
            needsWholeOriginal: request.needsWholeOriginal)
        let effects = machine.join(waiter, key: key, priority: priority)
        if case .find(let job, _) = effects.first {
            contexts[job] = Context(request: request, onlyKeepsFetchAlive: waiter.isExtension)
            contexts[job]?.trace = trace(request, waiter)
        } else if let job = machine.job(for: key) {
            if let cause = waiter.cause { contexts[job]?.trace?.joined(by: cause) }
            if !waiter.isExtension { contexts[job]?.onlyKeepsFetchAlive = false }
        }
        perform(effects)
        if let job = machine.job(for: key) { fetchRestIfNeeded(for: job) }
    }

    /// Starts a trace, but not for prefills: nobody waits for those, and there may be a million of them.
    private func trace(_ request: LoadRequest, _ waiter: LoadWaiter) -> LoadTrace? {
        guard let tracer = configuration.tracer, !waiter.isPrefill else { return nil }
        return LoadTrace(of: request, cause: waiter.cause, tracer: tracer)
    }

    // MARK: - Effects

    func perform(_ effects: [Machine.Effect]) {
        for effect in effects {
            if configuration.tracer != nil, let (job, step) = effect.step { contexts[job]?.trace?.enter(step) }
            switch effect {
            case .find(let job, let priority): find(job, priority)
            case .share(let job, let priority): share(job, priority)
            case .fetch(let fetch, let job, let priority): beginFetch(fetch, for: job, priority)
            case .prepare(let job, let priority): prepare(job, priority)
            case .render(let job, let priority): render(job, priority)
            case .partialDecode(let job, let fetch, let priority): partialDecode(job, of: fetch, priority)
            case .stream(let waiter, let fetch): stream(waiter, from: fetch)
            case .reprioritise(let job, let stage, let priority): move(job, stage, priority)
            case .reprioritiseFetch(let fetch, let priority): fetches[fetch]?.reprioritise(priority)
            case .abandon(let job, let stage): abandon(job, stage)
            case .abandonFetch(let fetch):
                spools[fetch] = nil
                prefixes[fetch] = nil
                parkedFetches.remove(fetch)
                inFlightOriginals.remove(fetches[fetch])
                fetches.removeValue(forKey: fetch)?.cancel()
            case .release(let job): contexts.removeValue(forKey: job)?.trace?.end(.answered)
            }
        }
    }

    private func move(_ job: Machine.JobID, _ stage: Machine.Stage, _ priority: Priority) {
        guard let context = contexts[job] else { return }
        context.partialDecode?.reprioritise(priority)
        if stage == .rendering {
            context.render?.reprioritise(priority)
        } else {
            context.work?.reprioritise(priority)
        }
    }

    private func abandon(_ job: Machine.JobID, _ stage: Machine.Stage) {
        guard let context = contexts.removeValue(forKey: job) else { return }
        context.work?.cancel()
        context.render?.cancel()
        context.partialDecode?.cancel()
        context.share.lease?.end(.abandoned)
        // The waiters that received a partial original have closed it.
        if case .streaming = stage { context.trace?.end(.answered) } else { context.trace?.end(.abandoned) }
    }

    /// Runs `step` on a pool thread. If the job still exists then, passes the result to `next`, on that thread if no
    /// other event runs.
    private func run<Value: Sendable>(
        _ job: Machine.JobID, on pool: BlockingPool, _ priority: Priority,
        _ step: @escaping @Sendable () -> Value,
        then next: @escaping @Sendable (LoadCoordinator, Value) -> Void
    ) {
        let folder = contexts[job]?.request.image.location.folder ?? 0
        contexts[job]?.work = pool.run(in: folder, priority: priority, step) { [weak self] result in
            self?.resume { coordinator in
                guard coordinator.contexts[job] != nil else { return }
                switch result {
                case .success(let value): next(coordinator, value)
                case .failure(let failure): coordinator.finish(job, .failure(LoadFailure(failure)))
                }
            }
        }
    }

    // MARK: - Finding

    private func find(_ job: Machine.JobID, _ priority: Priority) {
        guard let request = contexts[job]?.request else { return }
        if request.rendition == .original {
            guard request.image.location.isFetched else { return perform(machine.prepare(job)) }
            // The caches do not have an original that is still arriving, so late requests for it join the fetch at
            // once. Other renditions look into the caches first: a cached one must not wait for an origin that hangs.
            if machine.hasFetch(for: request.image.id) { return needOriginal(job) }
        }
        contexts[job]?.concurrentFetchEnd = nil
        run(job, on: pools.lookups, priority) { [stages] in
            stages.find(request)
        } then: {
            guard case .nothing(let kept) = $1, let end = $0.contexts[job]?.concurrentFetchEnd else {
                return $0.found(job, $1)
            }
            switch end {
            case .completed:
                // The lookup happened before the fetched content was stored, so look again.
                $0.find(job, priority)
            case .failed(let failure):
                $0.contexts[job]?.kept = kept
                $0.fetchFailed(job, failure)
            }
        }
    }

    private func found(_ job: Machine.JobID, _ result: LoadStages.Found) {
        switch result {
        case .tile(let tile, let freshUntil):
            counts.diskHits += 1
            remember(tile, job, freshUntil: freshUntil)
            finish(job, .success(.bytes(tile)))
        case .file(let file):
            counts.diskHits += 1
            finish(job, .success(.file(file)))
        case .remoteOriginal(let remoteOriginal, let kept):
            contexts[job]?.remoteOriginal = remoteOriginal
            contexts[job]?.kept = kept
            shareOrProceed(job)
        case .nothing(let kept):
            contexts[job]?.kept = kept
            shareOrProceed(job)
        }
    }

    private func remember(_ tile: RenditionBytes, _ job: Machine.JobID, freshUntil: Int64?) {
        guard let request = contexts[job]?.request else { return }
        remember(tile, of: request)
        guard let freshUntil else { return }
        stages.memory.setFreshness(.init(version: tile.version, until: freshUntil), of: request.image.id)
    }

    // MARK: - Preparing

    /// Waits for the original, from an existing fetch or a new one.
    func needOriginal(_ job: Machine.JobID) {
        contexts[job]?.trace?.enter(.fetch)
        perform(machine.needOriginal(job))
        if let fetch = machine.fetch(of: job) { answerWithThumbnail(job, from: fetch) }
        fetchRestIfNeeded(for: job)
    }

    private func prepare(_ job: Machine.JobID, _ priority: Priority) {
        guard let context = contexts[job] else { return }
        // The whole original now serves the rendition that the partial decode would have made.
        context.partialDecode?.cancel()
        contexts[job]?.partialDecode = nil
        contexts[job]?.attempts += 1
        guard context.attempts < Self.maximumAttempts else { return finish(job, .failure(.changing)) }
        let pool = context.request.image.location.isFetched ? pools.fetched : pools.files
        run(job, on: pool, priority) { [stages] in
            stages.prepare(context.request, on: context.remoteOriginal, needsOriginal: context.needsOriginal)
        } then: {
            $0.prepared(job, $1)
        }
    }

    private func prepared(_ job: Machine.JobID, _ result: LoadStages.Prepared) {
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
    /// The trace step that a job enters with this effect. No effect marks the wait for an original, because the fetch
    /// may belong to another job.
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
