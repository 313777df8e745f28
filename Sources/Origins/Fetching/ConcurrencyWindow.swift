/// The number of concurrent requests to one origin: more while it responds as fast as before, fewer when it asks for
/// fewer or slows down. Additive increase, multiplicative decrease (Chiu and Jain 1989), preceded by doubling, as in
/// TCP's slow start (RFC 5681 §3.1). A growing delay counts as a sign of queueing, as in TCP Vegas (Brakmo and Peterson
/// 1995).
///
/// Delays are compared as means over many responses, because an origin may well take 100 ms for one image and 2,000 ms
/// for the next. A pure value without a clock of its own.
struct ConcurrencyWindow: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The number of concurrent requests to an unknown origin.
    static let initial = 16
    /// The factors of the unloaded mean delay beyond which the window stops growing, and beyond which it shrinks.
    private static let steady = 1.5
    private static let queueing = 2.0
    /// An additional tolerance in seconds: delays of a nearby origin say more about this machine.
    private static let slack = 0.02
    /// By how much the window grows per round of responses after a refusal. A refused request costs a backoff, so the
    /// limit is probed less often than TCP probes with packets. After this many rounds without a refusal, the growth
    /// doubles.
    private static let probing = 0.125
    private static let calm = 8.0
    /// The mean is weighted over about this many responses.
    fileprivate static let memory = 32.0

    private var first: Int
    private var maximum: Int
    private var size: Double
    /// The size after the last decrease. Below it the window doubles with each round of responses.
    private var threshold: Double
    /// The growth per round above the threshold, and the number of rounds at this pace.
    private var pace = 1.0
    private var rounds = 0.0
    /// The delay until the head of a response in seconds: the present mean, and the mean with no more than `first`
    /// concurrent requests.
    private var delay = Mean()
    private var unloadedDelay = Mean()
    /// Requests sent before this say nothing about the present window.
    private var decreasedAt: Instant?

    init(_ share: OriginShare) {
        (first, maximum) = (share.first, share.maximum)
        size = Double(first)
        threshold = Double(maximum)
    }

    /// Updates the share after the number of nodes has changed. A smaller share takes effect at once; into a larger one
    /// the window grows as usual.
    mutating func take(_ share: OriginShare) {
        let (wasPristine, isUnbroken) = (isPristine, threshold >= Double(maximum))
        (first, maximum) = (share.first, share.maximum)
        size = wasPristine ? Double(first) : min(size, Double(maximum))
        threshold = isUnbroken ? Double(maximum) : min(threshold, Double(maximum))
    }

    /// The number of concurrent requests, at least 1.
    var requests: Int { Int(size) }

    /// Whether it is in its initial state, apart from delays.
    var isPristine: Bool { requests == first && decreasedAt == nil }

    /// The head of a response arrived, and the origin did not ask for fewer requests.
    ///
    /// - Parameters:
    ///   - begun: When the request was sent.
    ///   - atATime: The number of requests in flight. A window of which less than half is used does not grow, similar
    ///     to TCP (RFC 7661 §4.1). Half, because prefetches may use no more than that.
    mutating func answered(begun: Instant, now: Instant, atATime: Int) {
        guard isOfNow(begun) else { return }
        let seconds = begun.duration(to: now) / .seconds(1)
        delay.take(seconds)
        if requests <= first || !isKnown { unloadedDelay.take(seconds) }
        // Before that there is no baseline for what is slow.
        guard isKnown else { return }
        if requests > first, delay.value > Self.queueing * unloadedDelay.value + Self.slack {
            decrease(to: max(Double(first), size * 0.75), now: now)
            pace = 1
        } else if 2 * atATime >= requests, delay.value <= Self.steady * unloadedDelay.value + Self.slack {
            size = min(Double(maximum), size + (size < threshold ? 1 : pace / size))
            rounds += 1 / size
            if rounds >= Self.calm, pace < 1 {
                pace *= 2
                rounds = 0
            }
        }
    }

    /// Whether a whole window of responses has established how long the origin takes.
    private var isKnown: Bool { unloadedDelay.count >= Double(first) }

    /// The origin asked for fewer requests (429 and 503, RFC 6585 §4 and RFC 9110 §15.6.4).
    ///
    /// - Returns: Whether this is new, rather than a refusal that was already taken into account.
    @discardableResult
    mutating func pushedBack(begun: Instant, now: Instant) -> Bool {
        guard isOfNow(begun) else { return false }
        decrease(to: max(1, size / 2), now: now)
        pace = Self.probing
        return true
    }

    private func isOfNow(_ begun: Instant) -> Bool { decreasedAt.map { begun >= $0 } ?? true }

    private mutating func decrease(to size: Double, now: Instant) {
        self.size = size
        threshold = size
        decreasedAt = now
        rounds = 0
        // No delays are known for the new window yet.
        delay = unloadedDelay
    }

    /// A mean that becomes an exponential moving average once there are many values.
    private struct Mean: Sendable {
        private(set) var value = 0.0
        private(set) var count = 0.0

        mutating func take(_ next: Double) {
            count = min(count + 1, ConcurrencyWindow.memory)
            value += (next - value) / count
        }
    }
}
