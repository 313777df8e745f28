import CCurl
import EventLoops
import Locking
import Logging
import Scheduling

/// Owns all fetches: who waits, who transfers, and how each origin does.
///
/// Invariant of the unchecked conformance: everything mutable but `tally` is read and written on `loop` only.
final class FetchEngine: @unchecked Sendable {
    let loop: EventLoop
    let configuration: Configuration
    let filter: AddressFilter
    let policy: RetryPolicy
    let logger: Logger
    let driver: CurlDriver
    /// For signed requests.
    let credentials: CredentialKeeper?
    let tally = Guarded(OriginStatistics())

    private var jobs: [ObjectIdentifier: FetchJob] = [:]
    private var places: PlaceAllocator<ObjectIdentifier, Origin>
    private(set) var records: [Origin: OriginRecord] = [:]
    /// What this node may ask of each origin.
    var share: OriginShare
    /// Hears of refusals that the other nodes are to be told.
    var tellRefusal: @Sendable (OriginRefusal) -> Void = { _ in }
    /// With so many records those are looked for that nobody needs.
    private var crowd = FetchEngine.leastCrowd
    static let leastCrowd = 1024
    /// Origins that were suspended of late; few, where the records may be many.
    private var leftAlone: Set<Origin> = []
    /// Origins with transfers under way; at most as many as there are places.
    private var busy: Set<Origin> = []
    private var isShutDown = false

    init(_ configuration: Configuration, loop: EventLoop, filter: AddressFilter, logger: Logger) throws(OriginError) {
        self.configuration = configuration
        self.loop = loop
        self.filter = filter
        self.logger = logger
        policy = RetryPolicy(configuration)
        share = OriginShare(of: configuration.placesPerOrigin, among: 1)
        places = PlaceAllocator(places: configuration.places, placesPerGroup: configuration.placesPerOrigin)
        driver = try CurlDriver(loop: loop, idleConnections: configuration.places)
        credentials = try configuration.objectStore.map { store throws(OriginError) in
            try CredentialKeeper(store, loop, CurlDriver(loop: loop, idleConnections: configuration.places), logger)
        }
    }

    // MARK: What callers ask

    func admit(
        _ request: OriginRequest, priority: Priority, ticket: FetchTicket,
        events: @escaping @Sendable (OriginEvent) -> Void
    ) {
        loop.preconditionCurrent()
        count { $0.fetches += 1 }
        guard !ticket.isCancelled else { return count { $0.aborted += 1 } }
        do throws(OriginError) {
            guard !isShutDown else { throw OriginError(.stopped, logDetail: "fetch after the shutdown") }
            let job = FetchJob(
                request, url: try OriginURL(request.url, keepsPath: request.isSigned), priority: priority,
                ticket: ticket,
                events: events, in: self)
            jobs[job.id] = job
            enqueue(job)
        } catch {
            count { $0.failed += 1 }
            logger.info("fetch refused", metadata: ["detail": "\(error.logDetail)"])
            events(.failed(error))
        }
    }

    func cancel(_ ticket: FetchTicket) {
        guard let job = jobs[ObjectIdentifier(ticket)] else { return }
        job.abandon()
        end(job, with: nil)
    }

    func reprioritise(_ ticket: FetchTicket, _ priority: Priority) {
        guard let job = jobs[ObjectIdentifier(ticket)] else { return }
        job.priority = priority
        places.reprioritise(job.id, to: priority)
        yieldPlaces(of: job.origin)
        fill()
    }

    /// Looks whether the fetch is to pause or to go on.
    func steer(_ ticket: FetchTicket) {
        jobs[ObjectIdentifier(ticket)]?.steer()
    }

    func shutDown() {
        loop.preconditionCurrent()
        guard !isShutDown else { return }
        isShutDown = true
        for job in jobs.values {
            job.abandon()
            end(job, with: .failed(OriginError(.stopped, logDetail: "the fetcher was shut down")))
        }
        driver.shutDown()
        credentials?.driver.shutDown()
    }

    // MARK: What fetches ask

