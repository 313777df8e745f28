import BlockingIO
import DequeModule
import Glibc
import Images
import Locking
import Origins
import Renditions
import Scheduling

/// One fetch of one original for all jobs that need it. The origin's events go through a bounded queue to the spool
/// pool, which writes the bytes to a file as they arrive.
final class OriginalFetch: Sendable {
    /// The events for the loader.
    enum Event: Sendable {
        /// The first bytes have arrived and have the signature of an image.
        case readable(Spool)
        /// Enough of a JPEG has arrived that it may contain an embedded preview. Sent again when more has arrived.
        case prefixArrived(OriginalPrefix)
        /// Nothing more arrives until ``fetchRest()``.
        case parked
        case fetched(Fetched)
        case notModified(CachedOriginal)
        case failed(LoadFailure)
    }

    /// A complete original.
    struct Fetched: Sendable {
        let descriptor: OwnedDescriptor
        let kept: CachedOriginal
        let mayStore: Bool
    }

    private struct Inbox: Sendable {
        var events: Deque<OriginEvent> = []
        var pressure: Backpressure
        var isDraining = false
        var isCancelled = false
        /// Nothing more that arrives is of use.
        var hasFailed = false
        /// Whether the fetch is parked until the rest is requested.
        var isParked = false
        var wantsRest = false
        /// Whether the fetch was ever parked.
        var wasParked = false
        var fetch: (any OriginFetch)?
        /// When the request was sent, or when the origin last sent something.
        var lastActivity: Duration
    }

    /// How many events one call on the pool handles before other fetches get their turn.
    private static let eventsPerDrain = 16

    let image: ImageID
    let url: String
    private let isSigned: Bool
    /// The cached original that this fetch revalidates.
    let before: CachedOriginal?
    private let store: OriginalCache
    private let pool: BlockingPool
    private let time: any TimeKeeping
    private let onEvent: @Sendable (Event) -> Void
    private let inbox: Guarded<Inbox>
    private let work = Guarded(Work())

    /// Whether the first request is only for the prefix of the original.
    let beginsWithPrefix: Bool

    /// - Parameters:
    ///   - isSigned: Whether the request is signed with the operator's credentials.
    ///   - before: The cached original, if any; it makes the request conditional.
    ///   - beginsWithPrefix: Whether to request only the prefix (``OriginalPrefix/lengths``) before ``fetchRest()``.
    ///   - pool: Writes the bytes. Fetches share it.
    init(
        image: ImageID, url: String, isSigned: Bool = false, before: CachedOriginal?, beginsWithPrefix: Bool = false,
        store: OriginalCache, pool: BlockingPool, time: any TimeKeeping, unwrittenLimit: Int,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.image = image
        self.url = url
        self.isSigned = isSigned
        self.before = before
        self.beginsWithPrefix = beginsWithPrefix
        self.store = store
        self.pool = pool
        self.time = time
        self.onEvent = onEvent
        inbox = Guarded(Inbox(pressure: Backpressure(limit: unwrittenLimit), lastActivity: time.uptime()))
    }

    func start(_ origins: any OriginFetching, priority: Priority) {
        let request = OriginRequest(
            url: url, revalidate: before?.validators, isSigned: isSigned,
            prefixLength: beginsWithPrefix ? OriginalPrefix.lengths.first.map(Int.init) : nil)
        let fetch = origins.fetch(request, priority: priority) { [weak self] event in self?.receive(event) }
        let (isCancelled, wantsRest) = inbox.withLock {
            $0.fetch = fetch
            return ($0.isCancelled || $0.hasFailed, $0.wantsRest)
        }
        if isCancelled { fetch.cancel() } else if wantsRest { fetch.fetchRest() }
        applyPause()
    }

    /// How long nothing has arrived; nil while this node, not the origin, causes the wait.
    var silence: Duration? {
        let lastActivity = inbox.withLock { inbox in
            inbox.isCancelled || inbox.isDraining || inbox.isParked || inbox.pressure.isPaused
                ? nil : inbox.lastActivity
        }
        return lastActivity.map { time.uptime() - $0 }
    }

    func reprioritise(_ priority: Priority) { inbox.withLock { $0.fetch }?.reprioritise(priority) }

    /// Whether it was to be parked after its prefix, but never was: the origin ignores ranges, or the original is hardly
    /// longer.
    var hadNeedlessPrefix: Bool { beginsWithPrefix && !inbox.withLock { $0.wasParked || $0.wantsRest } }

    /// Whether only the prefix of the original was requested so far.
    var awaitsRequestForRest: Bool { beginsWithPrefix && !inbox.withLock { $0.wantsRest } }

    /// Fetches the original to its end, if only its prefix was requested.
    func fetchRest() {
        let now = time.uptime()
        let fetch = inbox.withLock { inbox -> (any OriginFetch)? in
            inbox.wantsRest = true
            if inbox.isParked { inbox.lastActivity = now }
            inbox.isParked = false
            return inbox.fetch
        }
        fetch?.fetchRest()
    }

