import Renditions

/// What the workers have done and are doing. Numbers that are not said to be of now only grow.
public struct WorkerStatistics: Hashable, Sendable {
    /// Workers that live now.
    public internal(set) var alive = 0
    /// Workers that are at work now.
    public internal(set) var working = 0
    /// Jobs that wait for a place or for a worker now.
    public internal(set) var waiting = 0
    /// Bytes of memory that the workers hold now, as they said last.
    public internal(set) var memory: Int64 = 0
    public internal(set) var started = 0
    public internal(set) var failedStarts = 0
    /// Jobs that were given up while a worker was at them.
    public internal(set) var left = 0
    /// Workers that ended by themselves, which none should.
    public internal(set) var deaths = 0
    /// Workers ended because nobody waited for what they did.
    public internal(set) var kills = 0
    /// Workers ended because a job's time was over.
    public internal(set) var deadlines = 0
    /// Workers ended because they had done much or held much.
    public internal(set) var recycled = 0
    /// Times that a worker was refused memory.
    public internal(set) var refusals = 0
    /// False while workers fail to start, one after the other.
    public internal(set) var isAvailable = true
    /// How far the worker that got ready last is locked in; nil before the first.
    public internal(set) var confinement: WorkerMessage.Confinement?
}
