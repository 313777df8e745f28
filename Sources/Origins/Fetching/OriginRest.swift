/// For how long an origin is asked for nothing because it said so (429 and 503 with `Retry-After`, RFC 6585 §4 and
/// RFC 9110 §10.2.3).
///
/// One refusal may be of one picture alone, and costs only that. The second with no other answer in between is of the
/// origin. A pure value: it knows no clock but what it is told.
struct OriginRest: Sendable {
    typealias Instant = ContinuousClock.Instant

    private let longest: Duration
    private var wasRefused = false
    private var until: Instant?

    /// - Parameter longest: No rest is longer, whatever the origin says.
    init(longest: Duration) { self.longest = longest }

    func isOver(now: Instant) -> Bool { until.map { $0 <= now } ?? true }

    /// It answered, and did not complain.
    mutating func answered() { wasRefused = false }

    /// It refused.
    ///
    /// - Parameter asked: How long it said to wait.
    /// - Returns: The rest, if one begins.
    mutating func refused(asked: Duration?, now: Instant) -> Duration? {
        guard wasRefused else {
            wasRefused = true
            return nil
        }
        return begin(asked, now)
    }

    /// Another node has found out.
    ///
    /// - Returns: The rest, if one begins.
    mutating func told(asked: Duration, now: Instant) -> Duration? { begin(asked, now) }

    /// What was under way when a rest began, and is refused as well, makes it no longer.
    private mutating func begin(_ asked: Duration?, _ now: Instant) -> Duration? {
        guard let asked, asked > .zero, isOver(now: now) else { return nil }
        let rest = min(asked, longest)
        until = now + rest
        return rest
    }
}
