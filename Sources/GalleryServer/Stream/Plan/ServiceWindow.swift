/// Which slots are worth which rendition if it is sent now. Everything follows from the predicted viewport at the time
/// of arrival.
struct ServiceWindow: Equatable, Sendable {
    /// The shortest time from the arrival of a picture until it is painted, in seconds.
    static let paintAllowance = 0.04
    /// A preview is worth sending if its slot stays on screen for this long, in seconds: a few frames.
    static let previewStay = 0.05
    /// A tile is worth sending if its slot stays on screen for this long, in seconds.
    static let tileStay = 0.5
    /// The most slots between the viewport and the slots requested ahead; if there are more, those in between are
    /// ignored.
    static let longestPassing = 16_384

    /// The slots on screen at the last report.
    var reported: Range<Int>
    /// The slots worth a preview, and the slots worth a tile.
    var previews: Range<Int>
    var tiles: Range<Int>
    /// The slots whose previews have to be loaded now to arrive in time.
    var coming: Range<Int>
    /// The slots where the scroll will stop, if that is known.
    var landing: Range<Int>?
    /// The slots to prefetch ahead and behind; none in fast motion.
    var ahead: Range<Int>
    var behind: Range<Int>
    /// Most slots on screen at the time of arrival will have left it soon after.
    var isFast: Bool
    /// The slots on screen change noticeably in the time that a tile should be seen.
    var isMoving: Bool
    var isAtRest: Bool
    var direction: Int

    /// - Parameters:
    ///   - arrival: when a byte sent now arrives.
    ///   - loading: how long a rendition takes to load, in seconds.
    ///   - direction: of the last movement, 1 or -1.
    init(motion: Motion, arrival: Double, now: Double, loading: Double, total: Int, direction: Int) {
        self.direction = direction
        reported = motion.viewport.slots.clamped(to: 0..<total)
        guard motion.isMoving(at: now) else {
            previews = reported
            tiles = reported
            coming = reported
            landing = nil
            isFast = false
            isMoving = false
            isAtRest = true
            (ahead, behind) = Self.around(reported, motion.viewport, direction: direction, total: total)
            return
        }
        isAtRest = false
        let painted = arrival + max(Self.paintAllowance, motion.viewport.lag ?? 0)
        let there = motion.slots(at: painted, total: total)
        let staying = motion.slots(at: painted + Self.tileStay, total: total)
        previews = motion.slots(at: painted + Self.previewStay, total: total)
        tiles = there.overlaps(staying) ? there.clamped(to: staying) : there.upperBound..<there.upperBound
        coming = motion.slots(at: painted + Self.previewStay + loading, total: total)
        landing = motion.landing(total: total)
        let way = abs(motion.first(at: painted + Self.tileStay) - motion.first(at: painted))
        isFast = way > Double(motion.viewport.count) / 2
        isMoving = way > Double(motion.viewport.count) / 8
        let edge = total..<total
        (ahead, behind) =
            isFast ? (edge, edge) : Self.around(previews, motion.viewport, direction: direction, total: total)
    }

    /// The slots ahead and behind, as many as the client asks for. By default, these are one viewport in the direction
    /// of travel and half a viewport behind, within ``Viewport/maximumAhead``.
    private static func around(
        _ slots: Range<Int>, _ viewport: Viewport, direction: Int, total: Int
    ) -> (ahead: Range<Int>, behind: Range<Int>) {
        let limit = Viewport.maximumAhead
        let next = viewport.ahead ?? min(viewport.count, limit)
        let last = viewport.behind ?? min(viewport.count / 2, limit / 2)
        let all = 0..<total
        let (after, before) = direction < 0 ? (last, next) : (next, last)
        let above = (slots.upperBound..<slots.upperBound + after).clamped(to: all)
        let below = (slots.lowerBound - before..<slots.lowerBound).clamped(to: all)
        return direction < 0 ? (below, above) : (above, below)
    }

    /// From the slots on screen at the time of arrival to the slots loaded now: a requested slot stays requested until
    /// it has passed. At speeds beyond scrolling, only the slots loaded now are included, so that the remembered slots
    /// stay bounded.
    var passing: Range<Int> {
        let way = min(previews.lowerBound, coming.lowerBound)..<max(previews.upperBound, coming.upperBound)
        return way.count <= Self.longestPassing ? way : coming
    }

    /// Whether a slot is worth anything now.
    func contains(_ slot: Int) -> Bool {
        reported.contains(slot) || previews.contains(slot) || passing.contains(slot) || ahead.contains(slot)
            || behind.contains(slot)
            || landing?.contains(slot) ?? false
    }

    /// The user scrolls slowly, and no end of the scroll is known.
    var isReading: Bool { !isAtRest && !isFast && landing == nil }

    /// Slots between this one and the centre of the predicted viewport.
    func distance(of slot: Int) -> UInt32 {
        UInt32(clamping: abs(slot - (previews.lowerBound + previews.count / 2)))
    }
}
