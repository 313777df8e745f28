import Scheduling

/// Fetches remote images. The implementation handles everything between this server and the origin (limits, retries,
/// redirects, forbidden addresses, resumption); the caller gets a stream of events with exactly one end.
public protocol OriginFetching: Sendable {
    /// Begins a fetch and returns at once; the fetch may wait for a permit before it opens a socket.
    ///
    /// - Parameters:
    ///   - priority: Decides which fetch gets the next free permit.
    ///   - events: Called in order, never concurrently and never before `fetch` has been entered, on a thread of the
    ///     fetcher, which it must not block. The last event is one of `.notModified`, `.finished` and `.failed`; once a
    ///     cancel has been processed, no more events come.
    /// - Returns: The only handle to control the fetch. Releasing it does not end the fetch.
    func fetch(
        _ request: OriginRequest, priority: Priority, events: @escaping @Sendable (OriginEvent) -> Void
    ) -> any OriginFetch
}

/// A fetch in progress. All calls are safe on any thread and return at once. They may come in any order and number, and
/// do nothing after the fetch has ended.
public protocol OriginFetch: Sendable {
    /// Ends the fetch: a waiting one leaves the queue; a running one closes its socket (HTTP/1.1) or resets its stream
    /// (HTTP/2). An event that is already being delivered on the fetcher's thread may still arrive.
    func cancel()

    /// Moves the fetch in the queue for permits; a running fetch keeps its permit, and counts as one of the new
    /// priority.
    func reprioritise(_ priority: Priority)

    /// Stops reading from the origin until `resume()`: the origin's sends stall, and only data already read is
    /// delivered. Paused time does not count against the fetch's timeouts.
    func pause()

    /// Resumes reading after `pause()`.
    func resume()

    /// Fetches the rest of a body of which only a prefix was requested (``OriginRequest/prefixLength``). If called
    /// before the prefix has arrived, the fetch is not parked after it.
    func fetchRest()
}
