public import Metrics
import Renditions

/// Counters of the workers. ``metrics`` describes each of them.
public struct WorkerStatistics: Hashable, Sendable {
    public internal(set) var alive = 0
    public internal(set) var working = 0
    public internal(set) var stalled = 0
    public internal(set) var hung = 0
    public internal(set) var waiting = 0
    /// The memory of all workers together in bytes, as each last reported it.
    public internal(set) var memory: Int64 = 0
    public internal(set) var started = 0
    public internal(set) var failedStarts = 0
    public internal(set) var left = 0
    public internal(set) var deaths = 0
    public internal(set) var kills = 0
    public internal(set) var deadlines = 0
    public internal(set) var queueTimeouts = 0
    public internal(set) var recycled = 0
    public internal(set) var refusals = 0
    /// Why nothing can be rendered now, for people: workers repeatedly fail to start, or all of them hang. Nil while
    /// rendering works.
    public internal(set) var unavailability: String?
    /// The confinement that the most recently started worker reported; nil before the first.
    public internal(set) var confinement: WorkerMessage.Confinement?
}

extension WorkerStatistics: MetricsReporting {
    public static let metrics: [Metric<WorkerStatistics>] = [
        .gauge("alive", "Worker processes.", \.alive),
        .gauge("working", "Workers that are decoding.", \.working),
        .gauge("stalled", "Workers that are waiting for a disk and have done nothing else for a while.", \.stalled),
        .gauge("hung", "Stalled workers that were killed and do not end, because they hang in a read.", \.hung),
        .gauge("waiting", "Jobs that are queued for a worker.", \.waiting),
        .gauge("memoryBytes", "Bytes of memory that all workers hold together.") { Int(clamping: $0.memory) },
        .counter("started", "Workers started.", \.started),
        .counter("failedStarts", "Workers that could not be started.", \.failedStarts),
        .counter("left", "Jobs that were abandoned while a worker was decoding.", \.left),
        .counter("deaths", "Workers that crashed. Each costs the image it was decoding, and nothing else.", \.deaths),
        .counter("kills", "Workers killed because nobody wanted their job any more.", \.kills),
        .counter("deadlines", "Workers killed because a job exceeded its deadline.", \.deadlines),
        .counter(
            "queueTimeouts", "Jobs refused because they were queued for as long as they may run.", \.queueTimeouts),
        .counter("recycled", "Workers replaced because they had done many jobs or held much memory.", \.recycled),
        .counter("refusals", "Allocations that a worker was refused because of its memory limit.", \.refusals),
        .gauge("filesConfined", "1 if the kernel confines the workers' file access (Landlock).") {
            $0.confinement?.files == true ? 1 : 0
        },
        .gauge("callsConfined", "1 if the kernel confines the workers' system calls (seccomp).") {
            $0.confinement?.calls == true ? 1 : 0
        },
        .gauge("threadsConfined", "1 if the number of the workers' threads is limited (seccomp's notifications).") {
            $0.confinement?.threads == true ? 1 : 0
        },
    ]
}
