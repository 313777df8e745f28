extension DemoOrigin {
    /// What an origin was asked for since it started, or since the counts were reset.
    public struct Counts: Hashable, Sendable, Codable {
        /// Requests for pictures.
        public var total = 0
        /// Requests that are not yet answered to the last byte.
        public var inFlight = 0
        /// The most that were under way at one time.
        public var peakInFlight = 0
        /// Requests that the client gave up.
        public var aborted = 0
        /// Requests that were answered with 304.
        public var notModified = 0
        /// Requests that met with an accident, hung ones included.
        public var accidents = 0
        /// Requests by what they asked for: a picture's number, or the name of a slow one.
        public var pictures: [String: Int] = [:]

        public init() {}
    }
}
