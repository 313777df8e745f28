import Encodings

extension DemoOrigin {
    /// How a demo origin behaves.
    public struct Configuration: Hashable, Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// The port to listen on; 0 lets the system choose.
        public var port: UInt16 = 0
        /// Determines the pictures and the faults: equal seeds give equal ones.
        public var seed: UInt64 = 1
        /// The initial behaviour of the network and the origin; ``DemoOrigin/change(_:)`` changes it.
        public var conditions = Conditions()
        /// How long a picture stays fresh, in seconds (`max-age`).
        public var maximumAge = 3_600
        /// The size of the cache of drawn pictures, in bytes.
        public var cacheBytes = 64 << 20
        /// The number of pictures drawn concurrently.
        public var painters = 2
        /// The number of pictures that may wait to be drawn; requests for more get a 503.
        public var waitingPictures = 4_096

        public init() {}

        /// Throws ``Invalid`` for the first setting that is out of range.
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

    /// The latency and faults of a bad network and an unreliable origin.
    public struct Conditions: Hashable, JSONWritable {
        /// Milliseconds before each response.
        public var latency: Double = 0
        /// The share by which the latency varies, up and down: 0 to 1.
        public var jitter: Double = 0
        /// The share of requests that fail, from 0 to 1: with a 500, with a 503, or by a connection that is cut
        /// before or within the body.
        public var fail: Double = 0
        /// The share of requests that are never answered, from 0 to 1.
        public var hang: Double = 0

        public init(latency: Double = 0, jitter: Double = 0, fail: Double = 0, hang: Double = 0) {
            self.latency = latency
            self.jitter = jitter
            self.fail = fail
            self.hang = hang
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("latency", latency)
                json.member("jitter", jitter)
                json.member("fail", fail)
                json.member("hang", hang)
            }
        }

        /// Throws ``Invalid`` for the first value that is out of range.
        public func validate() throws {
            guard (0...600_000).contains(latency) else {
                throw Invalid(field: "latency", problem: "must be from 0 to 600000 milliseconds")
            }
            for (field, share) in [("jitter", jitter), ("fail", fail), ("hang", hang)] where !(0...1).contains(share) {
                throw Invalid(field: field, problem: "must be from 0 to 1")
            }
        }
    }

    /// A setting that is out of range.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        /// The name of the setting.
        public let field: String
        /// The rule that it violates.
        public let problem: String

        public var description: String { "\(field): \(problem)" }
    }
}
