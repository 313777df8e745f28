import Images
import Renditions
import Scheduling

/// The order of events in loading, without the work: who waits for which rendition, which renditions wait for which
/// original, and what has to be begun, moved or stopped because of it.
///
/// A pure value: events go in, effects come out, and the effects of one event are to be performed before the next event
/// is told. It holds no bytes, so a hundred thousand schedules of it can be tried in seconds.
struct LoadMachine: Sendable {
    typealias WaiterID = UInt64
    typealias JobID = UInt64
    typealias FetchID = UInt64

    /// Which pieces of work are the same. `version` is nil for remote images, whose truth is at the origin.
    struct Key: Hashable, Sendable {
        let image: ImageID
        let version: ContentVersion?
        let rendition: Rendition
        let format: OutputFormat
    }

    /// Where a job is.
    enum Stage: Hashable, Sendable {
        /// Looking into the caches.
        case finding
        /// Looking for it on other machines, or waiting for one that makes it.
        case sharing
        /// Waiting for an original from its origin.
        case fetching(FetchID)
        /// Opening the original.
        case preparing
        case rendering
        /// An original whose waiters were given its bytes while they arrive; they stay until they have let go.
        case streaming(FetchID)
    }

    enum Effect: Hashable, Sendable {
        case find(JobID, Priority)
        case share(JobID, Priority)
        case fetch(FetchID, by: JobID, Priority)
        case prepare(JobID, Priority)
        case render(JobID, Priority)
        /// Try to make the rendition of what there is of the original, while the rest is on its way.
        case glimpse(JobID, FetchID, Priority)
        /// Give this waiter a reader of the growing original.
        case stream(WaiterID, FetchID)
        case reprioritise(JobID, Stage, Priority)
        case reprioritiseFetch(FetchID, Priority)
        /// Nobody waits any more: stop what the stage does, and forget the job.
        case abandon(JobID, Stage)
        case abandonFetch(FetchID)
        /// The job is over and its waiters have what they wanted: forget it.
        case release(JobID)
    }

    private var renditions = CoalescingTable<Key, WaiterID>()
    private var originals = CoalescingTable<ImageID, JobID>()
    private var stages: [JobID: Stage] = [:]
    private var growing: Set<FetchID> = []
    /// Fetches whose originals have begun so far that something of them can be shown.
    private var begun: Set<FetchID> = []

    var jobCount: Int { renditions.jobCount }
    var waiterCount: Int { renditions.waiterCount }
    var fetchCount: Int { originals.jobCount }
    var isEmpty: Bool {
        renditions.isEmpty && originals.isEmpty && stages.isEmpty && growing.isEmpty && begun.isEmpty
    }

    func stage(of job: JobID) -> Stage? { stages[job] }
    func key(of job: JobID) -> Key? { renditions.key(of: job) }
    func job(for key: Key) -> JobID? { renditions.job(for: key) }
    func hasFetch(for image: ImageID) -> Bool { originals.job(for: image) != nil }

    /// The jobs that look into the caches for a rendition of the image that this fetch is for.
    func jobsFinding(whatComesBy fetch: FetchID) -> [JobID] {
        guard let image = originals.key(of: fetch) else { return [] }
        return Rendition.allCases.flatMap { rendition in
            OutputFormat.allCases.compactMap { format in
                job(for: Key(image: image, version: nil, rendition: rendition, format: format))
            }
        }.filter { stages[$0] == .finding }
    }

    // MARK: - Waiters

    mutating func join(_ waiter: WaiterID, key: Key, priority: Priority) -> [Effect] {
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

    mutating func leave(_ waiter: WaiterID) -> [Effect] {
        switch renditions.leave(waiter) {
        case .unknown: return []
        case .remaining(let job, let changedTo): return changedTo.map { propagate($0, to: job) } ?? []
        case .abandoned(let job):
            guard let stage = stages.removeValue(forKey: job) else { return [] }
            return [.abandon(job, stage)] + leaveOriginal(job)
        }
    }

    mutating func reprioritise(_ waiter: WaiterID, to priority: Priority) -> [Effect] {
        guard let change = renditions.reprioritise(waiter, to: priority) else { return [] }
        return propagate(change.priority, to: change.job)
    }

    // MARK: - Jobs

    /// The job cannot go on without the original. Does nothing to a job that is gone.
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
            return raise + (growing.contains(fetch) ? stream(job, from: fetch) : [])
                + (begun.contains(fetch) ? glimpse(job, of: fetch) : [])
        }
    }

    /// Other machines are to be asked. Does nothing to a job that is gone.
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
    /// - Returns: All who waited, each to be answered once, and effects to perform: a job that still stands in the line
    ///   for an original leaves it, and with the last of them the fetch ends.
    mutating func finish(_ job: JobID) -> (waiters: [WaiterID], effects: [Effect]) {
        guard stages.removeValue(forKey: job) != nil else { return ([], []) }
        let effects = leaveOriginal(job)
        return (renditions.end(job), effects)
    }

    // MARK: - Fetches

    /// The original's first bytes are there and known to be a picture: those who want the original itself get it now.
    mutating func originalGrows(_ fetch: FetchID) -> [Effect] {
        guard originals.key(of: fetch) != nil, growing.insert(fetch).inserted else { return [] }
        return originals.waiters(of: fetch).flatMap { stream($0, from: fetch) }
    }

    /// So much of the original is there that a camera's own preview may be among it: those who want no more try for it now,
    /// and wait on where there is none. May be told again when there is more.
    mutating func originalBegan(_ fetch: FetchID) -> [Effect] {
        guard originals.key(of: fetch) != nil else { return [] }
        begun.insert(fetch)
        return originals.waiters(of: fetch).flatMap { glimpse($0, of: fetch) }
    }

    /// A fetch has ended in whatever way.
    ///
    /// - Returns: The jobs that waited for its end and must now be told how to go on, and effects to perform.
    mutating func originalEnded(_ fetch: FetchID) -> (jobs: [JobID], effects: [Effect]) {
        growing.remove(fetch)
        begun.remove(fetch)
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

    // MARK: - Within

    private mutating func stream(_ job: JobID, from fetch: FetchID) -> [Effect] {
        guard stages[job] == .fetching(fetch), renditions.key(of: job)?.rendition == .original else { return [] }
        stages[job] = .streaming(fetch)
        return renditions.waiters(of: job).map { .stream($0, fetch) }
    }

    private func glimpse(_ job: JobID, of fetch: FetchID) -> [Effect] {
        guard stages[job] == .fetching(fetch), renditions.key(of: job)?.rendition == .preview,
            let priority = renditions.priority(of: job)
        else { return [] }
        return [.glimpse(job, fetch, priority)]
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
            growing.remove(fetch)
            begun.remove(fetch)
            return [.abandonFetch(fetch)]
        }
    }
}
