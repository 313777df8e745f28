import Addresses

/// How origins are fetched from. The defaults suit a gallery of the open web on one machine.
public struct Configuration: Hashable, Sendable {
    /// Transfers under way at a time, all origins together.
    ///
    /// An origin is given a further place only while it holds fewer than are free, so that origins which hang leave
    /// room for others: one gets half of the places at most, the next half of what is left. With the defaults it takes
    /// eight origins that hang at the same time to fill all places, and only until they are left alone.
    public var places = 128
    /// Transfers under way at a time to one origin (scheme, host and port) at most. It begins with 16, is asked for more
    /// at a time while it answers as soon as before, and for fewer when it does not, or says so. Of several nodes, all
    /// together (``OriginSharing``).
    public var placesPerOrigin = 64
    /// Requests a second to one origin at most, of all nodes together; nil for no limit.
    public var requestsPerSecondPerOrigin: Double?

    /// Until a connection stands, name resolution and TLS included.
    public var connectTimeout: Duration = .seconds(10)
    /// From the start of an attempt to the head of its answer, the connection included.
    public var firstByteTimeout: Duration = .seconds(20)
    /// A body that brings fewer than `lowSpeedBytes` in any stretch of this length is given up. This limit and the two
    /// before it end the fetch when they run out: what hangs once is not tried again by itself.
    public var lowSpeedWindow: Duration = .seconds(15)
    /// Bytes within a `lowSpeedWindow`.
    public var lowSpeedBytes = 4_096
    /// The whole fetch with its retries, the waits between them and its redirects, from its first socket on; without
    /// paused time and the time in line for a place.
    public var totalTimeout: Duration = .seconds(120)

    /// Bytes of one picture.
    public var maximumBytes: Int64 = 256 << 20
    /// Bytes of the header section of one answer.
    public var maximumHeaderBytes = 64 << 10
    /// Redirects followed for one fetch.
    public var maximumRedirects = 5

    /// Attempts after the first one that failed for what may pass.
    public var maximumRetries = 3
    /// The wait before the first retry, before jitter; it doubles with each further one.
    public var retryDelay: Duration = .milliseconds(250)
    /// No wait is longer, not even one that the origin asks for (`Retry-After`, RFC 9110 §10.2.3); who asks for
    /// longer is not asked again by this fetch.
    public var maximumRetryDelay: Duration = .seconds(10)

    /// Connections or answers that fail one after another before an origin is left alone.
    public var failuresUntilSuspended = 12
    /// For how long an origin is left alone the first time; it doubles with each failed probe up to eight times.
    public var suspension: Duration = .seconds(5)
    /// The same of the store that signed requests go to, each time.
    public var storeSuspension: Duration = .seconds(2)

    /// An answer of which the origin says nothing counts as fresh for this long at least (RFC 9111 §4.2.2 leaves it to
    /// us): a picture that is shown now is not fetched again for each of its sizes.
    public var minimumHeuristicFreshness: Duration = .seconds(300)
    /// No answer counts as fresh for longer by the heuristic of RFC 9111 §4.2.2.
    public var maximumHeuristicFreshness: Duration = .seconds(24 * 3600)

    /// Networks that may be fetched from although they are not public, in CIDR notation: "127.0.0.0/8".
    public var allowedAddresses: [String] = []

    /// Where hosts are that no name service knows: `host:port` by `host:port`. What they are connected to is checked as any
    /// other address is.
    public var routes: [String: String] = [:]

    /// The store that signed requests go to; without one none is sent. Its addresses may be in a network of one's own,
    /// for it was named by the operator and not by a list.
    public var objectStore: ObjectStore?

    /// A PEM file of certificate authorities to trust beside the system's, for origins of one's own.
    public var certificateAuthorities: String?

    /// Sent with each request.
    public var userAgent = "Tessera/1"

    public init() {}

    /// Throws ``Invalid`` for the first setting that cannot work.
    public func validate() throws {
        for (field, value) in [
            ("places", places), ("placesPerOrigin", placesPerOrigin), ("maximumHeaderBytes", maximumHeaderBytes),
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
            throw Invalid(field: field, problem: "must be longer than nothing")
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
                throw Invalid(field: "objectStore", problem: "the endpoint is no URL")
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
                throw Invalid(field: "allowedAddresses", problem: "\"\(text)\" is no network such as 10.0.0.0/8")
            }
            return range
        }
    }

    /// A setting that cannot work.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        public let field: String
        public let problem: String

        public var description: String { "\(field): \(problem)" }
    }
}
