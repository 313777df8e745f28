import HTTPTypes

/// Request counts by route, method, and status, and response latency by route: the time from a request's head to that of
/// its response.
public struct RequestStatistics: Sendable {
    /// The labels of one counter.
    public struct Series: Hashable, Sendable {
        /// The pattern of the route; `other` if the request matched none.
        public let route: String
        /// The method; `other` for those that HTTP does not define, so that clients cannot create arbitrarily many
        /// series.
        public let method: String
        /// The status code. 499 stands for requests whose client disconnected before the response began.
        public let status: Int
    }

    /// A histogram of latencies.
    public struct Latencies: Sendable {
        /// The number of requests in each bucket of ``RequestStatistics/bounds``; the last one has no upper bound.
        public fileprivate(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
        /// The sum over all requests, in seconds.
        public fileprivate(set) var total = 0.0

        fileprivate mutating func count(_ latency: Double) {
            counts[bounds.firstIndex { latency <= $0 } ?? bounds.count] += 1
            total += latency
        }
    }

    /// The upper bounds of all buckets but the last, in seconds.
    public static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    public private(set) var counts: [Series: UInt64] = [:]
    /// By the pattern of the route. Requests without a response are not included.
    public private(set) var latencies: [String: Latencies] = [:]

    static let unmatched = "other"
    static let clientClosedRequest = 499

    /// - Parameter latency: From the request's head to that of the response, in seconds; nil without a response.
    mutating func count(_ route: String?, _ method: HTTPRequest.Method?, _ status: Int, latency: Double?) {
        let route = route ?? Self.unmatched
        counts[Series(route: route, method: Self.label(of: method), status: status), default: 0] += 1
        if let latency { latencies[route, default: Latencies()].count(latency) }
    }

    /// Adds the requests of another loop.
    mutating func add(_ other: RequestStatistics) {
        counts.merge(other.counts, uniquingKeysWith: +)
        for (route, more) in other.latencies {
            var sum = latencies[route] ?? Latencies()
            for index in sum.counts.indices { sum.counts[index] += more.counts[index] }
            sum.total += more.total
            latencies[route] = sum
        }
    }

    private static func label(of method: HTTPRequest.Method?) -> String {
        switch method {
        case .get?: "GET"
        case .head?: "HEAD"
        case .post?: "POST"
        case .put?: "PUT"
        case .delete?: "DELETE"
        case .options?: "OPTIONS"
        case .patch?: "PATCH"
        default: unmatched
        }
    }
}
