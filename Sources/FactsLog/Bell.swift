import EventLoops

/// Wakes one who waits, also when it rings before he does. On the loop only.
final class Bell {
    private let loop: EventLoop
    private var isRung = false
    private var timer: LoopTimer?
    private var waiter: CheckedContinuation<Void, Never>?

    init(loop: EventLoop) { self.loop = loop }

    func ring() {
        isRung = true
        wake()
    }

    /// Comes back when it rings, has rung since the last time, or after so long.
    func wait(upTo time: Duration, isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            // It may have rung on the way here.
            guard !isRung else { return continuation.resume() }
            waiter = continuation
            timer = loop.schedule(after: time) { [weak self] in self?.wake() }
        }
        isRung = false
    }

    private func wake() {
        timer?.cancel()
        timer = nil
        let woken = waiter
        waiter = nil
        woken?.resume()
    }
}
