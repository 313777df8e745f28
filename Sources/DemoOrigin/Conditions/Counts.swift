import Encodings

extension DemoOrigin {
    /// The requests since the origin started, or since the counts were reset.
    public struct Counts: Hashable, JSONWritable {
        /// Requests for pictures.
        public var total = 0
        /// Requests whose response is not yet complete.
        public var inFlight = 0
        /// The highest number of requests in flight at one time.
        public var peakInFlight = 0
        /// Requests that the client gave up.
        public var aborted = 0
        /// Requests answered with 304.
        public var notModified = 0
        /// Requests with an injected fault, including those that hang.
        public var accidents = 0
        /// Requests by target: a picture's number, or the name of a slow one.
        public var pictures: [String: Int] = [:]

        public init() {}

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("total", total)
                json.member("inFlight", inFlight)
                json.member("peakInFlight", peakInFlight)
                json.member("aborted", aborted)
                json.member("notModified", notModified)
                json.member("accidents", accidents)
                json.member("pictures") { json in
                    json.object { json in
                        for (name, count) in pictures.sorted(by: { $0.key < $1.key }) {
                            json.member(named: name, count)
                        }
                    }
                }
            }
        }
    }
}
