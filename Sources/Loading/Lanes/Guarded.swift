import Glibc

/// A value under a lock that is held briefly.
///
/// A pthread mutex rather than Synchronization's `Mutex`: the thread sanitizer sees only the first on Linux, and this
/// room is held to its promises under that sanitizer.
final class Guarded<State>: @unchecked Sendable {
    // Sendable because `state` is touched only while `mutex` is held.
    private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func withLock<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
