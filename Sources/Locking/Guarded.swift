import Glibc

/// A value protected by a lock that is held only briefly.
///
/// Uses a pthread mutex rather than Synchronization's `Mutex`: on Linux the thread sanitizer understands only the
/// former, and the code that uses this type is tested under it.
public final class Guarded<State>: @unchecked Sendable {
    // Sendable because `state` is accessed only while `mutex` is held.
    @usableFromInline var state: State
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    public init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
