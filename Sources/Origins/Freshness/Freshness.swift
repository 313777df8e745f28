import Time

/// How long a response may be used without revalidation (RFC 9111 §4.2).
struct Freshness: Hashable, Sendable {
    let freshFor: Duration
    let mayStore: Bool
    /// Whether the response must not be used once stale, even if the origin cannot be reached (§4.2.4); nil if the
    /// origin says nothing about caching.
    let mustRevalidate: Bool?

    /// - Parameters:
    ///   - now: When the head arrived, in seconds since 1970.
    ///   - delay: The seconds between the request and the head.
    ///   - heuristic: The minimum and maximum lifetime assumed if the origin states none (§4.2.2).
    init(of head: ResponseHead, now: Int64, delay: Int64, heuristic: ClosedRange<Duration>) {
        let control = CacheControl(head.cacheControl)
        mayStore = !control.noStore
        mustRevalidate = head.cacheControl.isEmpty ? nil : control.mustRevalidate || control.noCache
        guard !control.noStore, !control.noCache, !head.varies.contains("*") else {
            freshFor = .zero
            return
        }
        let date = head.date.flatMap { HTTPDate($0)?.seconds } ?? now
        let lifetime: Int64
        if let maxAge = control.maxAge {
            lifetime = maxAge
        } else if let expires = head.expires {
            // An invalid date, especially "0", means a time in the past (§5.3).
            lifetime = HTTPDate(expires).map { $0.seconds - date } ?? 0
        } else if let modified = head.lastModified.flatMap({ HTTPDate($0)?.seconds }) {
            let tenth = Duration.seconds((date - modified) / 10)
            lifetime = min(max(tenth, heuristic.lowerBound), heuristic.upperBound).components.seconds
        } else {
            lifetime = heuristic.lowerBound.components.seconds
        }
        let age = max(0, now - date, (head.age.flatMap { DeltaSeconds.parse($0) } ?? 0) + delay)
        freshFor = .seconds(max(0, lifetime - age))
    }
}
