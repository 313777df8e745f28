/// One search for what to send next.
struct Scan {
    /// What makes a piece worth looking at.
    enum Urgency {
        /// It will be on screen when it arrives.
        case near
        /// It will be on screen when the scrolling ends.
        case landing
        /// It lies next to what is on screen.
        case ahead
        /// It is loaded in time, and not sent yet.
        case early
    }

    let allowance: Allowance
    let window: ServiceWindow
    /// Something is at hand that may not be on its way yet.
    var isHeldBack = false
    /// Something that will be on screen waits for a place among the loads.
    var isCrowded = false
}

/// How many bytes may be on their way now. Little is, so that the link is free when the scrolling stops; but never so little
/// that the link waits for us.
struct Allowance: Sendable {
    /// What is on its way is as much as may be, whatever it is for.
    let isFull: Bool
    /// Bytes for slots that were not on screen by the last report: on their way, and how many there may be.
    private let speculative: Int
    private let maximumSpeculative: Int
    /// The same for slots that come next in the direction of travel.
    private let maximumAhead: Int
    /// Bytes of tiles, and how many there may be while the scrolling goes on.
    private let tiles: Int
    private let maximumTiles: Int
    /// On its way to whoever reads on, as a share of what the link holds: a little more, or it would wait for us between
    /// what came and our hearing of it.
    private static let readingShare = 1.25
    /// What a stop may be late for the sake of what was ahead, in seconds: two frames, which nobody sees.
    private static let unseenTime = 0.032
    /// The same, up to so many bytes: what a connection brings that has begun slowly is less than what its link can.
    private static let borneTime = 0.16
    private static let mostBorne = 65_536.0
    /// For so long after the last picture on screen has come nothing follows that lies ahead, in seconds: who has it on
    /// screen soonest has nothing else to do meanwhile.
    private static let paintingTime = 0.25
    /// Tiles that any browser decodes and paints in that time.
    private static let paintedTiles = 8.0
    /// Nothing that lies ahead goes out before what is on screen has come.
    private let waitsForScreen: Bool

    init(of plan: StreamPlan, _ window: ServiceWindow, at now: Double) {
        // A client that does not say what came is served by the socket's own back-pressure.
        guard plan.link.received != nil, !plan.link.isSilent(at: now) else {
            isFull = false
            (speculative, maximumSpeculative, maximumAhead, tiles, maximumTiles) = (0, .max, .max, 0, .max)
            waitsForScreen = false
            return
        }
        let limits = plan.limits
        let capacity = plan.link.capacity
        let most =
            plan.link.isRateKnown
            ? Int(min(1.5 * (capacity ?? 0), 1e9)) + limits.spareFlight : limits.unmeasuredFlight
        isFull = plan.link.inFlight >= most
        guard !plan.keepsCancelled else {
            (speculative, maximumSpeculative, maximumAhead, tiles, maximumTiles) = (0, .max, .max, 0, .max)
            waitsForScreen = false
            return
        }
        // In fast motion what is on screen now will not be when a stop is heard of.
        speculative = window.isFast ? plan.link.inFlight : plan.flights.bytes(outside: window.reported)
        let held = min(capacity ?? 65_536, 1e9)
        let tile = Int(plan.tileBytes)
        let rate = min(plan.link.rate ?? 0, 1e9)
        let unseen = Int(max(rate * Self.unseenTime, min(rate * Self.borneTime, Self.mostBorne)))
        // Who reads on comes to what lies ahead, and all of the link is for that; where a fling ends, nobody knows.
        let reading = window.isReading ? Int(Self.readingShare * held) + tile : 0
        maximumSpeculative = max(tile + limits.speculativeFlight, unseen, reading)
        // A link that brings fewer pictures than a browser paints would only be left idle.
        let isPaintedLater = rate * Self.paintingTime > Self.paintedTiles * plan.tileBytes
        waitsForScreen =
            window.isAtRest && isPaintedLater
            && (plan.flights.hasTile(inside: window.reported) || now - plan.screenFilledAt < Self.paintingTime)
        // Who rests is likely to go on, and the link has nothing else to do.
        maximumAhead = window.isAtRest ? max(maximumSpeculative, Int(held)) : maximumSpeculative
        tiles = plan.flights.tileBytes
        // Else half of the link's rate: by Little's law half of what it holds.
        maximumTiles = max(Int(held / 2), tile, reading)
    }

    /// Whether a message of so many bytes may go out now.
    func admits(_ piece: Piece, bytes: Int, _ window: ServiceWindow, _ urgency: Scan.Urgency) -> Bool {
        guard !isFull, urgency != .ahead || !waitsForScreen else { return false }
        let isSeen = window.reported.contains(piece.slot)
        // What is on screen and stays there is as good as at rest.
        let isSettling = isSeen && window.landing?.contains(piece.slot) == true
        let isSpeculative = window.isFast ? !isSettling : !isSeen
        let most = window.ahead.contains(piece.slot) ? maximumAhead : maximumSpeculative
        if isSpeculative, speculative > 0, most - bytes < speculative { return false }
        guard piece.rendition != .preview, window.isMoving, !isSettling else { return true }
        return tiles == 0 || maximumTiles - bytes >= tiles
    }
}