    /// Puts the fetch in the line of its present origin.
    func enqueue(_ job: FetchJob) {
        guard !isShutDown else { return }
        let origin = job.origin
        if let left = record(origin).circuit.suspension(now: .now) {
            return end(job, with: .failed(job.lastError ?? suspended(origin, for: left)))
        }
        records[origin]?.waiting.insert(job.id)
        balance(origin)
        places.enqueue(job.id, in: origin, priority: job.priority)
        yieldPlaces(of: origin)
        fill()
        publish()
    }

    /// Gives back the place (or the turn) that the fetch has at its present origin.
    func release(_ job: FetchJob) {
        let origin = job.origin
        records[origin]?.waiting.remove(job.id)
        guard places.remove(job.id) == .holding else { return forget(origin) }
        records[origin]?.holding -= 1
        if job.isAnswered { records[origin]?.answering -= 1 }
        if records[origin]?.holding == 0 { busy.remove(origin) }
        if !job.isAnswered { records[origin]?.circuit.abandonedProbe(now: .now) }
        balance(origin)
        balanceBusy()
        forget(origin)
        publish()
    }

    /// Takes the fetch out of every table and tells its end; nil for a cancel, of which nothing is told.
    func end(_ job: FetchJob, with event: OriginEvent?) {
        guard jobs.removeValue(forKey: job.id) != nil else { return }
        release(job)
        job.close(with: event)
        count { statistics in
            switch event {
            case .finished: statistics.finished += 1
            case .notModified: statistics.notModified += 1
            case .failed: statistics.failed += 1
            default: statistics.aborted += 1
            }
        }
        fill()
        publish()
    }

    /// The origin answered a request sent at `begun`, whatever it said. May be called from within curl.
    ///
    /// - Parameter asksForLess: It said that it is asked too much.
    func answered(_ origin: Origin, begun: ContinuousClock.Instant, asksForLess: Bool) {
        if asksForLess {
            refused(origin, begun: begun)
        } else {
            resize(origin) { $0.answered(begun: begun, now: .now, atATime: $1.holding) }
        }
        guard var record = records[origin] else { return }
        let (wasClosed, wasSilent) = (record.circuit.isClosed, record.isSilent)
        record.circuit.answered()
        record.answered = .now
        record.isSilent = false
        records[origin] = record
        guard !wasClosed || wasSilent else { return }
        if !wasClosed {
            leftAlone.remove(origin)
            logger.notice("origin answers again", metadata: ["origin": "\(origin)"])
        }
        loop.execute { [self] in
            balance(origin)
            fill()
            publish()
        }
    }

    /// The origin did not answer a request sent at `begun`. That is a matter for the circuit: a window that shrank with it would
    /// stay small long after the network is there again.
    func failed(_ origin: Origin, _ error: OriginError, begun: ContinuousClock.Instant) {
        guard var record = records[origin] else { return }
        if error.reason == .timedOut, record.answered.map({ $0 < begun }) ?? true { record.isSilent = true }
        defer { balance(origin) }
        let opened = record.circuit.failed(now: .now)
        records[origin] = record
        guard opened, let left = record.circuit.suspension(now: .now) else { return }
        leftAlone.insert(origin)
        logger.warning(
            "origin is left alone", metadata: ["origin": "\(origin)", "for": "\(left)", "detail": "\(error.logDetail)"])
        for id in record.waiting {
            guard let job = jobs[id] else { continue }
            end(job, with: .failed(job.lastError ?? suspended(origin, for: left)))
        }
        loop.schedule(after: left) { [weak self] in
            if self?.records[origin]?.circuit.suspension(now: .now) == nil { self?.leftAlone.remove(origin) }
            self?.balance(origin)
            self?.forget(origin)
            self?.publish()
        }
    }

    /// Of one transfer that has its place. May be called from within curl.
    func answerBegan(_ origin: Origin) { records[origin]?.answering += 1 }

    func count(_ change: (inout OriginStatistics) -> Void) {
        tally.withLock { change(&$0) }
    }

    // MARK: Places

    /// Starts whoever may start. Not from within curl.
    func fill() {
        while !isShutDown, let id = places.startNext() {
            guard let job = jobs[id] else {
                places.remove(id)
                continue
            }
            let origin = job.origin
            records[origin]?.waiting.remove(id)
            records[origin]?.holding += 1
            busy.insert(origin)
            guard records[origin]?.circuit.mayAsk(now: .now) == .ask else {
                end(job, with: .failed(suspended(origin, for: configuration.suspension)))
                continue
            }
            limitRate(of: origin)
            balance(origin)
            balanceBusy()
            job.begin()
        }
    }

