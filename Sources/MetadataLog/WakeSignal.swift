import EventLoops

/// Wakes a waiting task. A ring before the wait begins is not lost. On the event loop only.
final class WakeSignal {
    private let loop: EventLoop
    private var isSignalled = false
    private var timer: LoopTimer?
    private var waiter: CheckedContinuation<Void, Never>?

    init(loop: EventLoop) { self.loop = loop }

    func signal() {
        isSignalled = true
        wake()
    }

    /// Returns when the bell rings, at once if it has rung since the last call, or after this time.
    func wait(upTo time: Duration, isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            // The bell may have rung before this closure runs.
            guard !isSignalled else { return continuation.resume() }
            waiter = continuation
            timer = loop.schedule(after: time) { [weak self] in self?.wake() }
        }
        isSignalled = false
    }

    private func wake() {
        timer?.cancel()
        timer = nil
        let woken = waiter
        waiter = nil
        woken?.resume()
    }
}
