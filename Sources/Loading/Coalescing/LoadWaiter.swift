import Locking
import Scheduling
import Tracing

/// One waiter for a load. It is answered exactly once, or never if it cancels before that. Its caller holds it as the
/// load handle, and the load machine uses it to identify the caller.
final class LoadWaiter: LoadHandle {
    typealias Deliver = @Sendable (Result<LoadedContent, LoadFailure>) -> Void

    private struct State {
        /// Nil after the answer, and after a cancel.
        var deliver: Deliver?
        /// Weak, because the caller that received it decides how long it lives.
        weak var partial: PartialOriginal?
    }

    /// Taken from its request.
    let isPrefill: Bool
    /// Whether it only keeps a fetch alive.
    let isExtension: Bool
    /// The caller's tracing span, if there is one.
    let cause: ServiceContext?
    private let state: Guarded<State>
    private let coordinator: LoadCoordinator

    init(
        isPrefill: Bool = false, isExtension: Bool = false, cause: ServiceContext? = nil,
        coordinator: LoadCoordinator, deliver: @escaping Deliver
    ) {
        self.isPrefill = isPrefill
        self.isExtension = isExtension
        self.cause = cause
        self.coordinator = coordinator
        state = Guarded(State(deliver: deliver))
    }

    func answer(_ result: Result<LoadedContent, LoadFailure>) {
        let deliver = state.withLock { state -> Deliver? in
            guard let deliver = state.deliver.take() else { return nil }
            if case .success(.partial(let original)) = result { state.partial = original }
            return deliver
        }
        deliver?(result)
    }

    func cancel() {
        let (deliver, partial) = state.withLock { ($0.deliver.take(), $0.partial) }
        // A waiter with a partial original leaves the load when that is closed; any other answer has ended the load.
        if deliver != nil { coordinator.leave(self) } else { partial?.close() }
    }

    func reprioritise(_ priority: Priority) { coordinator.reprioritise(self, to: priority) }
}

extension LoadWaiter: Hashable {
    static func == (left: LoadWaiter, right: LoadWaiter) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
