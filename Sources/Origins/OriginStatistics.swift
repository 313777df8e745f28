public import Metrics

/// What the fetcher has done and has under way. ``metrics`` says what each figure counts.
public struct OriginStatistics: Hashable, Sendable {
    public var fetches = 0
    public var waiting = 0
    public var inFlight = 0
    public var parked = 0
    public var prefixes = 0
    public var attempts = 0
    public var retries = 0
    public var redirects = 0
    public var resumptions = 0
    public var finished = 0
    public var notModified = 0
    public var failed = 0
    public var aborted = 0
    public var bytes: Int64 = 0
    public var connections = 0
    public var refusedAddresses = 0
    public var suspendedOrigins = 0

    public init() {}
}

extension OriginStatistics: MetricsReporting {
    public static let metrics: [Metric<OriginStatistics>] = [
        .counter("fetches", "Fetches that were requested.", \.fetches),
        .gauge("waiting", "Fetches that are queued, or waiting for their next retry.", \.waiting),
        .gauge("inFlight", "Transfers in flight.", \.inFlight),
        .gauge(
            "parked", "Fetches whose first part has arrived, and of which nobody has requested the rest.", \.parked),
        .counter("prefixes", "Fetches that ended with their first part, because nobody needed more.", \.prefixes),
        .counter("attempts", "Requests sent, including retries and redirects.", \.attempts),
        .counter("retries", "Requests sent again after a failure.", \.retries),
        .counter("redirects", "Redirects followed.", \.redirects),
        .counter("resumptions", "Requests that resumed a transfer whose connection was lost.", \.resumptions),
        .counter("finished", "Fetches that brought the whole original.", \.finished),
        .counter("notModified", "Fetches whose origin answered that nothing has changed.", \.notModified),
        .counter("failed", "Fetches that failed.", \.failed),
        .counter("aborted", "Fetches cancelled because nobody wanted the original any more.", \.aborted),
        .counter("bytes", "Bytes of response bodies read.") { Int($0.bytes) },
        .counter("connections", "Connections opened.", \.connections),
        .counter("refusedAddresses", "Connections refused because the address is not allowed.", \.refusedAddresses),
        .gauge("suspended", "Origins that are left alone for a while because they fail.", \.suspendedOrigins),
    ]
}
