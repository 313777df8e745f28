import Locking
import Scheduling
import Tracing

/// One who waits for a load: answered exactly once, or never when it cancelled before.
final class LoadWaiter: LoadHandle {
    typealias Deliver = @Sendable (Result<LoadedContent, LoadFailure>) -> Void

    private struct State {
        var deliver: Deliver?
        var isCancelled = false
        /// Weak: whoever was given it decides how long it lives.
        weak var growing: GrowingOriginal?
    }

    let id: LoadMachine.WaiterID
    /// As of its request.
    let isForLater: Bool
    /// The span that it belongs to, where there is one.
    let cause: ServiceContext?
    private let state: Guarded<State>
    private let coordinator: LoadCoordinator

    init(
        id: LoadMachine.WaiterID, isForLater: Bool = false, cause: ServiceContext? = nil,
        coordinator: LoadCoordinator, deliver: @escaping Deliver
    ) {
        self.id = id
        self.isForLater = isForLater
        self.cause = cause
        self.coordinator = coordinator
        state = Guarded(State(deliver: deliver))
    }

    func answer(_ result: Result<LoadedContent, LoadFailure>) {
        let deliver = state.withLock { state -> Deliver? in
            guard !state.isCancelled else { return nil }
            if case .success(.growing(let original)) = result { state.growing = original }
            defer { state.deliver = nil }
            return state.deliver
        }
        deliver?(result)
    }

    func cancel() {
        let (isFirst, growing) = state.withLock { state -> (Bool, GrowingOriginal?) in
            defer {
                state.isCancelled = true
                state.deliver = nil
            }
            return (!state.isCancelled, state.growing)
        }
        guard isFirst else { return }
        growing?.close()
        coordinator.leave(id)
    }

    func reprioritise(_ priority: Priority) { coordinator.reprioritise(id, to: priority) }
}
