import Decoding
import Glibc
import Renditions
import Sandbox

/// What a worker does before its first job: it sets its resource limits, starts the libraries, loads all modules they
/// might need, and enters the sandbox. The order matters: file access can be confined only while there is a single
/// thread, which the warm-up ends, and once system calls are confined nothing can be loaded.
struct WorkerSetup {
    let limits: RenderLimits

    /// The CPU time of a worker's whole life, in seconds: a backstop behind the deadlines of its jobs.
    private static let processorSeconds: UInt64 = 4 * 3_600
    /// The address space, in bytes, for fonts that are mapped during a job, guard pages, and the main thread's stack. A
    /// font beyond it is read into memory instead.
    private static let mappings: UInt64 = 64 << 20
    /// Enough for the originals, the channel, fonts, and whatever the libraries keep open.
    private static let descriptors: UInt64 = 128
    /// Serving existing renditions goes before making new ones. But beside other load on the machine (a backup, the
    /// browser itself), rendering must still make progress: at 10, a worker has a tenth of an ordinary process's
    /// weight (sched(7)). At 19, a 70th, two busy processors delayed a 5 ms tile by 7 s.
    private static let niceness: Int32 = 10

    func run() throws -> Worker {
        // The pool decides when a worker ends, not a signal to the whole process group.
        for number in [SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_IGN) }
        // Writing beyond the file size limit must return an error that can be reported (setrlimit(2)).
        signal(SIGXFSZ, SIG_IGN)
        try Sandbox.limit(
            Sandbox.Limits(
                memory: UInt64(limits.memory), fileLength: UInt64(Renderer.longestOutput),
                cpuSeconds: Self.processorSeconds, descriptors: Self.descriptors, niceness: Self.niceness))
        try Sandbox.dropCapabilities()
        let addressSpace = Sandbox.AddressSpace()
        let renderer = try Renderer(limits: limits)
        ModulePreloader.load()
        var confinement = WorkerMessage.Confinement(files: false, calls: false, threads: false)
        var threadRequests: Sandbox.ThreadRequests?
        confinement.files = try Sandbox.confineFiles(to: Sandbox.drawingFiles)
        let encoders = try WarmUp(renderer).run()
        try addressSpace?.limit(memory: UInt64(limits.memory), mappings: Self.mappings)
        do {
            threadRequests = try Sandbox.confineCalls()
            confinement.calls = true
            confinement.threads = threadRequests != nil
        } catch {
            // The pool decides whether that is acceptable.
            Program.complain("\(error)")
        }
        MemoryWatch.start()
        return Worker(
            renderer: renderer, channel: Program.channel, confinement: confinement,
            lacksAVIF: !encoders.contains(.avif), threadRequests: threadRequests)
    }
}
