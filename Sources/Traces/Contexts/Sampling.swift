/// Which traces are recorded (OpenTelemetry SDK, "Sampling").
public struct Sampling: Hashable, Sendable {
    /// The fraction of traces starting here that is recorded, 0 to 1.
    public var ratio: Double
    /// Whether a span with a parent is recorded exactly if its parent is, whatever the ratio.
    public var followsParent: Bool

    public init(ratio: Double = 1, followsParent: Bool = true) {
        self.ratio = ratio
        self.followsParent = followsParent
    }

    /// - Parameter trace: Its lower half decides, so that all services with the same ratio make the same decision.
    func records(_ trace: UInt128, below parent: TraceContext?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        if ratio >= 1 { return true }
        return Double(UInt64(truncatingIfNeeded: trace) >> 11) < ratio * 0x1p53
    }
}
