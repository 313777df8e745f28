import Addresses

/// How to fetch from origins. The defaults suit a gallery of the open web on one machine.
public struct Configuration: Hashable, Sendable {
    /// The maximum number of concurrent transfers, over all origins.
    ///
    /// An origin gets another permit only while it holds fewer than are free, so that origins that hang leave room for
    /// others: one origin gets at most half of the permits, the next half of the rest, and so on. With the defaults,
    /// eight origins must hang at the same time to exhaust all permits, and only until they are suspended.
    public var permits = 128
    /// The maximum number of concurrent transfers per origin (scheme, host and port), over all nodes
    /// (``OriginSharing``). It starts with 16, grows while the origin responds as fast as before, and shrinks when the
    /// origin slows down or asks for fewer requests.
    public var permitsPerOrigin = 64
    /// The maximum number of requests per second to one origin, over all nodes; nil for no limit.
    public var requestsPerSecondPerOrigin: Double?

    /// The timeout for a connection, including name resolution and TLS.
    public var connectTimeout: Duration = .seconds(10)
    /// The timeout from the start of an attempt, including its connection, to the head of the response.
    public var firstByteTimeout: Duration = .seconds(20)
    /// A body that delivers fewer than `lowSpeedBytes` within this time is given up. This timeout and the two above end
    /// the whole fetch: a request that has hung once is not retried.
    public var lowSpeedWindow: Duration = .seconds(15)
    /// The minimum number of bytes within a `lowSpeedWindow`.
    public var lowSpeedBytes = 4_096
    /// The timeout for the whole fetch with its retries, backoff and redirects, from the first socket on; paused time
    /// and time in the queue do not count.
    public var totalTimeout: Duration = .seconds(120)

    /// The maximum size of an image in bytes.
    public var maximumBytes: Int64 = 256 << 20
    /// The maximum size of a response's header section in bytes.
    public var maximumHeaderBytes = 64 << 10
    /// The maximum number of redirects per fetch.
    public var maximumRedirects = 5

    /// The maximum number of retries after transient failures.
    public var maximumRetries = 3
    /// The delay before the first retry, before jitter; doubles with each further retry.
    public var retryDelay: Duration = .milliseconds(250)
    /// The longest delay before a retry, even if the origin asks for more (`Retry-After`, RFC 9110 §10.2.3): if it
    /// does, this fetch is not retried.
    public var maximumRetryDelay: Duration = .seconds(10)

    /// The number of consecutive failed connections or responses after which an origin is suspended.
    public var failuresUntilSuspended = 12
    /// The duration of the first suspension; doubles with each failed probe, up to eight times this value.
    public var suspension: Duration = .seconds(5)
    /// The duration of every suspension of the object store.
    public var storeSuspension: Duration = .seconds(2)

    /// The minimum freshness of responses whose origin states none (RFC 9111 §4.2.2 leaves it to the cache): an image
    /// in use must not be fetched again for each of its sizes.
    public var minimumHeuristicFreshness: Duration = .seconds(300)
    /// The maximum heuristic freshness (RFC 9111 §4.2.2).
    public var maximumHeuristicFreshness: Duration = .seconds(24 * 3600)

    /// Networks that may be fetched from although they are not public, in CIDR notation, such as "127.0.0.0/8".
    public var allowedAddresses: [String] = []

    /// Addresses for hosts that DNS does not know: from `host:port` to `host:port`. The address filter applies to these
    /// as well.
    public var routes: [String: String] = [:]

    /// The object store for signed requests; nil if there is none. Its addresses may be in a local network, because the
    /// operator has configured it.
    public var objectStore: ObjectStore?

    /// A PEM file with certificate authorities to trust in addition to the system's, for private origins.
    public var certificateAuthorities: String?

    /// Fields that the operator adds to requests for pictures. They are not sent with signed requests and uploads.
    public var headers: [OriginHeader] = []

    /// Sent with every request, unless ``headers`` contain another.
    public var userAgent = "Tessera/1"

    public init() {}

    /// Checks all settings.
    ///
    /// - Throws: ``Invalid`` for the first invalid one.
    public func validate() throws {
        for (field, value) in [
            ("places", permits), ("placesPerOrigin", permitsPerOrigin), ("maximumHeaderBytes", maximumHeaderBytes),
            ("failuresUntilSuspended", failuresUntilSuspended),
        ] where value < 1 {
            throw Invalid(field: field, problem: "must be at least 1")
        }
        for (field, value) in [
            ("maximumRetries", maximumRetries), ("maximumRedirects", maximumRedirects),
            ("lowSpeedBytes", lowSpeedBytes),
        ] where value < 0 {
            throw Invalid(field: field, problem: "must not be negative")
        }
        for (field, value) in [
            ("connectTimeout", connectTimeout), ("firstByteTimeout", firstByteTimeout),
            ("lowSpeedWindow", lowSpeedWindow), ("totalTimeout", totalTimeout), ("suspension", suspension),
            ("storeSuspension", storeSuspension),
        ] where value <= .zero {
            throw Invalid(field: field, problem: "must be greater than zero")
        }
        for (field, value) in [
            ("retryDelay", retryDelay), ("maximumRetryDelay", maximumRetryDelay),
            ("minimumHeuristicFreshness", minimumHeuristicFreshness),
        ] where value < .zero {
            throw Invalid(field: field, problem: "must not be negative")
        }
        guard maximumHeuristicFreshness >= minimumHeuristicFreshness else {
            throw Invalid(field: "maximumHeuristicFreshness", problem: "must not be less than the minimum")
        }
        guard maximumBytes > 0 else { throw Invalid(field: "maximumBytes", problem: "must be at least 1") }
        if let rate = requestsPerSecondPerOrigin, !(rate > 0 && rate.isFinite) {
            throw Invalid(field: "requestsPerSecondPerOrigin", problem: "must be more than 0")
        }
        _ = try addressRanges()
        if let objectStore {
            do throws(OriginError) { _ = try OriginURL(objectStore.endpoint) } catch {
                throw Invalid(field: "objectStore", problem: "the endpoint is not a URL")
            }
        }
        guard userAgent.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw Invalid(field: "userAgent", problem: "must be printable ASCII")
        }
    }

    var heuristicFreshness: ClosedRange<Duration> { minimumHeuristicFreshness...maximumHeuristicFreshness }

    func addressRanges() throws -> [AddressRange] {
        try allowedAddresses.map { text in
            guard let range = AddressRange(text) else {
                throw Invalid(field: "allowedAddresses", problem: "\"\(text)\" is not a network such as 10.0.0.0/8")
            }
            return range
        }
    }

    /// A setting is invalid.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        public let field: String
        public let problem: String

        public var description: String { "\(field): \(problem)" }
    }
}
