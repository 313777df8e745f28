/// How urgent a piece of work is, and for whom. Greater means sooner: visible before prefetch before background; then
/// the newest viewport; in it, brief work first; then the smallest distance from the viewport's centre.
///
/// This is the order within one ``Flow``. It also decides which flow's priority counts if several want the same work.
/// Among flows, ``PermitAllocator`` shares the permits out evenly, except that all visible work goes before all
/// prefetch.
public struct Priority: Hashable, Sendable, Comparable {
    /// Whether the work is for a slot that is visible now.
    public enum Level: UInt8, Sendable, Comparable {
        /// Nobody has requested it.
        case background
        case prefetch
        case visible

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// Visible, prefetch or background.
    public var level: Level
    /// Increases with each viewport that a client reports; newer viewports go first.
    public var viewport: UInt64
    /// The work is short and shows something, as a preview does: all brief work of a viewport goes before the rest.
    public var isBrief: Bool
    /// The number of slots between this one and the centre of its viewport.
    public var distance: UInt32
    /// The flow whose share the work uses.
    public var flow: Flow

    public init(level: Level, viewport: UInt64, isBrief: Bool = false, distance: UInt32, flow: Flow = .common) {
        self.level = level
        self.viewport = viewport
        self.isBrief = isBrief
        self.distance = distance
        self.flow = flow
    }

    private var brevity: Int { isBrief ? 1 : 0 }

    public static func < (left: Priority, right: Priority) -> Bool {
        // The flow comes last and says nothing about urgency; comparing it makes the order consistent with equality.
        (left.level, left.viewport, left.brevity, right.distance, left.flow)
            < (right.level, right.viewport, right.brevity, left.distance, right.flow)
    }
}
