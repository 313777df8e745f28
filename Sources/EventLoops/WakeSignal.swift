/// Wakes a waiting task. A signal before the wait begins is not lost. On the event loop only.
public final class WakeSignal {
    private let loop: EventLoop
    private var isSignalled = false
    private var timer: LoopTimer?
    private var waiter: CheckedContinuation<Void, Never>?

    public init(loop: EventLoop) { self.loop = loop }

    public func signal() {
        isSignalled = true
        wake()
    }

    /// Returns at the next signal, at once if there was one since the last call, or after this time.
    ///
    /// - Returns: Whether there was a signal.
    @discardableResult
    public func wait(upTo time: Duration, isolation: isolated (any Actor)? = #isolation) async -> Bool {
        await withCheckedContinuation { continuation in
            // The signal may have come before this closure runs.
            guard !isSignalled else { return continuation.resume() }
            waiter = continuation
            timer = loop.schedule(after: time) { [weak self] in self?.wake() }
        }
        defer { isSignalled = false }
        return isSignalled
    }

    private func wake() {
        timer?.cancel()
        timer = nil
        let woken = waiter
        waiter = nil
        woken?.resume()
    }
}
