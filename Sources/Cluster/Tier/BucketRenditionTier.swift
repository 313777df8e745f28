import Dispatch
public import Images
public import Loading
import Locking
public import Logging
public import Metrics
public import Origins
import Renditions
import Scheduling
import Synchronization

/// Renditions in a bucket of an S3-compatible store. They outlive every node, so a node that starts with an empty
/// disk finds them.
///
/// Each rendition is an object of its own whose key includes the content version. No object is ever overwritten with
/// different content, so the nodes need no coordination. Tessera never deletes any: that is left to the bucket's
/// lifecycle rules.
public final class BucketRenditionTier: RenditionTier {
    /// The largest rendition to store, in bytes. From 1 MiB up, libcurl would send `Expect: 100-continue` and wait
    /// (RFC 9110 §10.1.1).
    static let largest = 1_000_000
    /// Incremented when the format of the objects changes, so that old and new programs share nothing.
    private static let form = 1
    /// A lookup must be faster than making the rendition.
    static let lookupTimeout = DispatchTimeInterval.milliseconds(300)
    /// Concurrent uploads; further renditions are not stored.
    static let maximumUploads = 32
    /// Concurrent lookups, including those that have already timed out; further ones count as misses.
    static let maximumLookups = 32
    /// A load waits for each lookup, so lookups have visible priority.
    private static let lookupPriority = Priority(level: .visible, viewport: .max, isBrief: true, distance: 0)
    private static let uploadPriority = Priority(level: .background, viewport: 0, distance: 0)

    private let origins: any OriginFetching
    private let folder: String
    private let backoff = Guarded(TierBackoff())
    private let timerQueue = DispatchQueue(label: "tessera.bucket.tier")
    private let uploads = Atomic<Int>(0)
    private let lookups = Atomic<Int>(0)
    private let counts = Guarded(Statistics())
    /// Whether the last upload succeeded.
    private let acceptsWrites = Guarded(true)
    private let logger: Logger

    /// Counters since the start; ``metrics`` says what each one counts.
    public struct Statistics: Hashable, Sendable, MetricsReporting {
        public var found = 0
        public var notFound = 0
        public var failed = 0
        public var kept = 0
        public var notKept = 0

        public static let metrics: [Metric<Statistics>] = [
            .counter("found", "Renditions found in the bucket.", \.found),
            .counter("notFound", "Renditions that the bucket did not have.", \.notFound),
            .counter("failed", "Look-ups that the object store refused or did not answer in time.", \.failed),
            .counter("kept", "Renditions written to the bucket.", \.kept),
            .counter(
                "notKept", "Renditions that were not written, refused by the object store or too many at once.",
                \.notKept),
        ]
    }

    /// - Parameters:
    ///   - origins: Sends the requests and signs them for the store.
    ///   - folder: The URL prefix of every object, ending in a slash.
    ///   - gallery: A name that all nodes of this gallery use, and no other gallery in the same bucket.
    public init(origins: any OriginFetching, folder: String, gallery: String, logger: Logger) {
        self.origins = origins
        self.logger = logger
        self.folder = "\(folder)\(gallery)/\(Self.form)-\(RenditionRecipe.current)/"
    }

    /// The counters so far. Callable from any thread.
    public var figures: Statistics { counts.withLock(\.self) }
    public var servesSingleNode: Bool { true }

    public func find(
        _ name: SharedName, listed: ContentVersion?, on occasion: LookupOccasion,
        found: @escaping @Sendable (SharedRendition?) -> Void
    ) {
        guard let version = name.version ?? listed else { return found(nil) }
        guard lookups.add(1, ordering: .relaxed).newValue <= Self.maximumLookups,
            backoff.withLock({ $0.mayTry(now: .now) })
        else {
            lookups.subtract(1, ordering: .relaxed)
            return found(nil)
        }
        let name = name.with(version)
        let lookup = TierLookup { [self] in
            lookups.subtract(1, ordering: .relaxed)
        } ended: { [self] outcome in
            backoff.withLock { outcome == .late ? $0.timedOut(now: .now) : $0.succeeded() }
            var tile: RenditionBytes?
            if case .found(let bytes) = outcome { tile = SharedBytes.tile(bytes, name, version: version) }
            counts.withLock { counts in
                switch outcome {
                case .found: if tile == nil { counts.notFound += 1 } else { counts.found += 1 }
                case .absent: counts.notFound += 1
                case .late, .failed: counts.failed += 1
                }
            }
            found(tile.map { SharedRendition(tile: $0) })
        }
        _ = origins.fetch(request(name), priority: Self.lookupPriority) { lookup.take($0) }
        timerQueue.asyncAfter(deadline: .now() + Self.lookupTimeout) { lookup.giveUp() }
    }

