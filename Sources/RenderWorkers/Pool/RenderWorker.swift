import EventLoops
import Renditions

/// Somebody who does jobs, one at a time. On the pool's loop only, and every call returns at once.
protocol RenderWorker: AnyObject {
    /// Gives it a job; it must be ready and have answered the one before.
    func begin(_ job: RenderJob, id: UInt64, mayBeHeavy: Bool)

    /// Asks it to let go of the job, if it is still at it and its decoder lets it be stopped.
    func stop(_ job: UInt64)

    /// Whether, since its job began, it had less than half a processor: others had it.
    var wasStarved: Bool { get }

    /// Ends it, whatever it does. Its end is told as any other.
    func kill()
}

/// What a worker tells its pool.
enum WorkerEvent: Sendable {
    case ready(WorkerMessage.Confinement)
    case ended(Result<RenderAnswer, RenderError>, memory: Int64)
    /// It let go of its job, which is heavy and was not to be.
    case heavy
    case refusedMemory(Int64)
    /// It has ended, or never was; the last event. How, for the log: bounded, and printable. `byOthers`: somebody from
    /// outside killed it, the kernel for want of memory perhaps.
    case gone(String, byOthers: Bool)
}

/// Makes workers. Real ones are processes; tests have others.
protocol WorkerStarting: Sendable {
    /// Begins the start of a worker; returns at once.
    ///
    /// - Parameter tell: Called on the loop, never within a call to the worker.
    func start(on loop: EventLoop, tell: @escaping (WorkerEvent) -> Void) -> any RenderWorker
}