    /// Where prefetch holds more than its half while something visible waits, the least urgent goes back in the line;
    /// what it has read is not lost where the origin can resume.
    private func yieldPlaces(of origin: Origin) {
        while let id = places.nextToYield() ?? places.nextToYield(in: origin), let job = jobs[id] {
            job.abandon()
            release(job)
            _ = record(job.origin)
            records[job.origin]?.waiting.insert(id)
            places.enqueue(id, in: job.origin, priority: job.priority)
            job.wait()
            fill()
        }
    }

    private func limitRate(of origin: Origin) {
        guard let rate = configuration.requestsPerSecondPerOrigin else { return }
        let pause = Duration.seconds(Double(share.nodes) / rate)
        records[origin]?.restsUntil = .now + pause
        loop.schedule(after: pause) { [weak self] in
            self?.balance(origin)
            self?.forget(origin)
            self?.fill()
        }
    }

    private func balance(_ origin: Origin) {
        let free = configuration.places - places.holdingCount
        places.limit(origin, to: records[origin]?.limit(free: free, now: .now))
    }

    /// Starts nobody by itself: whoever answered or failed gives its place back in time.
    func resize(_ origin: Origin, _ change: (inout ConcurrencyWindow, OriginRecord) -> Void) {
        guard let record = records[origin] else { return }
        var window = record.window
        change(&window, record)
        let before = record.window.requests
        records[origin]?.window = window
        guard window.requests != before else { return }
        places.resize(origin, to: window.requests)
        logger.debug("origin is asked", metadata: ["origin": "\(origin)", "atATime": "\(window.requests)"])
        guard window.requests > before else { return }
        loop.execute { [self] in
            balance(origin)
            fill()
            publish()
        }
    }

    private func balanceBusy() {
        for origin in busy { balance(origin) }
    }

    // MARK: Records

    /// The store is the operator's own, and nobody else has what is in it: it is looked for as soon after a long absence as
    /// after a short one.
    private func fresh(_ origin: Origin) -> OriginRecord {
        let isStore = isStore(origin)
        let threshold = configuration.failuresUntilSuspended
        return OriginRecord(
            circuit: isStore
                ? Circuit(threshold: threshold, suspension: configuration.storeSuspension, doublings: 0)
                : Circuit(threshold: threshold, suspension: configuration.suspension),
            window: ConcurrencyWindow(isStore ? OriginShare(of: configuration.placesPerOrigin, among: 1) : share))
    }

    /// Whether it is the operator's own store, which bears what its nodes ask.
    func isStore(_ origin: Origin) -> Bool { credentials.map { origin.isWithin($0.origin) } ?? false }

    private func record(_ origin: Origin) -> OriginRecord {
        if let record = records[origin] { return record }
        if records.count >= crowd { forgetIdle() }
        let record = fresh(origin)
        records[origin] = record
        places.resize(origin, to: record.window.requests)
        return record
    }

    private func forget(_ origin: Origin) {
        guard records[origin]?.isForgettable(now: .now) == true else { return }
        drop(origin)
    }

    private func drop(_ origin: Origin) {
        records[origin] = nil
        places.limit(origin, to: nil)
        places.resize(origin, to: nil)
    }

    /// Forgets the origins that failed now and then and that nobody asks any more: a list of a million pictures may
    /// name a million hosts, many of them gone, and a redirect may lead to any name there is.
    private func forgetIdle() {
        let now = ContinuousClock.now
        for (origin, record) in records where record.isIdle(now: now) { drop(origin) }
        crowd = max(FetchEngine.leastCrowd, 2 * records.count)
    }

    private func suspended(_ origin: Origin, for left: Duration) -> OriginError {
        OriginError(.suspended, logDetail: "\(origin) is left alone", retryAfter: left)
    }

    private func publish() {
        let now = ContinuousClock.now
        let suspended = leftAlone.count { records[$0]?.circuit.suspension(now: now) != nil }
        tally.withLock { statistics in
            statistics.inFlight = places.holdingCount
            statistics.waiting = jobs.count - places.holdingCount
            statistics.suspendedOrigins = suspended
        }
    }
}
