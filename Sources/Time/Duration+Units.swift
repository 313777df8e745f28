public import Dispatch

extension Duration {
    /// The duration in seconds, including fractions.
    public var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// The duration in whole milliseconds, rounded towards zero, and limited to some 35 million years.
    public var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(min(max(seconds, -1 << 50), 1 << 50)) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    /// The duration for Dispatch's timers, in nanoseconds; limited to 136 years.
    public var dispatched: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let bounded = Int(min(max(seconds, -1 << 32), 1 << 32))
        return .nanoseconds(bounded * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
