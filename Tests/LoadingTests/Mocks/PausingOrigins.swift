import Dispatch
import Locking
import Origins
import Scheduling
import TestSupport

@testable import Loading

/// Origins whose fetches do pause: each sends its pieces on a queue of its own, as fast as possible, and sends nothing
/// between a pause and the resume.
final class PausingOrigins: OriginFetching {
    let fetches = Recorder<PausingFetch>()
    private let pieces: [[UInt8]]
    private let beforePausing: @Sendable () -> Void

    /// - Parameters:
    ///   - pieces: What each fetch sends.
    ///   - beforePausing: Called in `pause`, before the pause takes effect.
    init(pieces: [[UInt8]], beforePausing: @escaping @Sendable () -> Void = {}) {
        self.pieces = pieces
        self.beforePausing = beforePausing
    }

    func fetch(
        _ request: OriginRequest, priority: Priority, events: @escaping @Sendable (OriginEvent) -> Void
    ) -> any OriginFetch {
        let length = pieces.reduce(0) { $0 + $1.count }
        let all = [.started(.of(length))] + pieces.map { OriginEvent.bytes($0) } + [.finished]
        let fetch = PausingFetch(all, events: events, beforePausing: beforePausing)
        fetches.record(fetch)
        fetch.start()
        return fetch
    }
}

final class PausingFetch: OriginFetch {
    private struct State {
        var left: ArraySlice<OriginEvent>
        var isPaused = false
        /// Whether it has stopped and waits for `resume`.
        var isParked = false
        var pauses = 0
    }

    private let queue = DispatchQueue(label: "pausing origin")
    private let state: Guarded<State>
    private let events: @Sendable (OriginEvent) -> Void
    private let beforePausing: @Sendable () -> Void

    init(
        _ all: [OriginEvent], events: @escaping @Sendable (OriginEvent) -> Void,
        beforePausing: @escaping @Sendable () -> Void
    ) {
        state = Guarded(State(left: all[...]))
        self.events = events
        self.beforePausing = beforePausing
    }

    var isPaused: Bool { state.withLock { $0.isPaused } }
    var pauses: Int { state.withLock { $0.pauses } }

    func start() { queue.async { self.step() } }

    private func step() {
        let event = state.withLock { state -> OriginEvent? in
            state.isParked = state.isPaused
            return state.isPaused ? nil : state.left.popFirst()
        }
        guard let event else { return }
        events(event)
        start()
    }

    func pause() {
        beforePausing()
        state.withLock {
            $0.isPaused = true
            $0.pauses += 1
        }
    }

    func resume() {
        let isParked = state.withLock { state in
            state.isPaused = false
            defer { state.isParked = false }
            return state.isParked
        }
        if isParked { start() }
    }

    func fetchRest() {}

    func cancel() { state.withLock { $0.left = [] } }
    func reprioritise(_ priority: Priority) {}
}
