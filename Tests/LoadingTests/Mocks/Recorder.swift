import Locking

@testable import Loading

/// Records events from any thread, and lets a test wait for them instead of sleeping.
final class Recorder<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Guarded(State())

    func record(_ element: Element) {
        let ready = state.withLock { state in
            state.elements.append(element)
            let ready = state.waiting.filter { $0.count <= state.elements.count }
            state.waiting.removeAll { $0.count <= state.elements.count }
            return ready.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    var all: [Element] { state.withLock { $0.elements } }
    var count: Int { all.count }

    /// Returns the first `count` elements, once there are that many. Ends the tests if the test's time limit comes first.
    func first(_ count: Int) async -> [Element] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.elements.count >= count { return true }
                    state.waiting.append((count, continuation))
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            if self.count < count { fatalError("waited in vain for \(count) events: there are only \(self.count)") }
        }
        return Array(all.prefix(count))
    }

    /// The element at `position`, counted from 0.
    func element(_ position: Int) async -> Element { await first(position + 1)[position] }
}
