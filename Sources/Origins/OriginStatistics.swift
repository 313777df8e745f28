/// What a fetcher has done since it was made, and does now.
public struct OriginStatistics: Hashable, Sendable {
    /// Fetches that were asked for.
    public var fetches = 0
    /// Fetches that wait for a place, or for the time of their retry.
    public var waiting = 0
    /// Transfers under way.
    public var inFlight = 0
    /// Requests sent, with retries and redirects.
    public var attempts = 0
    public var retries = 0
    public var redirects = 0
    /// Attempts that went on where a lost one had stopped.
    public var resumptions = 0
    public var finished = 0
    public var notModified = 0
    public var failed = 0
    /// Fetches cancelled by their caller before their end.
    public var aborted = 0
    /// Body bytes read.
    public var bytes: Int64 = 0
    /// Connections opened.
    public var connections = 0
    /// Sockets refused by the address filter.
    public var refusedAddresses = 0
    /// Origins left alone at the moment.
    public var suspendedOrigins = 0

    public init() {}
}
