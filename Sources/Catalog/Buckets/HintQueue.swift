import Dispatch
import Locking
import Metrics

/// The hints that nobody has followed up yet, by the ordinal of their source. Usable on any thread.
final class HintQueue: Sendable {
    /// The hints for one source.
    struct Named: Sendable {
        /// Paths beneath the source's folder.
        var paths: Set<[UInt8]> = []
        /// Whether more paths were hinted than are stored.
        var isTooMany = false
    }

    /// Counted since the start. ``metrics`` says what each figure counts.
    struct Statistics: MetricsReporting {
        var noted = 0
        var lookups = 0
        var listings = 0

        static let metrics: [Metric<Statistics>] = [
            .counter("noted", "Events of object stores that name an image of the gallery.", \.noted),
            .counter("lookups", "Objects looked up because an event named them.", \.lookups),
            .counter("listings", "Bucket listings started because events named too many objects.", \.listings),
        ]
    }

    /// The most paths stored per source: at up to some kilobytes each, a few megabytes.
    private static let maximumPaths = 4096

    private struct State: Sendable {
        var named: [Int: Named] = [:]
        var figures = Statistics()
        var debouncer: Debouncer?
    }

    private let state = Guarded(State())

    var figures: Statistics { state.withLock { $0.figures } }

    /// The sources that have hints.
    var ordinals: Set<Int> { state.withLock { Set($0.named.keys) } }

    func add(_ path: [UInt8], to ordinal: Int) {
        state.withLock { state in
            state.figures.noted += 1
            guard state.named[ordinal, default: Named()].isTooMany == false else { return }
            state.named[ordinal, default: Named()].paths.insert(path)
            guard state.named[ordinal].map({ $0.paths.count > Self.maximumPaths }) == true else { return }
            state.named[ordinal] = Named(isTooMany: true)
        }
    }

    func take(of ordinal: Int) -> Named {
        state.withLock { $0.named.removeValue(forKey: ordinal) } ?? Named()
    }

    func count(_ change: (inout Statistics) -> Void) { state.withLock { change(&$0.figures) } }

    /// Calls `ready` on the queue once no more hints have arrived for a moment. Only the first call's `ready` is used.
    func gather(on queue: DispatchQueue, ready: @escaping @Sendable () -> Void) {
        let debouncer = state.withLock { state in
            let debouncer =
                state.debouncer
                ?? Debouncer(queue: queue, quiet: .milliseconds(200), maximumDelay: .seconds(1), ready: ready)
            state.debouncer = debouncer
            return debouncer
        }
        queue.async { debouncer.note() }
    }
}
