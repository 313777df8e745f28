import HTTPDates

/// For how long an origin asks to be left alone (RFC 9110 §10.2.3).
public enum RetryAfter {
    /// Nobody is kept waiting for longer, whatever an origin says: a slip of its pen must not shut a picture out for
    /// years.
    public static let longest: Duration = .seconds(3600)

    /// Neither negative nor longer than ``longest``.
    public static func bounded(_ wait: Duration) -> Duration { min(max(wait, .zero), longest) }

    /// Seconds or a date, bounded; nil for anything else.
    ///
    /// - Parameter now: Seconds since 1970.
    static func wait(_ field: String, now: Int64) -> Duration? {
        if let seconds = DeltaSeconds.parse(field) { return bounded(.seconds(seconds)) }
        return HTTPDate(field).map { bounded(.seconds($0.seconds - now)) }
    }
}
