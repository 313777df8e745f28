/// A histogram of how long each iteration kept a loop busy, in powers of two of a microsecond. An iteration is one
/// handler call, timer or job. While it lasts, the loop serves nobody else.
public struct CallbackTimes: Sendable {
    /// The upper bounds of all buckets but the last, in microseconds: 1, 2, 4, and so on to about a second.
    public static let bounds: [UInt64] = (0...20).map { 1 << $0 }

    /// The number of iterations in each bucket; the last one has no upper bound.
    public private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of all iterations, in nanoseconds.
    public private(set) var total: UInt64 = 0
    /// The longest iteration, in nanoseconds.
    public private(set) var longest: UInt64 = 0

    public init() {}

    /// - Parameter nanoseconds: The duration of an iteration.
    mutating func count(_ nanoseconds: UInt64) {
        let microseconds = (nanoseconds + 999) / 1_000
        let bits = UInt64.bitWidth - max(microseconds, 1).leadingZeroBitCount - 1
        let isPower = microseconds & (microseconds &- 1) == 0
        counts[min(isPower ? bits : bits + 1, Self.bounds.count)] += 1
        total &+= nanoseconds
        longest = max(longest, nanoseconds)
    }

    /// Adds the iterations of another loop.
    public mutating func add(_ other: CallbackTimes) {
        for index in counts.indices { counts[index] += other.counts[index] }
        total &+= other.total
        longest = max(longest, other.longest)
    }
}

extension EventLoop {
    /// The iterations of this loop so far.
    public func callbackTimes() async -> CallbackTimes {
        await withCheckedContinuation { continuation in
            execute { [self] in continuation.resume(returning: state.callbackTimes) }
        }
    }

    /// Starts the first iteration of a batch.
    func beginCallbacks() { state.callbackBegan = Self.now() }

    /// Ends an iteration and starts the next.
    func endCallback() {
        let now = Self.now()
        state.callbackTimes.count(now &- state.callbackBegan)
        state.callbackBegan = now
    }
}
