extension DemoOrigin {
    /// How a demo origin behaves.
    public struct Configuration: Hashable, Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// The port to listen on; 0 lets the system choose.
        public var port: UInt16 = 0
        /// What the pictures and the accidents depend on: the same seed gives the same.
        public var seed: UInt64 = 1
        /// How the network and the origin are at first; ``DemoOrigin/change(_:)`` changes it.
        public var conditions = Conditions()
        /// For how long a picture counts as fresh, in seconds (`max-age`).
        public var maximumAge = 3_600
        /// Bytes of drawn pictures that are kept.
        public var cacheBytes = 64 << 20
        /// Pictures drawn at a time.
        public var painters = 2
        /// Pictures that may wait to be drawn; one more is answered with 503.
        public var waitingPictures = 4_096

        public init() {}

        /// Throws ``Invalid`` for the first setting that cannot work.
        public func validate() throws {
            try conditions.validate()
            for (field, value, least) in [
                ("maximumAge", maximumAge, 0), ("cacheBytes", cacheBytes, 0), ("painters", painters, 1),
                ("waitingPictures", waitingPictures, 1),
            ] where value < least {
                throw Invalid(field: field, problem: "must be at least \(least)")
            }
        }
    }

    /// The accidents of a network, and of an origin that has seen better days.
    public struct Conditions: Hashable, Sendable, Codable {
        /// Milliseconds before an answer.
        public var latency: Double = 0
        /// By which share of itself the latency varies, up and down: 0 to 1.
        public var jitter: Double = 0
        /// The share of requests that fail: with 500, with 503, by a cut before the body or within it.
        public var fail: Double = 0
        /// The share of requests that are never answered.
        public var hang: Double = 0

        public init(latency: Double = 0, jitter: Double = 0, fail: Double = 0, hang: Double = 0) {
            self.latency = latency
            self.jitter = jitter
            self.fail = fail
            self.hang = hang
        }

        /// Throws ``Invalid`` for the first value that cannot be.
        public func validate() throws {
            guard (0...600_000).contains(latency) else {
                throw Invalid(field: "latency", problem: "must be from 0 to 600000 milliseconds")
            }
            for (field, share) in [("jitter", jitter), ("fail", fail), ("hang", hang)] where !(0...1).contains(share) {
                throw Invalid(field: field, problem: "must be from 0 to 1")
            }
        }
    }

    /// A setting that cannot work.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        public let field: String
        public let problem: String

        public var description: String { "\(field): \(problem)" }
    }
}