    public func store(
        _ rendition: SharedRendition, as name: SharedName, listed: ContentVersion?, fence: UInt64,
        done: @escaping @Sendable (Bool) -> Void
    ) {
        let tile = rendition.tile
        // Nobody could look up a version that is known only from its origin's reply.
        guard (name.version ?? listed) == tile.version, tile.bytes.count <= Self.largest else { return done(false) }
        guard uploads.add(1, ordering: .relaxed).newValue <= Self.maximumUploads else {
            uploads.subtract(1, ordering: .relaxed)
            counts.withLock { $0.notKept += 1 }
            return done(false)
        }
        var request = request(name.with(tile.version))
        request.upload = .init(bytes: SharedBytes.bytes(of: tile), mediaType: "application/octet-stream")
        _ = origins.fetch(request, priority: Self.uploadPriority) { [self] event in
            let failure: OriginError?
            switch event {
            case .finished: failure = nil
            case .failed(let error): failure = error
            case .started, .bytes, .parked, .notModified: return
            }
            note(failure)
            uploads.subtract(1, ordering: .relaxed)
            done(failure == nil)
        }
    }

    /// Counts an upload's outcome, and logs it when it differs from the last one.
    private func note(_ failure: OriginError?) {
        counts.withLock { counts in
            if failure == nil { counts.kept += 1 } else { counts.notKept += 1 }
        }
        let hasChanged = acceptsWrites.withLock { acceptsWrites in
            defer { acceptsWrites = failure == nil }
            return acceptsWrites != (failure == nil)
        }
        guard hasChanged else { return }
        if let failure {
            logger.warning(
                "The tile bucket rejects writes; tiles are kept on this machine only.",
                metadata: ["reason": "\(failure.logDetail)"])
        } else {
            logger.notice("The tile bucket accepts writes again.")
        }
    }

    private func request(_ name: SharedName) -> OriginRequest {
        OriginRequest(url: folder + name.text.replacing(".", with: "/"), isSigned: true)
    }
}

extension SharedName {
    /// The same name with a known version.
    fileprivate func with(_ version: ContentVersion) -> SharedName {
        SharedName(image: image, version: version, rendition: rendition, format: format)
    }
}

/// One lookup of an object. It ends once: with the object or on timeout. A late response is still read to its end,
/// because aborting it would close a connection that the next lookup can use.
private final class TierLookup: Sendable {
    enum Outcome: Hashable {
        case found([UInt8])
        case absent
        case failed
        case late
    }

    private struct State: Sendable {
        var bytes: [UInt8] = []
        var ended: (@Sendable (Outcome) -> Void)?
    }

    private let state: Guarded<State>
    private let over: @Sendable () -> Void

    /// - Parameters:
    ///   - over: Called once, when the transfer is over.
    ///   - ended: Called once with the outcome, no later than `over`.
    init(over: @escaping @Sendable () -> Void, ended: @escaping @Sendable (Outcome) -> Void) {
        self.over = over
        state = Guarded(State(ended: ended))
    }

    func take(_ event: OriginEvent) {
        switch event {
        case .started: state.withLock { $0.bytes = [] }
        case .bytes(let more):
            let isTooMuch = state.withLock { state in
                guard state.ended != nil else { return false }
                state.bytes += more
                return state.bytes.count > BucketRenditionTier.largest + 65_536
            }
            if isTooMuch { end(.absent) }
        case .parked: break
        case .finished: close(.found(state.withLock(\.bytes)))
        case .failed(let error): close(error.reason == .status(404) ? .absent : .failed)
        case .notModified: close(.failed)
        }
    }

    func giveUp() { end(.late) }

    private func close(_ outcome: Outcome) {
        end(outcome)
        over()
    }

    private func end(_ outcome: Outcome) {
        let ended = state.withLock { state in
            defer { state = State() }
            return state.ended
        }
        ended?(outcome)
    }
}
