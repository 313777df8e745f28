/// How long what ran on a loop kept it: each handler's call, each timer and each job is a turn, counted by powers of two of
/// a microsecond. While a turn lasts nobody else of that loop is served.
public struct TurnTimes: Sendable {
    /// The upper bounds of all counts but the last, in microseconds: 1, 2, 4, and so on to about a second.
    public static let bounds: [UInt64] = (0...20).map { 1 << $0 }

    /// Turns by their length; the last of them took longer than all bounds.
    public private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// All turns together, in nanoseconds.
    public private(set) var total: UInt64 = 0
    /// The longest of them, in nanoseconds.
    public private(set) var longest: UInt64 = 0

    public init() {}

    /// - Parameter nanoseconds: how long a turn took.
    mutating func count(_ nanoseconds: UInt64) {
        let microseconds = (nanoseconds + 999) / 1_000
        let bits = UInt64.bitWidth - max(microseconds, 1).leadingZeroBitCount - 1
        let isPower = microseconds & (microseconds &- 1) == 0
        counts[min(isPower ? bits : bits + 1, Self.bounds.count)] += 1
        total &+= nanoseconds
        longest = max(longest, nanoseconds)
    }

    /// Adds those of another loop.
    public mutating func add(_ other: TurnTimes) {
        for index in counts.indices { counts[index] += other.counts[index] }
        total &+= other.total
        longest = max(longest, other.longest)
    }
}

extension EventLoop {
    /// How long the turns of this loop took until now; nothing once it is stopped.
    public func turnTimes() async -> TurnTimes {
        await withCheckedContinuation { continuation in
            execute { [self] in continuation.resume(returning: state.turns) }
        }
    }

    /// From now on counts the next turn.
    func beginTurns() { state.turnBegan = Self.now() }

    /// A turn is over, and the next one begins.
    func endTurn() {
        let now = Self.now()
        state.turns.count(now &- state.turnBegan)
        state.turnBegan = now
    }
}
