import Glibc

/// A detached thread that runs one closure.
final class BlockingThread: Sendable {
    private let run: @Sendable () -> Void

    private init(_ run: @escaping @Sendable () -> Void) { self.run = run }

    /// - Returns: False when the system cannot start a thread.
    static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        let body = Unmanaged.passRetained(BlockingThread(run))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<BlockingThread>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// Names the calling thread, for `top` and debuggers. Without /proc it stays unnamed.
    static func name(_ label: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        let name = Array(label.utf8.prefix(15))
        _ = write(file, name, name.count)
        close(file)
    }
}
