import Renditions
import Synchronization

/// Stops a render from any thread and at any time: before it starts, while it runs, or after it has ended.
public final class RenderStop: Sendable {
    private let stopped = Atomic(false)
    private let poll: (@Sendable () -> Bool)?

    /// - Parameter poll: Called some hundred times during a render to ask whether to stop; must be cheap.
    public init(poll: (@Sendable () -> Bool)? = nil) {
        self.poll = poll
    }

    /// Ends the render with the reason `.stopped` as soon as its decoder needs more bytes or rows.
    public func stop() {
        stopped.store(true, ordering: .releasing)
    }

    public var isStopped: Bool {
        if stopped.load(ordering: .acquiring) { return true }
        guard let poll, poll() else { return false }
        stop()
        return true
    }

    /// - Throws: `RenderError` with the reason `.stopped` once `stop()` was called.
    func check() throws(RenderError) {
        guard !isStopped else { throw RenderError(.stopped, "The picture is no longer wanted.") }
    }
}
