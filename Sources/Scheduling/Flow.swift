/// Who asks: one session, one peer, or whatever else is to have a share of its own. The word of fair queueing: places
/// go round the flows, however much each of them wants.
public struct Flow: Hashable, Sendable, Comparable {
    private let number: UInt64

    /// The flow of all work that is nobody's in particular.
    public static let common = Flow(number: 0)

    private init(number: UInt64) { self.number = number }

    /// The flow of `who`: the same for equals. Its name is a hash that is seeded anew for each process, so that nobody
    /// can choose a name to fall into another's flow; two that fall together by chance share a turn, and that is all.
    public init(of who: some Hashable) {
        number = UInt64(UInt(bitPattern: who.hashValue))
    }

    public static func < (left: Flow, right: Flow) -> Bool { left.number < right.number }
}
