import Scheduling

/// Fetches remote pictures. Everything that may go wrong between here and an origin (limits, retries, redirects,
/// refused addresses, resumption) is settled behind this protocol; the caller sees a stream of events with one end.
public protocol OriginFetching: Sendable {
    /// Begins a fetch and returns at once; it may wait for a place before a socket is opened.
    ///
    /// - Parameters:
    ///   - priority: Decides who gets the next free place.
    ///   - events: Called in order, never twice at a time and never before `fetch` has been entered, on a thread of
    ///     the fetcher, which it must not block. The last event is one of `.notModified`, `.finished` and
    ///     `.failed`; after a cancel has been heard nothing more comes.
    /// - Returns: The one way to steer the fetch. Dropping it does not end the fetch.
    func fetch(
        _ request: OriginRequest, priority: Priority, events: @escaping @Sendable (OriginEvent) -> Void
    ) -> any OriginFetch
}

/// A fetch that has begun. All calls are safe from any thread, return at once, may come in any order and as often as
/// one likes, and do nothing after the fetch has ended.
public protocol OriginFetch: Sendable {
    /// Ends the fetch: a waiting one gives its turn away, one under way closes its socket (HTTP/1.1) or resets its
    /// stream (HTTP/2). An event already being delivered on the fetcher's thread may still arrive.
    func cancel()

    /// Moves the fetch in the line for places; one that is under way keeps its place and counts in the new lane.
    func reprioritise(_ priority: Priority)

    /// Stops reading from the origin until `resume()`: the origin's sends stall, and no more than what was already
    /// read is delivered. Paused time does not count against the fetch's time limits.
    func pause()

    /// Reads on after `pause()`.
    func resume()
}
