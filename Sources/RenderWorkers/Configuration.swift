import Images
import Logging
import Renditions

extension RenderPool {
    /// How many workers there are, what they may use, and how long they may take.
    public struct Configuration: Sendable {
        /// Jobs that are worked on at once, one worker each; the number of cores is a good value.
        public var places = 2
        /// Beside these: places for heavy pictures (drawings, progressive JPEGs, very large ones), which have no others, so
        /// that they never hold all.
        public var heavyPlaces = 1
        /// What one picture may cost.
        public var limits = RenderLimits()
        /// How long a job may take from its start, by what it makes.
        public var deadlines = Deadlines()
        /// How often a job is given its time once more when other programs had the processor.
        public var extensions = 2
        /// Jobs that one worker does before another takes its place.
        public var jobsPerWorker = 2_000
        /// Bytes of memory with which a worker that rests is replaced.
        public var restingMemory: Int64 = 200 << 20
        /// How long a pool rests before it lets go of all workers but one.
        public var restAfter: Duration = .seconds(10)
        /// How long a job that nobody waits for any more may go on while others are at work: as long as a new worker
        /// costs, so that letting it go on is never much dearer than ending it, nor ending it than letting it go on.
        public var lingering: Duration = .milliseconds(100)
        /// The same while nobody else is at work: what comes of it may yet be of use.
        public var lingeringAlone: Duration = .seconds(2)
        /// The same when somebody waits for the place of just this worker, and for heavy pictures while others are at work.
        public var grace: Duration = .milliseconds(20)
        /// How long a worker may take to get ready.
        public var startDeadline: Duration = .seconds(15)
        /// Whether pictures are decoded although the kernel cannot lock a worker in (seccomp).
        public var allowsUnconfined = false
        public var logger = Logger(label: "tessera.rendering")

        public init() {}

        /// How long a job may take.
        public struct Deadlines: Hashable, Sendable {
            /// What is made for a grid.
            public var tile: Duration = .seconds(20)
            /// What is made for a whole screen, or of all pixels.
            public var screen: Duration = .seconds(40)
            /// A look at the header.
            public var examination: Duration = .seconds(10)

            public init() {}

            func limit(of work: RenderJob.Work) -> Duration {
                switch work {
                case .examine, .survey, .glimpse: examination
                case .make(let wanted): wanted.keys.contains(where: \.isForScreens) ? screen : tile
                case .encode: tile
                // Some 1,000 megapixels on a slow machine.
                case .pyramid: screen * 3
                }
            }
        }

        /// Workers that live at the same time: those at work, and as many to take their places.
        public var maximumWorkers: Int { 2 * (places + heavyPlaces) }

        /// - Throws: `RenderLimits.Invalid` that names the first value out of its bounds.
        public func validate() throws(RenderLimits.Invalid) {
            try limits.validate()
            guard (1...256).contains(places) else { throw RenderLimits.Invalid(field: "places") }
            guard (1...256).contains(heavyPlaces) else { throw RenderLimits.Invalid(field: "heavyPlaces") }
            guard jobsPerWorker > 0 else { throw RenderLimits.Invalid(field: "jobsPerWorker") }
            for (field, value) in [
                ("tile", deadlines.tile), ("screen", deadlines.screen), ("examination", deadlines.examination),
                ("startDeadline", startDeadline),
            ] where value <= .zero {
                throw RenderLimits.Invalid(field: field)
            }
        }
    }
}