    /// Aborts the fetch. No events follow, except one that is already being delivered.
    func cancel() {
        let fetch = inbox.withLock { inbox in
            inbox.isCancelled = true
            inbox.events = []
            return inbox.fetch
        }
        fetch?.cancel()
        // The file is deleted on the pool, after any write in progress.
        pool.submit { self.abandon() }
    }

    // MARK: - On the origin's thread

    private func receive(_ event: OriginEvent) {
        let now = time.uptime()
        let mustDrain = inbox.withLock { inbox in
            guard !inbox.isCancelled else { return false }
            inbox.lastActivity = now
            inbox.events.append(event)
            if case .bytes(let bytes) = event { inbox.pressure.received(bytes.count) }
            if case .parked = event {
                inbox.isParked = !inbox.wantsRest
                inbox.wasParked = true
            }
            defer { inbox.isDraining = true }
            return !inbox.isDraining
        }
        if mustDrain { submitDrain() }
        applyPause()
    }

    /// Tells the fetch to pause or to resume. Any thread.
    private func applyPause() {
        while let (fetch, command) = nextCommand() {
            switch command {
            case .pause: fetch.pause()
            case .resume: fetch.resume()
            }
            inbox.withLock { $0.pressure.commandDelivered() }
        }
    }

    private func nextCommand() -> (any OriginFetch, Backpressure.Command)? {
        inbox.withLock { inbox in
            guard let fetch = inbox.fetch, let command = inbox.pressure.nextCommand() else { return nil }
            return (fetch, command)
        }
    }

    private func submitDrain() {
        pool.submit { self.drain() }
    }

    // MARK: - On the spooling pool

    private func drain() {
        for _ in 0..<Self.eventsPerDrain {
            let event = inbox.withLock { inbox -> OriginEvent? in
                guard let event = inbox.events.popFirst() else {
                    inbox.isDraining = false
                    return nil
                }
                return event
            }
            guard let event else { return }
            let events = work.withLock { handle(event, &$0) }
            if case .bytes(let bytes) = event { wrote(bytes.count) }
            for item in events where !inbox.withLock({ $0.isCancelled }) { self.onEvent(item) }
        }
        submitDrain()
    }

    private func wrote(_ count: Int) {
        inbox.withLock { $0.pressure.wrote(count) }
        applyPause()
    }

    private func handle(_ event: OriginEvent, _ work: inout Work) -> [Event] {
        guard !work.isOver else { return [] }
        do throws(LoadFailure) {
            switch event {
            case .started(let head):
                try start(head, &work)
                return []
            case .bytes(let bytes):
                try append(bytes, &work)
                return announce(&work) + announcePrefix(&work)
            case .parked: return [.parked]
            case .finished: return [.fetched(try finish(&work))]
            case .notModified(let head): return [try notModified(head, &work)]
            case .failed(let error): throw LoadFailure(error)
            }
        } catch {
            // The origin may still be sending, but its bytes are of no use now. Its first events may arrive before
            // `start` has the fetch.
            let fetch = inbox.withLock { inbox in
                inbox.hasFailed = true
                return inbox.fetch
            }
            fetch?.cancel()
            end(&work, failure: error)
            return [.failed(error)]
        }
    }

    private func start(_ head: OriginHead, _ work: inout Work) throws(LoadFailure) {
        if let before = work.head, let spool = work.spool {
            let version = ContentVersion(head.validators, length: head.declaredLength)
            if let version, version == spool.headVersion, head.declaredLength == before.declaredLength,
                !work.mayStartOver
            {
                // The same content from byte 0: skip the bytes that are already written.
                work.bytesToSkip = spool.written
                work.head = head
                return
            }
            // Different content: readers with bytes of the old content must fail, and new readers get a new file.
            end(&work, failure: .changing)
            work = Work()
        }
        let made: (descriptor: OwnedDescriptor, path: String?)
        do throws(DescriptorError) {
            made = try store.makeIncoming()
            // An original that will not fit in memory is not fetched to its end.
            if made.path == nil { try made.descriptor.reserve(head.declaredLength ?? 0) }
        } catch {
            throw .noRoom(error)
        }
        work.head = head
        work.path = made.path
        if !head.mayStore, let path = made.path {
            // The origin forbids storing it: without a name, the file lives only as long as its descriptor.
            store.drop(incoming: path)
            work.path = nil
        }
        work.spool = Spool(
            descriptor: made.descriptor, declaredLength: head.declaredLength,
            headVersion: ContentVersion(head.validators, length: head.declaredLength))
    }

    private func append(_ all: [UInt8], _ work: inout Work) throws(LoadFailure) {
        guard let spool = work.spool else { throw .unreadable("bytes before their head") }
        var bytes = all
        if work.bytesToSkip > 0 {
            let skipped = min(Int64(bytes.count), work.bytesToSkip)
            work.bytesToSkip -= skipped
            bytes.removeFirst(Int(skipped))
        }
        guard !bytes.isEmpty else { return }
        do throws(DescriptorError) {
            try spool.append(bytes)
        } catch {
            guard error.isDiskFull else { throw .noRoom(error) }
            try moveToMemory(spool, &work)
            do throws(DescriptorError) { try spool.append(bytes) } catch { throw .noRoom(error) }
        }
        work.digest.update(bytes)
        if work.firstBytes.count < PictureSignature.length {
            work.firstBytes += bytes.prefix(PictureSignature.length - work.firstBytes.count)
        }
    }

