import Dispatch
import Locking

/// Runs an async function and blocks this thread for its result. Must not be called on a thread of the concurrency
/// pool. The timeouts of the requests to other nodes end every wait.
func waitFor<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let answer = Guarded<Result<Value, any Error>?>(nil)
    let came = DispatchSemaphore(value: 0)
    Task {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        answer.withLock { $0 = result }
        came.signal()
    }
    came.wait()
    return try answer.withLock(\.self)!.get()
}
