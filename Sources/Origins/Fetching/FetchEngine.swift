import CCurl
import EventLoops
import Locking
import Logging
import Scheduling

/// Owns all fetches, the queue for permits, and the state of each origin.
///
/// Invariant of the unchecked conformance: all mutable state except `tally` is confined to `loop`.
final class FetchEngine: @unchecked Sendable {
    let loop: EventLoop
    let configuration: Configuration
    let filter: AddressFilter
    let policy: RetryPolicy
    let logger: Logger
    let driver: CurlDriver
    /// For services that the operator has named. They may be at addresses that pictures must not come from, and curl would
    /// reuse an open connection for any request to its host.
    let serviceDriver: CurlDriver
    /// Credentials for signed requests.
    let credentials: CredentialProvider?
    let tally = Guarded(OriginStatistics())

    private var jobs: [ObjectIdentifier: FetchJob] = [:]
    /// The fetches that are parked.
    var parked: Set<ObjectIdentifier> = []
    private var permits: PermitAllocator<ObjectIdentifier, Origin>
    private(set) var records: [Origin: OriginState] = [:]
    /// This node's share of the limits per origin.
    var share: OriginShare
    /// Called with refusals that the other nodes should know of.
    var reportRefusal: @Sendable (OriginRefusal) -> Void = { _ in }
    /// Once there are this many records, idle ones are removed.
    private var waiting = FetchEngine.minimumWaiting
    static let minimumWaiting = 1024
    /// Recently suspended origins: few, even if there are many records.
    private var recentlySuspended: Set<Origin> = []
    /// Origins with transfers in flight; at most as many as there are permits.
    private var busy: Set<Origin> = []
    private var isShutDown = false
    private var isFilling = false

    init(_ configuration: Configuration, loop: EventLoop, filter: AddressFilter, logger: Logger) throws(OriginError) {
        self.configuration = configuration
        self.loop = loop
        self.filter = filter
        self.logger = logger
        policy = RetryPolicy(configuration)
        share = OriginShare(of: configuration.permitsPerOrigin, among: 1)
        permits = PermitAllocator(permits: configuration.permits, permitsPerGroup: configuration.permitsPerOrigin)
        driver = try CurlDriver(loop: loop, idleConnections: configuration.permits)
        serviceDriver = try CurlDriver(loop: loop, idleConnections: 4)
        credentials = try configuration.objectStore.map { store throws(OriginError) in
            try CredentialProvider(store, loop, CurlDriver(loop: loop, idleConnections: configuration.permits), logger)
        }
    }

    // MARK: Calls from clients

