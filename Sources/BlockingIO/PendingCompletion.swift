import Locking

/// A completion that is called once, by the work or by its timeout, whichever comes first.
final class PendingCompletion<Value: Sendable>: Sendable {
    typealias Completion = @Sendable (Result<Value, BlockingPool.Failure>) -> Void

    private let completion: Guarded<Completion?>

    init(_ completion: @escaping Completion) {
        self.completion = Guarded(completion)
    }

    func complete(_ result: Result<Value, BlockingPool.Failure>) {
        let completion = self.completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?(result)
    }
}
