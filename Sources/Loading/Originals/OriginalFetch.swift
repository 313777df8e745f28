import DequeModule
import Glibc
import Images
import Locking
import Origins
import Renditions
import Scheduling

/// One fetch of one original for all who want anything of it: the origin's events go through a bounded queue to the
/// spool lane, which writes them to a file as they come.
final class OriginalFetch: Sendable {
    /// What the loader hears of it.
    enum News: Sendable {
        /// The first bytes are there and are a picture's.
        case grows(Spool)
        /// There is so much of a camera's picture that its own preview may be among it; told again when there is more.
        case begun(OriginalBeginning)
        case fetched(Fetched)
        case notModified(KeptOriginal)
        case failed(LoadFailure)
    }

    /// A whole original.
    struct Fetched: Sendable {
        let descriptor: OwnedDescriptor
        let kept: KeptOriginal
        let mayStore: Bool
    }

    private struct Inbox: Sendable {
        var events: Deque<OriginEvent> = []
        var pressure: Backpressure
        var isDraining = false
        var isCancelled = false
        var fetch: (any OriginFetch)?
        /// When the origin was asked, or last heard.
        var heardAt: Duration
    }

    /// What the lane works on; one drain at a time touches it.
    private struct Work: Sendable {
        var head: OriginHead?
        var spool: Spool?
        var path: String?
        var digest = VersionDigest()
        var beginning: [UInt8] = []
        var isAnnounced = false
        /// How often its beginning was told of.
        var beginnings = 0
        /// Bytes that come again after a restart and are there already.
        var repeated: Int64 = 0
        var isOver = false
    }

    /// Events that one turn on the lane handles, so that fetches take turns.
    private static let turn = 16

    let image: ImageID
    private let url: String
    private let isSigned: Bool
    /// What is kept of the original and was asked to be confirmed.
    let before: KeptOriginal?
    private let store: OriginalStore
    private let lane: BlockingLane
    private let time: any TimeKeeping
    private let news: @Sendable (News) -> Void
    private let inbox: Guarded<Inbox>
    private let work = Guarded(Work())

    /// - Parameters:
    ///   - isSigned: Whether it is fetched in the operator's name.
    ///   - before: What is kept of it; makes the request conditional.
    ///   - lane: Writes; any number of fetches share it.
    init(
        image: ImageID, url: String, isSigned: Bool = false, before: KeptOriginal?, store: OriginalStore,
        lane: BlockingLane,
        time: any TimeKeeping, unwrittenLimit: Int, news: @escaping @Sendable (News) -> Void
    ) {
        self.image = image
        self.url = url
        self.isSigned = isSigned
        self.before = before
        self.store = store
        self.lane = lane
        self.time = time
        self.news = news
        inbox = Guarded(Inbox(pressure: Backpressure(limit: unwrittenLimit), heardAt: time.uptime()))
    }

    func start(_ origins: any OriginFetching, priority: Priority) {
        let request = OriginRequest(url: url, revalidate: before?.validators, isSigned: isSigned)
        let fetch = origins.fetch(request, priority: priority) { [weak self] event in self?.receive(event) }
        let isCancelled = inbox.withLock {
            $0.fetch = fetch
            return $0.isCancelled
        }
        if isCancelled { fetch.cancel() }
        steer()
    }

    /// For how long nothing has come; nil while it is not the origin that is waited for.
    var silence: Duration? {
        let heardAt = inbox.withLock { inbox in
            inbox.isCancelled || inbox.isDraining || inbox.pressure.isPaused ? nil : inbox.heardAt
        }
        return heardAt.map { time.uptime() - $0 }
    }

    func reprioritise(_ priority: Priority) { inbox.withLock { $0.fetch }?.reprioritise(priority) }

    /// Aborts the fetch; no news come any more, save one already on its way.
    func cancel() {
        let fetch = inbox.withLock { inbox in
            inbox.isCancelled = true
            inbox.events = []
            return inbox.fetch
        }
        fetch?.cancel()
        // The file is dropped on the lane, behind a write that may be under way.
        lane.submit(BlockingLane.newWork(), priority: .background) { self.abandon() }
    }

    // MARK: - On the origin's thread

    private func receive(_ event: OriginEvent) {
        let now = time.uptime()
        let mustDrain = inbox.withLock { inbox in
            guard !inbox.isCancelled else { return false }
            inbox.heardAt = now
            inbox.events.append(event)
            if case .bytes(let bytes) = event { inbox.pressure.received(bytes.count) }
            defer { inbox.isDraining = true }
            return !inbox.isDraining
        }
        if mustDrain { submitDrain() }
        steer()
    }

    /// Tells the fetch to pause or to go on. From any thread.
    private func steer() {
        while let (fetch, order) = nextOrder() {
            switch order {
            case .pause: fetch.pause()
            case .resume: fetch.resume()
            }
            inbox.withLock { $0.pressure.told() }
        }
    }

    private func nextOrder() -> (any OriginFetch, Backpressure.Order)? {
        inbox.withLock { inbox in
            guard let fetch = inbox.fetch, let order = inbox.pressure.nextOrder() else { return nil }
            return (fetch, order)
        }
    }

    private func submitDrain() {
        lane.submit(BlockingLane.newWork(), priority: .background) { self.drain() }
    }

