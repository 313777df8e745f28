import Glibc

/// A thread that lives as long as the pool and starts its processes. A worker asks the kernel to end it together with
/// its parent, and to the kernel the parent is the thread that started it (`PR_SET_PDEATHSIG`, prctl(2)). A start also
/// takes some milliseconds, during which an event loop must not block.
final class SpawnThread: Sendable {
    private final class Core: @unchecked Sendable {
        // Sendable because `work` and `isStopped` are touched only while `mutex` is held.
        var work: [@Sendable () -> Void] = []
        var isStopped = false
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        let workCame = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

        init() {
            pthread_mutex_init(mutex, nil)
            pthread_cond_init(workCame, nil)
        }

        deinit {
            pthread_cond_destroy(workCame)
            pthread_mutex_destroy(mutex)
            workCame.deallocate()
            mutex.deallocate()
        }

        func next() -> (@Sendable () -> Void)? {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            while work.isEmpty, !isStopped { pthread_cond_wait(workCame, mutex) }
            return work.isEmpty ? nil : work.removeFirst()
        }

        func change(_ body: () -> Void) {
            pthread_mutex_lock(mutex)
            body()
            pthread_cond_signal(workCame)
            pthread_mutex_unlock(mutex)
        }
    }

    private let core = Core()

    init() {
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let core = Unmanaged<Core>.fromOpaque(argument).takeRetainedValue()
                while let work = core.next() { work() }
                return nil
            }, Unmanaged.passRetained(core).toOpaque())
        precondition(code == 0, "no thread could be started: \(String(cString: strerror(code)))")
        pthread_detach(thread)
    }

    /// The thread ends after its queued work. Its processes end with it.
    deinit { core.change { core.isStopped = true } }

    func run(_ work: @escaping @Sendable () -> Void) { core.change { core.work.append(work) } }
}