    func admit(
        _ request: OriginRequest, priority: Priority, ticket: FetchTicket,
        events: @escaping @Sendable (OriginEvent) -> Void
    ) {
        loop.preconditionCurrent()
        count { $0.fetches += 1 }
        guard !ticket.isCancelled else { return count { $0.aborted += 1 } }
        do throws(OriginError) {
            guard !isShutDown else { throw OriginError(.stopped, logDetail: "fetch after shutdown") }
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
        permits.reprioritise(job.id, to: priority)
        yieldPermits(of: job.origin)
        fill()
        publish()
    }

    /// Checks whether the fetch must pause or resume.
    func applyPause(_ ticket: FetchTicket) {
        jobs[ObjectIdentifier(ticket)]?.applyPause()
    }

    func fetchRest(_ ticket: FetchTicket) {
        jobs[ObjectIdentifier(ticket)]?.unpark()
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
        serviceDriver.shutDown()
        credentials?.driver.shutDown()
    }

    // MARK: Calls from fetches

    /// Queues the fetch for a permit of its current origin.
    func enqueue(_ job: FetchJob) {
        guard !isShutDown else { return }
        let origin = job.origin
        if let left = record(origin).circuitBreaker.suspension(now: .now) {
            return end(job, with: .failed(job.lastError ?? suspended(origin, for: left)))
        }
        records[origin]?.waiting.insert(job.id)
        balance(origin)
        permits.enqueue(job.id, in: origin, priority: job.priority)
        yieldPermits(of: origin)
        fill()
        publish()
    }

    /// Returns the fetch's permit, or removes it from the queue.
    func release(_ job: FetchJob) {
        let origin = job.origin
        records[origin]?.waiting.remove(job.id)
        guard permits.remove(job.id) == .holding else { return forget(origin) }
        records[origin]?.holding -= 1
        if job.isAnswered { records[origin]?.answering -= 1 }
        if records[origin]?.holding == 0 { busy.remove(origin) }
        if !job.isAnswered { records[origin]?.circuitBreaker.abandonedProbe(now: .now) }
        balance(origin)
        balanceBusy()
        forget(origin)
        publish()
    }

    /// Removes the fetch from all tables and reports its end; nil after a cancel, which is not reported. A fetch that ends
    /// between its cancel and the cancel's turn on the loop counts as aborted: its caller never learns of the end.
    func end(_ job: FetchJob, with event: OriginEvent?) {
        guard jobs.removeValue(forKey: job.id) != nil else { return }
        let wasParked = parked.remove(job.id) != nil
        let event = job.ticket.isCancelled ? nil : event
        release(job)
        // The caller finds its fetch counted once it learns of the end.
        count { statistics in
            switch event {
            case .finished: statistics.finished += 1
            case .notModified: statistics.notModified += 1
            case .failed: statistics.failed += 1
            default: if wasParked { statistics.prefixes += 1 } else { statistics.aborted += 1 }
            }
        }
        job.close(with: event)
        fill()
        publish()
    }

    /// The origin responded to a request sent at `begun`, with any status. May be called from within curl.
    ///
    /// - Parameter isThrottling: Whether it asked for fewer requests.
    func answered(_ origin: Origin, begun: ContinuousClock.Instant, isThrottling: Bool) {
        if isThrottling {
            refused(origin, begun: begun)
        } else {
            resize(origin) { $0.answered(begun: begun, now: .now, atATime: $1.holding) }
        }
        guard var record = records[origin] else { return }
        let (wasClosed, wasSilent) = (record.circuitBreaker.isClosed, record.isSilent)
        record.circuitBreaker.answered()
        record.answered = .now
        record.isSilent = false
        records[origin] = record
        guard !wasClosed || wasSilent else { return }
        if !wasClosed {
            recentlySuspended.remove(origin)
            logger.notice("origin answers again", metadata: ["origin": "\(origin)"])
        }
        loop.execute { [self] in
            balance(origin)
            fill()
            publish()
        }
    }

    /// The origin did not respond to a request sent at `begun`. This affects only the circuit breaker: a window that
    /// shrank as well would stay small long after the network has recovered.
    func failed(_ origin: Origin, _ error: OriginError, begun: ContinuousClock.Instant) {
        guard var record = records[origin] else { return }
        if error.reason == .timedOut, record.answered.map({ $0 < begun }) ?? true { record.isSilent = true }
        defer { balance(origin) }
        let opened = record.circuitBreaker.failed(now: .now)
        records[origin] = record
        guard opened, let left = record.circuitBreaker.suspension(now: .now) else { return }
        recentlySuspended.insert(origin)
        logger.warning(
            "origin is suspended", metadata: ["origin": "\(origin)", "for": "\(left)", "detail": "\(error.logDetail)"])
        for id in record.waiting {
            guard let job = jobs[id] else { continue }
            end(job, with: .failed(job.lastError ?? suspended(origin, for: left)))
        }
        loop.schedule(after: left) { [weak self] in
            if self?.records[origin]?.circuitBreaker.suspension(now: .now) == nil {
                self?.recentlySuspended.remove(origin)
            }
            self?.balance(origin)
            self?.forget(origin)
            self?.publish()
        }
    }

    /// The response of a transfer with a permit has begun. May be called from within curl.
    func answerBegan(_ origin: Origin) { records[origin]?.answering += 1 }

    func count(_ change: (inout OriginStatistics) -> Void) {
        tally.withLock { change(&$0) }
    }

    // MARK: Permits

    /// Starts all fetches that may start. Not from within curl.
    func fill() {
        // A fetch that fails at once calls this again: the outer loop takes the next one, however many wait.
        guard !isFilling else { return }
        isFilling = true
        defer { isFilling = false }
        while !isShutDown, let id = permits.startNext() {
            guard let job = jobs[id] else {
                permits.remove(id)
                continue
            }
            let origin = job.origin
            records[origin]?.waiting.remove(id)
            records[origin]?.holding += 1
            busy.insert(origin)
            guard records[origin]?.circuitBreaker.decide(now: .now) == .proceed else {
                end(job, with: .failed(suspended(origin, for: configuration.suspension)))
                continue
            }
            limitRate(of: origin)
            balance(origin)
            balanceBusy()
            job.begin()
        }
    }

    /// While prefetches hold more than their half and visible fetches wait, the least urgent prefetch returns to the
    /// queue. What it has read is not lost if the origin supports ranges.
    private func yieldPermits(of origin: Origin) {
        while let id = permits.nextToYield() ?? permits.nextToYield(in: origin), let job = jobs[id] {
            job.abandon()
            release(job)
            // After a redirect, it begins again at its own origin.
            job.wait()
            _ = record(job.origin)
            records[job.origin]?.waiting.insert(id)
            permits.enqueue(id, in: job.origin, priority: job.priority)
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
            self?.publish()
        }
    }

    private func balance(_ origin: Origin) {
        let free = configuration.permits - permits.holdingCount
        permits.limit(origin, to: records[origin]?.limit(free: free, now: .now))
    }

    /// Starts no fetch by itself: the transfer that responded or failed returns its permit soon.
    func resize(_ origin: Origin, _ change: (inout ConcurrencyWindow, OriginState) -> Void) {
        guard let record = records[origin] else { return }
        var window = record.window
        change(&window, record)
        let before = record.window.requests
        records[origin]?.window = window
        guard window.requests != before else { return }
        permits.resize(origin, to: window.requests)
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

    /// The object store is the operator's own, and its contents are nowhere else, so its suspensions do not grow.
    private func fresh(_ origin: Origin) -> OriginState {
        let isStore = isStore(origin)
        let threshold = configuration.failuresUntilSuspended
        return OriginState(
            circuitBreaker: isStore
                ? CircuitBreaker(threshold: threshold, suspension: configuration.storeSuspension, doublings: 0)
                : CircuitBreaker(threshold: threshold, suspension: configuration.suspension),
            window: ConcurrencyWindow(isStore ? OriginShare(of: configuration.permitsPerOrigin, among: 1) : share))
    }

    /// Whether the origin is the operator's object store, which must bear what the nodes request.
    func isStore(_ origin: Origin) -> Bool { credentials.map { origin.isWithin($0.origin) } ?? false }

    private func record(_ origin: Origin) -> OriginState {
        if let record = records[origin] { return record }
        if records.count >= waiting { forgetIdle() }
        let record = fresh(origin)
        records[origin] = record
        permits.resize(origin, to: record.window.requests)
        return record
    }

    private func forget(_ origin: Origin) {
        guard records[origin]?.isForgettable(now: .now) == true else { return }
        drop(origin)
    }

    private func drop(_ origin: Origin) {
        records[origin] = nil
        permits.limit(origin, to: nil)
        permits.resize(origin, to: nil)
    }

    /// Forgets origins that failed occasionally and are not in use: a list of a million images may name a million
    /// hosts, many of them gone, and a redirect may lead to any host name.
    private func forgetIdle() {
        let now = ContinuousClock.now
        for (origin, record) in records where record.isIdle(now: now) { drop(origin) }
        waiting = max(FetchEngine.minimumWaiting, 2 * records.count)
    }

    private func suspended(_ origin: Origin, for left: Duration) -> OriginError {
        OriginError(.suspended, logDetail: "\(origin) is suspended", retryAfter: left)
    }

    func publish() {
        let now = ContinuousClock.now
        let suspended = recentlySuspended.count { records[$0]?.circuitBreaker.suspension(now: now) != nil }
        tally.withLock { statistics in
            statistics.inFlight = permits.holdingCount
            statistics.waiting = jobs.count - permits.holdingCount - parked.count
            statistics.parked = parked.count
            statistics.suspendedOrigins = suspended
        }
    }
}
