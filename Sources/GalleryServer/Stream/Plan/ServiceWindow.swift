/// Which slots are worth which rendition if it is sent now: everything follows from where the viewport will be when it
/// arrives.
struct ServiceWindow: Equatable, Sendable {
    /// How long after its arrival a picture is on screen, in seconds, at the least: it is decoded and painted.
    static let paintAllowance = 0.04
    /// A preview is worth sending for so long on screen, in seconds: a few frames.
    static let previewStay = 0.05
    /// A tile is worth sending for so long on screen, in seconds.
    static let tileStay = 0.5
    /// Slots between what is on screen and what is asked for, beyond which those in the middle are of no concern.
    static let longestPassing = 16_384

    /// What was on screen by the last report.
    var reported: Range<Int>
    /// Slots worth a preview, and slots worth a tile.
    var previews: Range<Int>
    var tiles: Range<Int>
    /// Slots whose previews have to be asked for now, so that they are there in time.
    var coming: Range<Int>
    /// Where the scrolling will end, if that is known.
    var landing: Range<Int>?
    /// What lies ahead, and behind; nothing while the scrolling is fast.
    var ahead: Range<Int>
    var behind: Range<Int>
    /// Most of what is on screen when it arrives will soon have left it.
    var isFast: Bool
    /// What is on screen changes at all while a tile is looked at.
    var isMoving: Bool
    var isAtRest: Bool
    var direction: Int

    /// - Parameters:
    ///   - arrival: when a byte that is sent now arrives.
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

    /// As many slots as the client says; else one viewport in the direction of travel, and half of one behind, so many at
    /// the most.
    private static func around(
        _ slots: Range<Int>, _ viewport: Viewport, direction: Int, total: Int
    ) -> (ahead: Range<Int>, behind: Range<Int>) {
        let most = Viewport.maximumAhead
        let next = viewport.ahead ?? min(viewport.count, most)
        let last = viewport.behind ?? min(viewport.count / 2, most / 2)
        let all = 0..<total
        let (after, before) = direction < 0 ? (last, next) : (next, last)
        let above = (slots.upperBound..<slots.upperBound + after).clamped(to: all)
        let below = (slots.lowerBound - before..<slots.lowerBound).clamped(to: all)
        return direction < 0 ? (below, above) : (above, below)
    }

    /// From what is on screen when it arrives to what is asked for now: what was asked for stays so until it passes.
    /// At speeds that are no scrolling, what is asked for alone: what is remembered of slots stays bounded.
    var passing: Range<Int> {
        let way = min(previews.lowerBound, coming.lowerBound)..<max(previews.upperBound, coming.upperBound)
        return way.count <= Self.longestPassing ? way : coming
    }

    /// Whether a slot is of any concern now.
    func contains(_ slot: Int) -> Bool {
        reported.contains(slot) || previews.contains(slot) || passing.contains(slot) || ahead.contains(slot)
            || behind.contains(slot)
            || landing?.contains(slot) ?? false
    }

    /// What is on screen changes as slowly as somebody reads, and nothing says that it will end.
    var isReading: Bool { !isAtRest && !isFast && landing == nil }

    /// Slots between this one and the middle of what will be on screen.
    func distance(of slot: Int) -> UInt32 {
        UInt32(clamping: abs(slot - (previews.lowerBound + previews.count / 2)))
    }
}
