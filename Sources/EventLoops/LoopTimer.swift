/// A piece of work that a loop does once, later. It belongs to its loop: call its methods there only.
public final class LoopTimer {
    /// When it is due, in nanoseconds of the monotonic clock.
    let due: UInt64
    /// Timers due at the same moment run in the order of their making.
    let order: UInt64
    /// Where it stands in its heap; nil once it has run or been cancelled.
    var position: Int?
    private var body: (() -> Void)?
    /// Until it has run or has been cancelled.
    private var loop: EventLoop?

    init(due: UInt64, order: UInt64, loop: EventLoop, body: @escaping () -> Void) {
        self.due = due
        self.order = order
        self.loop = loop
        self.body = body
    }

    /// Whether it has yet to run.
    public var isPending: Bool { position != nil }

    /// The work will not be done, and what it captured is let go at once. Costs O(log n). Does nothing after the
    /// timer has run.
    public func cancel() {
        loop?.cancel(self)
    }

    /// Lets go of what it holds, and returns the work.
    @discardableResult
    func letGo() -> (() -> Void)? {
        defer {
            body = nil
            loop = nil
        }
        return body
    }
}
