import Synchronization

/// Stops a render from outside, from any thread and at any time: before it starts, while it runs, or after its end.
/// One stop may serve several renders; it stops them all.
public final class RenderStop: Sendable {
    private let stopped = Atomic(false)

    public init() {}

    /// The render ends with the reason `.stopped` as soon as its decoder asks for its next bytes or rows.
    public func stop() {
        stopped.store(true, ordering: .releasing)
    }

    public var isStopped: Bool { stopped.load(ordering: .acquiring) }

    /// - Throws: The reason `.stopped` once `stop()` was called.
    func check() throws(RenderError) {
        guard !isStopped else { throw RenderError(.stopped, "The picture is no longer wanted.") }
    }
}
