import Scheduling

/// Examines originals and makes renditions of them, in another process.
public protocol Rendering: Sendable {
    /// Queues a job, and returns at once. Callable from any thread.
    ///
    /// - Parameter deliver: Called exactly once unless the job is cancelled; on a thread that it must not block.
    ///   After a cancel it is called at most once, and only with a result that was made all the same, which a cache
    ///   may keep. The closure is retained until the job is over; let it retain the owner of the job's descriptor.
    /// - Returns: A handle to control the job. Releasing the handle does not end the job.
    func render(
        _ job: RenderJob, priority: Priority,
        deliver: @escaping @Sendable (Result<RenderResult, RenderError>) -> Void
    ) -> any RenderHandle
}

/// A queued or running job. All methods are safe to call from any thread, repeatedly, and return at once.
public protocol RenderHandle: Sendable {
    /// Gives up the job: if it is queued, it never starts; if it is running, it makes way for waiting jobs.
    func cancel()

    func reprioritise(_ priority: Priority)
}
