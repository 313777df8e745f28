/// How urgent a piece of work is. Greater is sooner: visible before prefetch, then the newest viewport, then the
/// smallest distance from the viewport's centre.
public struct Priority: Hashable, Sendable, Comparable {
    /// Whether somebody looks at the slot now.
    public enum Lane: UInt8, Sendable, Comparable {
        case prefetch
        case visible

        public static func < (left: Lane, right: Lane) -> Bool { left.rawValue < right.rawValue }
    }

    public var lane: Lane
    /// A number that grows with each viewport that a client reports; a newer viewport goes first.
    public var viewport: UInt64
    /// Slots between this one and the centre of its viewport.
    public var distance: UInt32

    public init(lane: Lane, viewport: UInt64, distance: UInt32) {
        self.lane = lane
        self.viewport = viewport
        self.distance = distance
    }

    public static func < (left: Priority, right: Priority) -> Bool {
        (left.lane, left.viewport, right.distance) < (right.lane, right.viewport, left.distance)
    }
}
