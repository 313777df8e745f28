/// How long to wait before connecting again: the pause doubles with each failure that follows soon after the one before, and
/// is random, so that many nodes do not come back at once.
public struct ReconnectionPause: Sendable {
    private let first: Duration
    private let longest: Duration
    private var failures = 0

    /// A connection that lasted for this time was a success.
    private static let success = Duration.seconds(5)

    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// Counts a failure.
    ///
    /// - Parameter time: How long the attempt took, with the connection that it may have led to.
    public mutating func failed(after time: Duration) { failures = time < Self.success ? failures + 1 : 1 }

    /// The next pause: between half of its nominal length and all of it.
    public func next() -> Duration {
        let nominal = min(first * (1 << min(failures, 16)), longest)
        return nominal / 2 + nominal / 2 * Double.random(in: 0...1)
    }
}
