import CLinux
import Glibc

extension EventLoop {
    /// Runs `body` on the loop once `delay` has passed, never earlier. On the loop only.
    @discardableResult
    public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> LoopTimer {
        preconditionCurrent()
        let due = Self.now().addingSaturated(delay.wholeNanoseconds)
        state.timersMade += 1
        let timer = LoopTimer(due: due, order: state.timersMade, loop: self, body: body)
        guard !state.isStopped else {
            timer.detach()
            return timer
        }
        state.timers.insert(timer)
        if timer.position == 0 { arm() }
        return timer
    }

    func cancel(_ timer: LoopTimer) {
        preconditionCurrent()
        state.timers.remove(timer)
        timer.detach()
        // The timerfd stays armed: one needless wake-up is cheaper than a system call per cancel.
    }

    func runDueTimers() {
        var expirations: UInt64 = 0
        _ = read(timerDescriptor, &expirations, MemoryLayout<UInt64>.size)
        state.armedFor = nil
        // Timers scheduled by these timers wait for the next round, so that timers without delay cannot monopolize
        // the loop.
        let now = Self.now()
        while let timer = state.timers.popDue(at: now) {
            timer.detach()?()
            endCallback()
        }
        arm()
    }

    /// Arms the timerfd for the first timer.
    private func arm() {
        guard !state.isStopped, let due = state.timers.first?.due, state.armedFor.map({ due < $0 }) ?? true else {
            return
        }
        state.armedFor = due
        var time = itimerspec()
        time.it_value.tv_sec = Int(due / 1_000_000_000)
        time.it_value.tv_nsec = Int(due % 1_000_000_000)
        timerfd_settime(timerDescriptor, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }
}

extension Duration {
    /// Nanoseconds, rounded up so that nothing runs too early; zero for a negative duration. At most 146 years, so
    /// that sums do not overflow.
    fileprivate var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 4_611_686_018 else { return 4_611_686_018_000_000_000 }
        return UInt64(seconds) * 1_000_000_000 + UInt64((attoseconds + 999_999_999) / 1_000_000_000)
    }
}

extension UInt64 {
    fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
