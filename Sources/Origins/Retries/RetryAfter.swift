import Time

/// How long an origin asks clients to wait (RFC 9110 §10.2.3).
public enum RetryAfter {
    /// The longest wait accepted: an origin's mistake must not make an image unavailable for years.
    public static let maximum: Duration = .seconds(3600)

    /// The wait, limited to the range from zero to ``maximum``.
    public static func bounded(_ wait: Duration) -> Duration { min(max(wait, .zero), maximum) }

    /// Parses a number of seconds or a date, and limits it; nil for anything else.
    ///
    /// - Parameter now: The current time, in seconds since 1970.
    static func wait(_ field: String, now: Int64) -> Duration? {
        if let seconds = DeltaSeconds.parse(field) { return bounded(.seconds(seconds)) }
        return HTTPDate(field).map { bounded(.seconds($0.seconds - now)) }
    }
}
