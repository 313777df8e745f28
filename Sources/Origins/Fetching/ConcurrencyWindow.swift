/// How many requests one origin is asked at a time: more while it answers as soon as before, fewer when it says or shows
/// that they are too many. Additive increase, multiplicative decrease (Chiu and Jain 1989), begun by doubling, as TCP
/// does (RFC 5681 §3.1); a delay that grows counts as one sign of a queue, as in TCP Vegas (Brakmo and Peterson 1995).
///
/// Delays are compared as means over many answers: an origin whose pictures take now 100 and now 2,000 ms is not slow
/// for that. A pure value: it knows no clock but what it is told.
struct ConcurrencyWindow: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What an origin of which nothing is known is asked at a time.
    static let initial = 16
    /// The mean delay may grow by so much before no more is asked, and by so much before less is.
    private static let steady = 1.5
    private static let queueing = 2.0
    /// Seconds by which it may grow besides: of a near origin a delay says more of this machine.
    private static let slack = 0.02
    /// By how much the window grows in a round of answers, once it was refused: such a request comes again after a wait, so
    /// that it is not tried as often as a packet would be. After so many rounds without a refusal it is twice as much.
    private static let probing = 0.125
    private static let calm = 8.0
    /// The last so many answers weigh in the mean.
    fileprivate static let memory = 32.0

    private var first: Int
    private var most: Int
    private var size: Double
    /// What was too much lately, or a half of it: below it the window doubles with each round of answers.
    private var threshold: Double
    /// By how much it grows in a round above the threshold; and rounds of answers at this pace.
    private var pace = 1.0
    private var rounds = 0.0
    /// Seconds until the head of an answer: as it is now, and as it was with no more than `first` at a time.
    private var delay = Mean()
    private var unloadedDelay = Mean()
    /// Requests that began before this say nothing of the window as it is now.
    private var decreasedAt: Instant?

    init(_ share: OriginShare) {
        (first, most) = (share.first, share.most)
        size = Double(first)
        threshold = Double(most)
    }

    /// There are more nodes, or fewer. A smaller share counts at once; into a larger one the window grows as ever.
    mutating func take(_ share: OriginShare) {
        let (wasPristine, isUnbroken) = (isPristine, threshold >= Double(most))
        (first, most) = (share.first, share.most)
        size = wasPristine ? Double(first) : min(size, Double(most))
        threshold = isUnbroken ? Double(most) : min(threshold, Double(most))
    }

    /// Requests at a time, at least 1.
    var requests: Int { Int(size) }

    /// Whether it is as new, but for delays.
    var isPristine: Bool { requests == first && decreasedAt == nil }

    /// The head of an answer came, and the origin did not complain.
    ///
    /// - Parameters:
    ///   - begun: When its request was sent.
    ///   - atATime: How many requests were under way: a window of which less than a half is made use of does not grow, as
    ///     little as TCP's does (RFC 7661 §4.1). All of it may not be open: prefetch has one half.
    mutating func answered(begun: Instant, now: Instant, atATime: Int) {
        guard isOfNow(begun) else { return }
        let seconds = begun.duration(to: now) / .seconds(1)
        delay.take(seconds)
        if requests <= first || !isKnown { unloadedDelay.take(seconds) }
        // Before that nobody can tell what is slow.
        guard isKnown else { return }
        if requests > first, delay.value > Self.queueing * unloadedDelay.value + Self.slack {
            decrease(to: max(Double(first), size * 0.75), now: now)
            pace = 1
        } else if 2 * atATime >= requests, delay.value <= Self.steady * unloadedDelay.value + Self.slack {
            size = min(Double(most), size + (size < threshold ? 1 : pace / size))
            rounds += 1 / size
            if rounds >= Self.calm, pace < 1 {
                pace *= 2
                rounds = 0
            }
        }
    }

    /// Whether a whole window of answers told how long the origin takes.
    private var isKnown: Bool { unloadedDelay.count >= Double(first) }

    /// The origin asked for fewer requests (429 and 503, RFC 6585 §4 and RFC 9110 §15.6.4).
    ///
    /// - Returns: Whether that is news, and not of what has been heeded already.
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
        // Of the new window nothing is known yet.
        delay = unloadedDelay
    }

    /// Of all that came, the last ones weighing most once they are many.
    private struct Mean: Sendable {
        private(set) var value = 0.0
        private(set) var count = 0.0

        mutating func take(_ next: Double) {
            count = min(count + 1, ConcurrencyWindow.memory)
            value += (next - value) / count
        }
    }
}