    // MARK: - On the spool lane

    private func drain() {
        for _ in 0..<Self.turn {
            let event = inbox.withLock { inbox -> OriginEvent? in
                guard let event = inbox.events.popFirst() else {
                    inbox.isDraining = false
                    return nil
                }
                return event
            }
            guard let event else { return }
            let news = work.withLock { handle(event, &$0) }
            if case .bytes(let bytes) = event { wrote(bytes.count) }
            for item in news where !inbox.withLock({ $0.isCancelled }) { self.news(item) }
        }
        submitDrain()
    }

    private func wrote(_ count: Int) {
        inbox.withLock { $0.pressure.wrote(count) }
        steer()
    }

    private func handle(_ event: OriginEvent, _ work: inout Work) -> [News] {
        guard !work.isOver else { return [] }
        do throws(LoadFailure) {
            switch event {
            case .started(let head):
                try start(head, &work)
                return []
            case .bytes(let bytes):
                try append(bytes, &work)
                return announce(&work) + tellOfBeginning(&work)
            case .finished: return [.fetched(try finish(&work))]
            case .notModified(let head): return [try notModified(head, &work)]
            case .failed(let error): throw LoadFailure(error)
            }
        } catch {
            // The origin may still be sending: it is of no use any more.
            inbox.withLock { $0.fetch }?.cancel()
            end(&work, failure: error)
            return [.failed(error)]
        }
    }

    private func start(_ head: OriginHead, _ work: inout Work) throws(LoadFailure) {
        if let before = work.head, let spool = work.spool {
            let version = ContentVersion(head.validators, length: head.declaredLength)
            if let version, version == spool.headVersion, head.declaredLength == before.declaredLength {
                // The same content from byte 0: what is there already is passed over.
                work.repeated = spool.written
                work.head = head
                return
            }
            // Another content: readers that saw bytes of the one before must fail, and new ones get a new file.
            end(&work, failure: .changing)
            work = Work()
        }
        let made: (descriptor: OwnedDescriptor, path: String?)
        do throws(DescriptorError) {
            made = try store.makeIncoming()
            // What will not fit in memory is not fetched to its end.
            if made.path == nil { try made.descriptor.reserve(head.declaredLength ?? 0) }
        } catch {
            throw .noRoom(error)
        }
        work.head = head
        work.path = made.path
        if !head.mayStore, let path = made.path {
            // Nobody else may find it: it lives as long as its descriptor.
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
        if work.repeated > 0 {
            let skipped = min(Int64(bytes.count), work.repeated)
            work.repeated -= skipped
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
        if work.beginning.count < PictureSignature.length {
            work.beginning += bytes.prefix(PictureSignature.length - work.beginning.count)
        }
    }

    /// The disk is full: the picture goes on in memory, and is not kept.
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

    private func announce(_ work: inout Work) -> [News] {
        guard !work.isAnnounced, let spool = work.spool, work.beginning.count >= PictureSignature.length else {
            return []
        }
        work.isAnnounced = true
        guard let mediaType = PictureSignature.mediaType(of: work.beginning) else { return [] }
        spool.mediaType = mediaType
        return [.grows(spool)]
    }

    /// Of what takes much longer than its beginning, and has a version by which what is made of it can be known.
    private func tellOfBeginning(_ work: inout Work) -> [News] {
        guard let spool = work.spool, let head = work.head, spool.mediaType == FileFormat.jpeg.mediaType,
            let version = spool.headVersion, let length = spool.declaredLength
        else { return [] }
        let due = OriginalBeginning.lengths.count { $0 <= spool.written && $0 <= length / 2 }
        guard due > work.beginnings, let descriptor = try? spool.descriptor.forReading() else { return [] }
        work.beginnings = due
        return [
            .begun(
                OriginalBeginning(
                    source: OriginalSource(
                        descriptor: descriptor, version: version, length: length, modified: head.validators.modified,
                        mayStore: head.mayStore),
                    available: spool.written, freshUntil: freshUntil(head)))
        ]
    }

    private func finish(_ work: inout Work) throws(LoadFailure) -> Fetched {
        guard let spool = work.spool, let head = work.head, work.repeated == 0 else {
            throw .unreadable("the end before the bytes")
        }
        work.isOver = true
        let length = spool.written
        let version = ContentVersion(head.validators, length: length) ?? work.digest.version
        let kept = KeptOriginal(
            image: image, url: url, version: version, validators: head.validators, length: length,
            freshUntil: freshUntil(head), mustRevalidate: head.mustRevalidate ?? false, isKept: work.path != nil)
        // Readers hear first; it is in the store before anybody else hears, so that nobody fetches it a second time.
        spool.end(.whole)
        if let path = work.path { store.keep(kept, incoming: path) }
        // It is handed to a decoder, which shall not be able to write into it.
        let descriptor: OwnedDescriptor
        do throws(DescriptorError) { descriptor = try spool.descriptor.forReading() } catch { throw .noRoom(error) }
        return Fetched(descriptor: descriptor, kept: kept, mayStore: head.mayStore)
    }

    private func notModified(_ head: OriginHead, _ work: inout Work) throws(LoadFailure) -> News {
        guard let before else { throw .unreadable("304 to a request without validators") }
        work.isOver = true
        let kept = KeptOriginal(
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
