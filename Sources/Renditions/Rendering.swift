import Scheduling

/// Looks into originals and makes renditions of them, somewhere else: never in the process and on the thread that asks.
public protocol Rendering: Sendable {
    /// Puts a job in line; returns at once. Any thread.
    ///
    /// - Parameter deliver: Called exactly once unless the job is cancelled; on a thread that it must not block. After a
    ///   cancel it is called at most once, and only with an answer that was made all the same: nobody waits for it, but
    ///   whoever keeps answers may keep this one. It is kept until the job is over, and what it holds with it: let it
    ///   hold the owner of the job's descriptor.
    /// - Returns: The one way to steer the job. Dropping it does not end the job.
    func render(
        _ job: RenderJob, priority: Priority,
        deliver: @escaping @Sendable (Result<RenderAnswer, RenderError>) -> Void
    ) -> any RenderHandle
}

/// One job in line or under way. All calls are safe from any thread, return at once, and may come as often as one likes.
public protocol RenderHandle: Sendable {
    /// Nobody waits any more. What waits in line never starts; what is under way gives its place to whoever waits.
    func cancel()

    func reprioritise(_ priority: Priority)
}
