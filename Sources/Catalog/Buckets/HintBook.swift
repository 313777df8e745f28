import Dispatch
import Locking

/// What hints have named and nobody has looked at yet, for each source by its ordinal. Any thread.
final class HintBook: Sendable {
    /// Of one source.
    struct Named: Sendable {
        /// Paths beneath the source's folder.
        var paths: Set<[UInt8]> = []
        /// More were named than are kept.
        var isTooMany = false
    }

    /// Counted since the start.
    struct Figures: Sendable {
        /// Hints at what may be a picture of a source.
        var noted = 0
        /// Objects that were looked at by themselves.
        var looked = 0
        /// How often so much was named that the whole source is listed.
        var listings = 0
    }

    /// Paths of one source that are kept: at some kilobytes each, some megabytes.
    private static let most = 4096

    private struct State: Sendable {
        var named: [Int: Named] = [:]
        var figures = Figures()
        var gathering: Gathering?
    }

    private let state = Guarded(State())

    var figures: Figures { state.withLock { $0.figures } }

    /// Sources of which something is named.
    var ordinals: Set<Int> { state.withLock { Set($0.named.keys) } }

    func add(_ path: [UInt8], to ordinal: Int) {
        state.withLock { state in
            state.figures.noted += 1
            guard state.named[ordinal, default: Named()].isTooMany == false else { return }
            state.named[ordinal, default: Named()].paths.insert(path)
            guard state.named[ordinal].map({ $0.paths.count > Self.most }) == true else { return }
            state.named[ordinal] = Named(isTooMany: true)
        }
    }

    func take(of ordinal: Int) -> Named {
        state.withLock { $0.named.removeValue(forKey: ordinal) } ?? Named()
    }

    func count(_ change: (inout Figures) -> Void) { state.withLock { change(&$0.figures) } }

    /// Has `ready` be called on the queue when nothing more has been named for a moment. The first one stays.
    func gather(on queue: DispatchQueue, ready: @escaping @Sendable () -> Void) {
        let gathering = state.withLock { state in
            let gathering =
                state.gathering
                ?? Gathering(queue: queue, quiet: .milliseconds(200), longest: .seconds(1), ready: ready)
            state.gathering = gathering
            return gathering
        }
        queue.async { gathering.note() }
    }
}
