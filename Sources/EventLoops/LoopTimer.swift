/// Work that a loop performs once, later. Belongs to its loop: call its methods only there.
public final class LoopTimer {
    /// When it is due, in nanoseconds of the monotonic clock.
    let due: UInt64
    /// Timers due at the same time run in order of creation.
    let order: UInt64
    /// Its position in the heap; nil once it has run or been cancelled.
    var position: Int?
    private var body: (() -> Void)?
    /// Retained until the timer has run or been cancelled.
    private var loop: EventLoop?

    init(due: UInt64, order: UInt64, loop: EventLoop, body: @escaping () -> Void) {
        self.due = due
        self.order = order
        self.loop = loop
        self.body = body
    }

    /// Whether it has yet to run.
    public var isPending: Bool { position != nil }

    /// Cancels the work, and releases what it captured at once. Takes O(log n). A no-op after the timer has run.
    public func cancel() {
        loop?.cancel(self)
    }

    /// Releases what it retains, and returns the work.
    @discardableResult
    func detach() -> (() -> Void)? {
        defer {
            body = nil
            loop = nil
        }
        return body
    }
}
