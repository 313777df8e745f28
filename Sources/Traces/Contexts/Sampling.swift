/// Which traces are recorded (OpenTelemetry SDK, "Sampling").
public struct Sampling: Hashable, Sendable {
    /// Of the traces that begin here, the part that is recorded: 0 to 1.
    public var ratio: Double
    /// Whether a span that belongs to another is recorded where that one is, whatever the ratio.
    public var followsParent: Bool

    public init(ratio: Double = 1, followsParent: Bool = true) {
        self.ratio = ratio
        self.followsParent = followsParent
    }

    /// - Parameter trace: Decides by its lower half, of which every service with this ratio makes the same.
    func records(_ trace: UInt128, below parent: TraceContext?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        if ratio >= 1 { return true }
        return Double(UInt64(truncatingIfNeeded: trace) >> 11) < ratio * 0x1p53
    }
}
