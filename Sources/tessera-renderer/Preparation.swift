import Decoding
import Glibc
import Renditions
import Sandbox

/// What a worker does before its first job: it bounds itself, starts the libraries, loads all that they would load later,
/// and locks itself in. In this order: files can only be locked while there is one thread, which the warm-up changes, and
/// once the calls are locked nothing can be loaded any more.
struct Preparation {
    let limits: RenderLimits

    /// Seconds of processor time that a worker may use in its life: a backstop behind the deadlines of its jobs.
    private static let processorSeconds: UInt64 = 4 * 3_600
    /// The original, the channel, fonts, and what the libraries keep open.
    private static let descriptors: UInt64 = 128
    /// Serving what is made goes before making more; but beside what else a machine does (a backup, the browser itself)
    /// pictures must come on: a tenth of an ordinary process's weight (sched(7)). With 19, the 70th part, two busy
    /// processors held a tile of 5 ms up for 7 s.
    private static let niceness: Int32 = 10

    func run() throws -> (Renderer, WorkerMessage.Confinement) {
        // Its end is the pool's to say, not that of whoever tells a whole group of processes to end.
        for number in [SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_IGN) }
        // A file that becomes too long is an error to be told of (setrlimit(2)).
        signal(SIGXFSZ, SIG_IGN)
        try Sandbox.limit(
            Sandbox.Limits(
                memory: UInt64(limits.memory), fileLength: UInt64(Renderer.longestOutput),
                cpuSeconds: Self.processorSeconds, descriptors: Self.descriptors, niceness: Self.niceness))
        let renderer = try Renderer(limits: limits)
        Modules.load()
        var confinement = WorkerMessage.Confinement(files: false, calls: false)
        confinement.files = try Sandbox.confineFiles(to: Sandbox.drawingFiles)
        try WarmUp(renderer).run()
        do {
            try Sandbox.confineCalls()
            confinement.calls = true
        } catch {
            // Whether that will do, the pool decides.
            Program.complain("\(error)")
        }
        MemoryWatch.start()
        return (renderer, confinement)
    }
}
