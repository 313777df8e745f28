import Dispatch
public import Images
public import Loading
import Locking
public import Logging
public import Origins
import Renditions
import Scheduling
import Synchronization

/// Renditions in a bucket of an S3-compatible store: they outlive every node, and whoever begins with an empty disk finds
/// them.
///
/// Each is an object of its own, named by its content; nothing is ever written over with something else, and so nothing
/// need be agreed upon. Nobody throws them away: that is for the bucket's own rules (a lifecycle by age).
public final class BucketRenditionTier: RenditionTier {
    /// Bytes of one rendition; a larger one is not kept. Of a mebibyte or more it would be asked first whether it may be sent
    /// (RFC 9110 §10.1.1).
    static let largest = 1_000_000
    /// Raised when the form of the objects changes: old and new programs then share nothing.
    private static let form = 1
    /// A rendition must be found sooner than it could be made.
    static let patience = DispatchTimeInterval.milliseconds(300)
    /// Renditions on their way there; what is made beyond is not kept there.
    static let mostUnderWay = 32
    /// Looks at once, those included that nobody waits for any more: what is looked for beyond is not found.
    static let mostLooks = 32
    /// A look keeps a load waiting.
    private static let looking = Priority(lane: .visible, viewport: .max, isBrief: true, distance: 0)
    private static let keeping = Priority(lane: .background, viewport: 0, distance: 0)

    private let origins: any OriginFetching
    private let folder: String
    private let pace = Guarded(LookPace())
    private let timing = DispatchQueue(label: "tessera.bucket.tier")
    private let underWay = Atomic<Int>(0)
    private let looks = Atomic<Int>(0)
    private let counts = Guarded(Figures())
    /// Whether the store took what it was given last.
    private let takes = Guarded(true)
    private let logger: Logger

    /// What has come of it so far.
    public struct Figures: Hashable, Sendable {
        public var found = 0
        public var notFound = 0
        /// Looks that the store did not answer in time, or refused.
        public var failed = 0
        public var kept = 0
        /// Renditions that the store did not take, or that were too many at once.
        public var notKept = 0
    }

    /// - Parameters:
    ///   - origins: signs requests to the store.
    ///   - folder: the URL of what stands before each object's name, a slash at its end.
    ///   - gallery: a name that all nodes of this gallery have, and no other in the same bucket.
    public init(origins: any OriginFetching, folder: String, gallery: String, logger: Logger) {
        self.origins = origins
        self.logger = logger
        self.folder = "\(folder)\(gallery)/\(Self.form)/"
    }

    public var figures: Figures { counts.withLock(\.self) }
    public var servesAlone: Bool { true }

    public func find(
        _ name: SharedName, listed: ContentVersion?, on occasion: LookOccasion,
        found: @escaping @Sendable (SharedRendition?) -> Void
    ) {
        guard let version = name.version ?? listed else { return found(nil) }
        guard looks.add(1, ordering: .relaxed).newValue <= Self.mostLooks,
            pace.withLock({ $0.mayLook(now: .now) })
        else {
            looks.subtract(1, ordering: .relaxed)
            return found(nil)
        }
        let name = name.of(version)
        let look = Look { [self] in
            looks.subtract(1, ordering: .relaxed)
        } ended: { [self] outcome in
            pace.withLock { outcome == .late ? $0.wasLate(now: .now) : $0.wasAnswered() }
            var tile: RenditionBytes?
            if case .came(let bytes) = outcome { tile = SharedBytes.tile(bytes, name, version: version) }
            counts.withLock { counts in
                switch outcome {
                case .came: if tile == nil { counts.notFound += 1 } else { counts.found += 1 }
                case .absent: counts.notFound += 1
                case .late, .failed: counts.failed += 1
                }
            }
            found(tile.map { SharedRendition(tile: $0) })
        }
        _ = origins.fetch(request(name), priority: Self.looking) { look.take($0) }
        timing.asyncAfter(deadline: .now() + Self.patience) { look.giveUp() }
    }

    public func keep(
        _ rendition: SharedRendition, as name: SharedName, listed: ContentVersion?, fence: UInt64,
        done: @escaping @Sendable (Bool) -> Void
    ) {
        let tile = rendition.tile
        // What only an origin could name would never be found.
        guard (name.version ?? listed) == tile.version, tile.bytes.count <= Self.largest else { return done(false) }
        guard underWay.add(1, ordering: .relaxed).newValue <= Self.mostUnderWay else {
            underWay.subtract(1, ordering: .relaxed)
            counts.withLock { $0.notKept += 1 }
            return done(false)
        }
        var request = request(name.of(tile.version))
        request.upload = .init(bytes: SharedBytes.bytes(of: tile), mediaType: "application/octet-stream")
        _ = origins.fetch(request, priority: Self.keeping) { [self] event in
            let failure: OriginError?
            switch event {
            case .finished: failure = nil
            case .failed(let error): failure = error
            case .started, .bytes, .notModified: return
            }
            note(failure)
            underWay.subtract(1, ordering: .relaxed)
            done(failure == nil)
        }
    }

    /// Counts what became of a rendition; the log has it when that changes.
    private func note(_ failure: OriginError?) {
        counts.withLock { counts in
            if failure == nil { counts.kept += 1 } else { counts.notKept += 1 }
        }
        let isNews = takes.withLock { takes in
            defer { takes = failure == nil }
            return takes != (failure == nil)
        }
        guard isNews else { return }
        if let failure {
            logger.warning(
                "The bucket of tiles takes none; they are kept on this machine alone.",
                metadata: ["reason": "\(failure.logDetail)"])
        } else {
            logger.notice("The bucket of tiles takes them again.")
        }
    }

    private func request(_ name: SharedName) -> OriginRequest {
        OriginRequest(url: folder + name.text.replacing(".", with: "/"), isSigned: true)
    }
}

extension SharedName {
    /// The same of a content that is known.
    fileprivate func of(_ version: ContentVersion) -> SharedName {
        SharedName(image: image, version: version, rendition: rendition, format: format)
    }
}

/// One look for an object, which ends once: when it has come, or when nobody can wait any longer. What comes late is left to
/// come: a connection that is given up is missing for the next look.
private final class Look: Sendable {
    enum Outcome: Hashable {
        case came([UInt8])
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
    ///   - over: Called once, when nothing more comes of it.
    ///   - ended: Called once, before that or then.
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
        case .finished: close(.came(state.withLock(\.bytes)))
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
