import Synchronization

/// Keeps the counts. From any thread.
final class Ledger: Sendable {
    private struct State {
        var counts = DemoOrigin.Counts()
        /// How often each picture was asked for since the start. Unlike the counts it is never reset, so that the next
        /// attempt at a picture is a new one.
        var attempts: [Int: Int] = [:]
        /// Grows with each reset: of those who came before it, only the leaving is counted.
        var era = 0
    }

    private let state = Mutex(State())

    var counts: DemoOrigin.Counts { state.withLock { $0.counts } }

    /// One more request for what is called so.
    func arrive(_ name: String) -> Visit {
        state.withLock { state in
            state.counts.total += 1
            state.counts.inFlight += 1
            state.counts.peakInFlight = max(state.counts.peakInFlight, state.counts.inFlight)
            state.counts.pictures[name, default: 0] += 1
            return Visit(self, era: state.era)
        }
    }

    /// The number of the attempt at a picture, from 1.
    func attempt(at number: Int) -> Int {
        state.withLock { state in
            state.attempts[number, default: 0] += 1
            return state.attempts[number, default: 1]
        }
    }

    /// Begins anew; what is in flight now stays in flight.
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

/// One request that is under way. It is left once; one that is let go of before was given up by its client.
final class Visit: Sendable {
    private let ledger: Ledger
    private let era: Int
    private let hasLeft = Atomic(false)

    init(_ ledger: Ledger, era: Int) {
        self.ledger = ledger
        self.era = era
    }

    deinit { leave { $0.aborted += 1 } }

    func meetsAccident() {
        ledger.note(era: era, leaving: false) { $0.accidents += 1 }
    }

    /// Only the first call counts.
    func leave(_ change: (inout DemoOrigin.Counts) -> Void = { _ in }) {
        guard !hasLeft.exchange(true, ordering: .relaxed) else { return }
        ledger.note(era: era, leaving: true, change)
    }
}
