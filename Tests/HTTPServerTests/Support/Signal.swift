import Locking

/// An event that happens once and that tests wait for.
final class Signal<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var count = 0
        var waiters: [CheckedContinuation<Value, Never>] = []
    }

    private let state = Guarded(State())

    /// How often it has been given.
    var count: Int { state.withLock(\.count) }

    func give(_ value: Value) {
        let waiters = state.withLock { state in
            state.count += 1
            if state.value == nil { state.value = value }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state in
                    if state.value == nil { state.waiters.append(continuation) }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}

extension Signal where Value == Void {
    func give() { give(()) }
}
