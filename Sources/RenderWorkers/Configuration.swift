import Glibc
import Images
import Logging
import Renditions

extension RenderPool {
    /// How many workers there are, how much they may use, and how long they may take.
    public struct Configuration: Sendable {
        /// Jobs that run at once, one worker each. The number of cores is a good value.
        public var permits = 2
        /// Additional permits for heavy images (drawings, progressive JPEGs, very large images). Heavy jobs use only
        /// these, so that they never occupy all workers.
        public var heavyPermits = 1
        /// The limits of one image.
        public var limits = RenderLimits()
        /// How long a job may run, by what it makes.
        public var deadlines = Deadlines()
        /// How often the deadline of a job is extended because other programs used the processor.
        public var extensions = 2
        /// Jobs that one worker does before it is recycled.
        public var jobsPerWorker = 2_000
        /// Threads that a worker may have, by default more than any decoder uses: libheif decodes four tiles at a time,
        /// each on one thread per processor (dav1d), librsvg has another thread per processor, and libvips, libaom, and
        /// libjxl have a few.
        public var threadsPerWorker = 16 + 8 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        /// Bytes of memory above which an idle worker is recycled.
        public var idleMemory: Int64 = 200 << 20
        /// How long a pool is idle before it ends all workers except one.
        public var restAfter: Duration = .seconds(10)
        /// How long an abandoned job may continue while others run. This is about the cost of starting a worker, so
        /// that neither continuing nor ending the job costs much more than the alternative.
        public var keepAlive: Duration = .milliseconds(100)
        /// The same limit while no other job runs, since the result may still be of use.
        public var keepAliveLast: Duration = .seconds(2)
        /// The same limit when a waiting job needs this very worker, and for heavy images while others run.
        public var grace: Duration = .milliseconds(20)
        /// How long a worker may take to become ready.
        public var startDeadline: Duration = .seconds(15)
        /// How long a worker may use no processor time before its permit goes to another job.
        public var stallTimeout: Duration = .seconds(2)
        /// How long a killed worker may take to end before the pool checks whether it hangs.
        public var killTimeout: Duration = .seconds(2)
        /// Whether to decode images even if the kernel cannot confine a worker (seccomp).
        public var allowsUnconfined = false
        public var logger = Logger(label: "tessera.rendering")

        public init() {}

        /// Deadlines of jobs.
        public struct Deadlines: Hashable, Sendable {
            /// For preview and grid renditions.
            public var tile: Duration = .seconds(20)
            /// For screen renditions and those with all pixels.
            public var screen: Duration = .seconds(40)
            /// For reading the metadata.
            public var metadata: Duration = .seconds(10)

            public init() {}

            func limit(of work: RenderJob.Work) -> Duration {
                switch work {
                case .readMetadata, .readMetadataOfAll, .readSidecars, .partialDecode: metadata
                case .make(let wanted): wanted.keys.contains(where: \.isForScreens) ? screen : tile
                case .encode: tile
                // Enough for about 1,000 megapixels on a slow machine.
                case .pyramid: screen * 3
                }
            }
        }

        /// Workers alive at the same time: one for each permit, and one replacement for each.
        public var maximumWorkers: Int { 2 * (permits + heavyPermits) }

        /// Stalled or hung workers allowed in addition.
        public var maximumStalledWorkers: Int { maximumWorkers }

        /// - Throws: `RenderLimits.Invalid` naming the first value that is out of range.
        public func validate() throws(RenderLimits.Invalid) {
            try limits.validate()
            guard (1...256).contains(permits) else { throw RenderLimits.Invalid(field: "permits") }
            guard (1...256).contains(heavyPermits) else { throw RenderLimits.Invalid(field: "heavyPermits") }
            guard jobsPerWorker > 0 else { throw RenderLimits.Invalid(field: "jobsPerWorker") }
            guard threadsPerWorker > 0 else { throw RenderLimits.Invalid(field: "threadsPerWorker") }
            for (field, value) in [
                ("tile", deadlines.tile), ("screen", deadlines.screen), ("metadata", deadlines.metadata),
                ("startDeadline", startDeadline), ("stallTimeout", stallTimeout), ("killTimeout", killTimeout),
            ] where value <= .zero {
                throw RenderLimits.Invalid(field: field)
            }
        }
    }
}
