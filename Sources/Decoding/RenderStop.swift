import Renditions
import Synchronization

/// Stops a render from outside, from any thread and at any time: before it starts, while it runs, or after its end.
public final class RenderStop: Sendable {
    private let stopped = Atomic(false)
    private let poll: (@Sendable () -> Bool)?

    /// - Parameter poll: Asked some hundred times in the course of a render whether it should stop; cheap.
    public init(poll: (@Sendable () -> Bool)? = nil) {
        self.poll = poll
    }

    /// The render ends with the reason `.stopped` as soon as its decoder asks for its next bytes or rows.
    public func stop() {
        stopped.store(true, ordering: .releasing)
    }

    public var isStopped: Bool {
        if stopped.load(ordering: .acquiring) { return true }
        guard let poll, poll() else { return false }
        stop()
        return true
    }

    /// - Throws: The reason `.stopped` once `stop()` was called.
    func check() throws(RenderError) {
        guard !isStopped else { throw RenderError(.stopped, "The picture is no longer wanted.") }
    }
}
