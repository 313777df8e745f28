import EventLoops
import Renditions

/// A worker that does one job at a time. Used on the pool's loop only; every call returns at once.
protocol RenderWorker: AnyObject {
    /// Gives it a job. It must be ready and have answered its previous job.
    func begin(_ job: RenderJob, id: UInt64, mayBeHeavy: Bool)

    /// Asks it to stop the job, if it is still running and its decoder can be stopped.
    func stop(_ job: UInt64)

    /// Whether it has had less than half a processor since its job began, because other programs used it.
    var wasStarved: Bool { get }

    /// Whether it has used processor time since the last call, or since its job began or it was killed.
    func hasAdvanced() -> Bool

    /// Whether it is in a system call that even a kill does not end.
    var isUninterruptible: Bool { get }

    /// Ends it, whatever it does. Its end is reported like any other.
    func kill()
}

/// What a worker reports to its pool.
enum WorkerEvent: Sendable {
    case ready(WorkerMessage.Confinement, lacksAVIF: Bool = false)
    case ended(Result<RenderResult, RenderError>, memory: Int64)
    /// It stopped its job because the job turned out to be heavy and heavy jobs were not allowed.
    case heavy
    case refusedMemory(Int64)
    /// It has ended, or failed to start. The last event. Carries the reason for the log, bounded and printable.
    /// `byOthers`: something outside the pool killed it, perhaps the kernel for lack of memory.
    case gone(String, byOthers: Bool)
}

/// Creates workers. Real ones are processes; tests use others.
protocol WorkerStarting: Sendable {
    /// Begins to start a worker; returns at once.
    ///
    /// - Parameter onEvent: Called on the loop, never within a call to the worker.
    func start(on loop: EventLoop, onEvent: @escaping (WorkerEvent) -> Void) -> any RenderWorker
}
