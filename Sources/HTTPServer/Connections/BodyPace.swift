/// Whether a request's body comes fast enough: bytes and waits in, a verdict out, no clock.
///
/// A body must not be silent for too long, and must bring a least rate over any stretch of time, whatever it brought
/// before: what came quickly at first buys no patience.
struct BodyPace: Sendable {
    struct Limits: Sendable {
        /// How long no byte may come.
        var silence: Duration
        /// The stretch of time over which the rate counts.
        var window: Duration
        /// The least rate, in bytes a second. 0: none.
        var rate: Int
    }

    /// The window slides by its quarters.
    private static let parts = 4

    private var silence = Duration.zero
    /// Bytes of the present part, and of those before it, the latest first.
    private var present = 0
    private var past: [Int] = []
    private var elapsed = Duration.zero

    mutating func received(_ count: Int) {
        guard count > 0 else { return }
        present += count
        silence = .zero
    }

    /// The client was waited for. False once it is too slow. What is told at once must be short beside the limits.
    mutating func waited(_ time: Duration, _ limits: Limits) -> Bool {
        silence += time
        guard silence <= limits.silence else { return false }
        elapsed += time
        let part = limits.window / Self.parts
        guard elapsed >= part else { return true }
        elapsed -= min(part, elapsed)
        past = [present] + past.prefix(Self.parts - 1)
        present = 0
        guard past.count == Self.parts, limits.rate > 0 else { return true }
        let seconds = limits.window / .seconds(1)
        return Double(past.reduce(0, +)) >= Double(limits.rate) * seconds
    }
}
