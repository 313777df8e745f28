import Synchronization

/// Keeps the counts. Callable from any thread.
final class RequestLog: Sendable {
    private struct State {
        var counts = DemoOrigin.Counts()
        /// How often each picture has been requested since the start. Never reset, unlike the counts, so that a
        /// picture's next attempt has a new number.
        var attempts: [Int: Int] = [:]
        /// Incremented by each reset. If a request arrived before a reset, only its end is counted.
        var era = 0
    }

    private let state = Mutex(State())

    var counts: DemoOrigin.Counts { state.withLock { $0.counts } }

    /// Counts a request for the picture with this name.
    func arrive(_ name: String) -> RequestRecord {
        state.withLock { state in
            state.counts.total += 1
            state.counts.inFlight += 1
            state.counts.peakInFlight = max(state.counts.peakInFlight, state.counts.inFlight)
            state.counts.pictures[name, default: 0] += 1
            return RequestRecord(self, era: state.era)
        }
    }

    /// The number of this attempt at a picture, starting from 1.
    func attempt(at number: Int) -> Int {
        state.withLock { state in
            state.attempts[number, default: 0] += 1
            return state.attempts[number, default: 1]
        }
    }

    /// Resets all counts except the requests in flight.
    func reset() {
        state.withLock { state in
            let inFlight = state.counts.inFlight
            state.counts = DemoOrigin.Counts()
            state.counts.inFlight = inFlight
            state.counts.peakInFlight = inFlight
            state.era += 1
        }
    }

    fileprivate func note(era: Int, leaving: Bool, _ change: (inout DemoOrigin.Counts) -> Void) {
        state.withLock { state in
            if leaving { state.counts.inFlight -= 1 }
            if state.era == era { change(&state.counts) }
        }
    }
}

/// One request in flight. It ends once; if it is released before, its client gave up.
final class RequestRecord: Sendable {
    private let requestLog: RequestLog
    private let era: Int
    private let hasLeft = Atomic(false)

    init(_ requestLog: RequestLog, era: Int) {
        self.requestLog = requestLog
        self.era = era
    }

    deinit { leave { $0.aborted += 1 } }

    func meetsAccident() {
        requestLog.note(era: era, leaving: false) { $0.accidents += 1 }
    }

    /// Only the first call counts.
    func leave(_ change: (inout DemoOrigin.Counts) -> Void = { _ in }) {
        guard !hasLeft.exchange(true, ordering: .relaxed) else { return }
        requestLog.note(era: era, leaving: true, change)
    }
}
