import Images
import Renditions
import Scheduling

/// The sequence of events in loading, without the work: which waiters want which rendition, which renditions wait for
/// which original, and which work must therefore be started, re-prioritised or stopped.
///
/// A pure value: events go in and effects come out. The effects of one event must be performed before the next event
/// goes in. It holds no bytes, so a test can try a hundred thousand schedules in seconds.
///
/// `Waiter` is any value that identifies a waiter. The loader uses the handles it gives its callers, so two waiters can
/// never have the same identity.
struct LoadMachine<Waiter: Hashable & Sendable>: Sendable {
    typealias JobID = UInt64
    typealias FetchID = UInt64

    /// Identifies equal work. `version` is nil for remote images, since only their origin knows the current one.
    struct Key: Hashable, Sendable {
        let image: ImageID
        let version: ContentVersion?
        let rendition: Rendition
        let format: OutputFormat
        /// Whether a camera's thumbnail will do, in its own format.
        var acceptsThumbnail = false
        /// Whether the original must be complete before delivery.
        var needsWholeOriginal = false
    }

    /// The stage a job is in.
    enum Stage: Hashable, Sendable {
        /// Looking into the caches.
        case finding
        /// Looking for the rendition on other nodes, or waiting for the node that makes it.
        case sharing
        /// Waiting for an original from its origin.
        case fetching(FetchID)
        /// Opening the original.
        case preparing
        case rendering
        /// The waiters have received an original that is still arriving, and stay until they close it.
        case streaming(FetchID)
    }

    enum Effect: Hashable, Sendable {
        case find(JobID, Priority)
        case share(JobID, Priority)
        case fetch(FetchID, by: JobID, Priority)
        case prepare(JobID, Priority)
        case render(JobID, Priority)
        /// Try to make the rendition from the part of the original that has arrived.
        case partialDecode(JobID, FetchID, Priority)
        /// Give this waiter a reader of the partial original.
        case stream(Waiter, FetchID)
        case reprioritise(JobID, Stage, Priority)
        case reprioritiseFetch(FetchID, Priority)
        /// Nobody waits any more: stop the work of the stage, and forget the job.
        case abandon(JobID, Stage)
        case abandonFetch(FetchID)
        /// The job is over and its waiters have their content: forget it.
        case release(JobID)
    }

    private var renditions = CoalescingTable<Key, Waiter>()
    private var originals = CoalescingTable<ImageID, JobID>()
    private var stages: [JobID: Stage] = [:]
    private var readableFetches: Set<FetchID> = []
    /// Fetches with enough of their originals to try a partial decode.
    private var fetchesWithPrefix: Set<FetchID> = []

    var jobCount: Int { renditions.jobCount }
    var waiterCount: Int { renditions.waiterCount }
    var fetchCount: Int { originals.jobCount }
    var isEmpty: Bool {
        renditions.isEmpty && originals.isEmpty && stages.isEmpty && readableFetches.isEmpty
            && fetchesWithPrefix.isEmpty
    }

    func stage(of job: JobID) -> Stage? { stages[job] }
    func key(of job: JobID) -> Key? { renditions.key(of: job) }
    func job(for key: Key) -> JobID? { renditions.job(for: key) }
    func hasFetch(for image: ImageID) -> Bool { originals.job(for: image) != nil }

    /// The jobs that wait for a fetch.
    func jobs(waitingFor fetch: FetchID) -> [JobID] { originals.waiters(of: fetch) }

    /// The fetch that a job waits for.
    func fetch(of job: JobID) -> FetchID? {
        switch stages[job] {
        case .fetching(let fetch)?, .streaming(let fetch)?: fetch
        default: nil
        }
    }

    /// The jobs that are looking into the caches for a rendition of the image that this fetch is for.
    func jobsLookingUp(imageOf fetch: FetchID) -> [JobID] {
        guard let image = originals.key(of: fetch) else { return [] }
        let keys = Rendition.allCases.flatMap { rendition in
            OutputFormat.allCases.flatMap { format in
                [false, true].map {
                    Key(image: image, version: nil, rendition: rendition, format: format, acceptsThumbnail: $0)
                }
            }
        }
        let whole = Key(image: image, version: nil, rendition: .original, format: .jpeg, needsWholeOriginal: true)
        return (keys + [whole]).compactMap(job).filter { stages[$0] == .finding }
    }

    // MARK: - Waiters

    mutating func join(_ waiter: Waiter, key: Key, priority: Priority) -> [Effect] {
        switch renditions.join(waiter, key: key, priority: priority) {
        case .started(let job):
            stages[job] = .finding
            return [.find(job, priority)]
        case .joined(let job, let raisedTo):
            var effects = raisedTo.map { propagate($0, to: job) } ?? []
            if case .streaming(let fetch) = stages[job] { effects.append(.stream(waiter, fetch)) }
            return effects
        }
    }

    mutating func leave(_ waiter: Waiter) -> [Effect] {
        switch renditions.leave(waiter) {
        case .unknown: return []
        case .remaining(let job, let changedTo): return changedTo.map { propagate($0, to: job) } ?? []
        case .abandoned(let job):
            guard let stage = stages.removeValue(forKey: job) else { return [] }
            return [.abandon(job, stage)] + leaveOriginal(job)
        }
    }

