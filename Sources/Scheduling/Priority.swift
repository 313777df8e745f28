/// How urgent a piece of work is, and for whom. Greater is sooner: visible before prefetch, and that before what nobody has
/// asked for, then the newest viewport, in it what is brief, and then the smallest distance from the viewport's centre.
///
/// This is the order within one ``Flow``, and decides for which of several flows that want the same piece it counts.
/// Among flows places are shared out evenly instead (``PlaceAllocator``), save that all that is visible goes before all
/// prefetch.
public struct Priority: Hashable, Sendable, Comparable {
    /// Whether somebody looks at the slot now.
    public enum Lane: UInt8, Sendable, Comparable {
        /// Nobody has asked for it.
        case background
        case prefetch
        case visible

        public static func < (left: Lane, right: Lane) -> Bool { left.rawValue < right.rawValue }
    }

    public var lane: Lane
    /// A number that grows with each viewport that a client reports; a newer viewport goes first.
    public var viewport: UInt64
    /// It takes a moment and shows something, as a preview does: all of a viewport have theirs before any has more.
    public var isBrief: Bool
    /// Slots between this one and the centre of its viewport.
    public var distance: UInt32
    /// Whose share of the places it takes.
    public var flow: Flow

    public init(lane: Lane, viewport: UInt64, isBrief: Bool = false, distance: UInt32, flow: Flow = .common) {
        self.lane = lane
        self.viewport = viewport
        self.isBrief = isBrief
        self.distance = distance
        self.flow = flow
    }

    private var brevity: Int { isBrief ? 1 : 0 }

    public static func < (left: Priority, right: Priority) -> Bool {
        // The flow comes last, so that equals are one and the same; it says nothing of urgency.
        (left.lane, left.viewport, left.brevity, right.distance, left.flow)
            < (right.lane, right.viewport, right.brevity, left.distance, right.flow)
    }
}
