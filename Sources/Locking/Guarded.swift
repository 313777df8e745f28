import Glibc

/// A value under a lock that is held briefly.
///
/// A pthread mutex rather than Synchronization's `Mutex`: the thread sanitizer sees only the first on Linux, and what
/// threads hand to each other here is held to its promises under that sanitizer.
public final class Guarded<State>: @unchecked Sendable {
    // Sendable because `state` is touched only while `mutex` is held.
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