    mutating func reprioritise(_ waiter: Waiter, to priority: Priority) -> [Effect] {
        guard let change = renditions.reprioritise(waiter, to: priority) else { return [] }
        return propagate(change.priority, to: change.job)
    }

    // MARK: - Jobs

    /// The job cannot go on without the original. Does nothing for an unknown job.
    mutating func needOriginal(_ job: JobID) -> [Effect] {
        guard stages[job] != nil, let key = renditions.key(of: job), let priority = renditions.priority(of: job) else {
            return []
        }
        switch originals.join(job, key: key.image, priority: priority) {
        case .started(let fetch):
            stages[job] = .fetching(fetch)
            return [.fetch(fetch, by: job, priority)]
        case .joined(let fetch, let raisedTo):
            stages[job] = .fetching(fetch)
            let raise = raisedTo.map { [Effect.reprioritiseFetch(fetch, $0)] } ?? []
            return raise + (readableFetches.contains(fetch) ? stream(job, from: fetch) : [])
                + (fetchesWithPrefix.contains(fetch) ? partialDecode(job, of: fetch) : [])
        }
    }

    /// The job must ask the other nodes. Does nothing for an unknown job.
    mutating func share(_ job: JobID) -> [Effect] {
        guard stages[job] != nil, let priority = renditions.priority(of: job) else { return [] }
        stages[job] = .sharing
        return [.share(job, priority)]
    }

    mutating func prepare(_ job: JobID) -> [Effect] {
        guard stages[job] != nil, let priority = renditions.priority(of: job) else { return [] }
        stages[job] = .preparing
        return [.prepare(job, priority)]
    }

    mutating func render(_ job: JobID) -> [Effect] {
        guard stages[job] != nil, let priority = renditions.priority(of: job) else { return [] }
        stages[job] = .rendering
        return [.render(job, priority)]
    }

    /// Ends a job with success or failure.
    ///
    /// - Returns: All its waiters, each to be answered once, and effects to perform: a job that still waits for an
    ///   original leaves the fetch, and the fetch ends when the last job leaves.
    mutating func finish(_ job: JobID) -> (waiters: [Waiter], effects: [Effect]) {
        guard stages.removeValue(forKey: job) != nil else { return ([], []) }
        let effects = leaveOriginal(job)
        return (renditions.end(job), effects)
    }

    // MARK: - Fetches

    /// The original's first bytes have arrived and show an image: the jobs that want the original itself get it now.
    mutating func originalIsReadable(_ fetch: FetchID) -> [Effect] {
        guard originals.key(of: fetch) != nil, readableFetches.insert(fetch).inserted else { return [] }
        return originals.waiters(of: fetch).flatMap { stream($0, from: fetch) }
    }

    /// Enough of the original has arrived that it may contain an embedded preview: the jobs that need no more than that
    /// try it now, and keep waiting if there is none. May be called again when more has arrived.
    mutating func prefixArrived(_ fetch: FetchID) -> [Effect] {
        guard originals.key(of: fetch) != nil else { return [] }
        fetchesWithPrefix.insert(fetch)
        return originals.waiters(of: fetch).flatMap { partialDecode($0, of: fetch) }
    }

    /// A fetch has succeeded or failed.
    ///
    /// - Returns: The jobs that waited for it and must now be told how to go on, and effects to perform.
    mutating func originalEnded(_ fetch: FetchID) -> (jobs: [JobID], effects: [Effect]) {
        readableFetches.remove(fetch)
        fetchesWithPrefix.remove(fetch)
        var waiting: [JobID] = []
        var effects: [Effect] = []
        for job in originals.end(fetch) {
            if case .streaming = stages[job] {
                stages[job] = nil
                _ = renditions.end(job)
                effects.append(.release(job))
            } else {
                waiting.append(job)
            }
        }
        return (waiting, effects)
    }

    // MARK: - Internals

    private mutating func stream(_ job: JobID, from fetch: FetchID) -> [Effect] {
        guard stages[job] == .fetching(fetch), let key = renditions.key(of: job), key.rendition == .original,
            !key.needsWholeOriginal
        else { return [] }
        stages[job] = .streaming(fetch)
        return renditions.waiters(of: job).map { .stream($0, fetch) }
    }

    private func partialDecode(_ job: JobID, of fetch: FetchID) -> [Effect] {
        guard stages[job] == .fetching(fetch), renditions.key(of: job)?.rendition == .preview,
            let priority = renditions.priority(of: job)
        else { return [] }
        return [.partialDecode(job, fetch, priority)]
    }

    private mutating func propagate(_ priority: Priority, to job: JobID) -> [Effect] {
        guard let stage = stages[job] else { return [] }
        switch stage {
        case .finding, .sharing, .preparing, .rendering: return [.reprioritise(job, stage, priority)]
        case .fetching, .streaming:
            let change = originals.reprioritise(job, to: priority)
            return [.reprioritise(job, stage, priority)]
                + (change.map { [.reprioritiseFetch($0.job, $0.priority)] } ?? [])
        }
    }

    private mutating func leaveOriginal(_ job: JobID) -> [Effect] {
        switch originals.leave(job) {
        case .unknown: return []
        case .remaining(let fetch, let changedTo):
            return changedTo.map { [.reprioritiseFetch(fetch, $0)] } ?? []
        case .abandoned(let fetch):
            readableFetches.remove(fetch)
            fetchesWithPrefix.remove(fetch)
            return [.abandonFetch(fetch)]
        }
    }
}
