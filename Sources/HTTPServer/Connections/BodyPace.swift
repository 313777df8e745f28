/// Whether a request's body arrives fast enough. A pure value: bytes and elapsed times go in, a verdict comes out.
///
/// A body must not pause for too long, and must have a minimum rate over any period of time. A fast start does not
/// make up for being slow later.
struct BodyPace: Sendable {
    struct Limits: Sendable {
        /// How long a pause may be.
        var silence: Duration
        /// The period over which the rate is averaged.
        var window: Duration
        /// The minimum rate in bytes per second; 0 for none.
        var rate: Int
    }

    /// The window slides by a quarter of its length.
    private static let parts = 4

    private var silence = Duration.zero
    /// The bytes of the current quarter, and of the previous ones, latest first.
    private var present = 0
    private var past: [Int] = []
    private var elapsed = Duration.zero

    mutating func received(_ count: Int) {
        guard count > 0 else { return }
        present += count
        silence = .zero
    }

    /// Reports that the server waited for the client. Returns false if the client is too slow. `time` must be short
    /// compared to the limits.
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
