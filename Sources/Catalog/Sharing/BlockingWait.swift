import Dispatch
import Locking

/// Waits on this thread, which must not be one of a task, for what other nodes are asked. Their limits of time end every wait.
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