    /// The disk is full: continue in memory, without caching the original.
    private func moveToMemory(_ spool: Spool, _ work: inout Work) throws(LoadFailure) {
        do throws(DescriptorError) {
            let memory = try store.makeInMemory()
            try memory.reserve(max(spool.written, spool.declaredLength ?? 0))
            var offset: Int64 = 0
            while offset < spool.written {
                let piece = try spool.descriptor.read(min(1 << 18, Int(spool.written - offset)), at: offset)
                guard !piece.isEmpty else { throw DescriptorError(operation: "pread", code: EIO) }
                try memory.write(piece[...], at: offset)
                offset += Int64(piece.count)
            }
            spool.move(to: memory)
        } catch {
            throw .noRoom(error)
        }
        if let path = work.path { store.drop(incoming: path) }
        work.path = nil
    }

    private func announce(_ work: inout Work) -> [Event] {
        guard !work.isAnnounced, let spool = work.spool, work.firstBytes.count >= PictureSignature.length,
            let mediaType = spool.mediaType ?? PictureSignature.mediaType(of: work.firstBytes)
        else { return [] }
        spool.mediaType = mediaType
        guard !work.mayStartOver else { return [] }
        work.isAnnounced = true
        return [.readable(spool)]
    }

    /// Only for JPEGs of known version that are at least twice as long as the prefix.
    private func announcePrefix(_ work: inout Work) -> [Event] {
        guard let spool = work.spool, let head = work.head, spool.mediaType == FileFormat.jpeg.mediaType,
            let version = spool.headVersion, let length = spool.declaredLength
        else { return [] }
        let due = OriginalPrefix.lengths.count { $0 <= spool.written && $0 <= length / 2 }
        guard due > work.prefixes, let descriptor = try? spool.descriptor.forReading() else { return [] }
        work.prefixes = due
        let source = OriginalSource(
            descriptor: descriptor, version: version, length: length, modified: head.validators.modified,
            mayStore: head.mayStore)
        let record = CachedOriginal(
            image: image, url: url, version: version, validators: head.validators, length: length,
            freshUntil: freshUntil(head), mustRevalidate: head.mustRevalidate ?? false, isKept: false)
        return [.prefixArrived(OriginalPrefix(of: source, available: spool.written, record: record))]
    }

    private func finish(_ work: inout Work) throws(LoadFailure) -> Fetched {
        guard let spool = work.spool, let head = work.head, work.bytesToSkip == 0 else {
            throw .unreadable("the end before the bytes")
        }
        work.isOver = true
        let length = spool.written
        let version = ContentVersion(head.validators, length: length) ?? work.digest.version
        let kept = CachedOriginal(
            image: image, url: url, version: version, validators: head.validators, length: length,
            freshUntil: freshUntil(head), mustRevalidate: head.mustRevalidate ?? false, isKept: work.path != nil)
        // End the spool first, then store the file, then report it, so that nobody fetches it a second time.
        spool.end(.whole)
        if let path = work.path { store.keep(kept, incoming: path) }
        // A decoder gets this descriptor and must not be able to write to the file.
        let descriptor: OwnedDescriptor
        do throws(DescriptorError) { descriptor = try spool.descriptor.forReading() } catch { throw .noRoom(error) }
        return Fetched(descriptor: descriptor, kept: kept, mayStore: head.mayStore)
    }

    private func notModified(_ head: OriginHead, _ work: inout Work) throws(LoadFailure) -> Event {
        guard let before else { throw .unreadable("304 to a request without validators") }
        work.isOver = true
        let kept = CachedOriginal(
            image: image, url: url, version: before.version,
            validators: head.validators.isEmpty ? before.validators : head.validators, length: before.length,
            freshUntil: freshUntil(head), mustRevalidate: head.mustRevalidate ?? before.mustRevalidate,
            isKept: before.isKept)
        store.refresh(kept)
        return .notModified(kept)
    }

    private func freshUntil(_ head: OriginHead) -> Int64 {
        let seconds = min(max(0, head.freshFor.components.seconds), 366 * 86_400)
        return time.secondsSince1970() + seconds
    }

    private func abandon() { work.withLock { end(&$0, failure: .unwanted) } }

    private func end(_ work: inout Work, failure: LoadFailure) {
        work.spool?.end(.failed(failure))
        if !work.isOver, let path = work.path { store.drop(incoming: path) }
        work.isOver = true
        work.path = nil
    }
}

extension LoadFailure {
    static let unwanted = LoadFailure(status: 499, publicMessage: "The picture is no longer wanted.")

    static func noRoom(_ error: DescriptorError) -> LoadFailure {
        LoadFailure(
            status: 503, publicMessage: "The server has no room for the picture.", logDetail: error.description,
            retryAfter: .seconds(30))
    }
}
