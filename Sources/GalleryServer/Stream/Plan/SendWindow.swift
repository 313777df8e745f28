/// One search for the next piece to send.
struct Scan {
    /// Why a piece is considered.
    enum Urgency {
        /// Its slot will be on screen when it arrives.
        case near
        /// Its slot will be on screen when the scroll stops.
        case landing
        /// Its slot is next to the viewport.
        case ahead
        /// It is loaded early, and not sent yet.
        case early
    }

    let sendWindow: SendWindow
    let window: ServiceWindow
    /// A loaded piece may not be sent yet.
    var isHeldBack = false
    /// A piece that will be on screen waits for a free load.
    var isCrowded = false
}

/// How many bytes may be in flight now: few, so that the link is free when the scroll stops, but always enough to keep
/// the link busy.
struct SendWindow: Sendable {
    /// The window is full, whatever the next piece is for.
    let isFull: Bool
    /// In-flight bytes for slots that were not on screen at the last report, and their limit.
    private let speculative: Int
    private let maximumSpeculative: Int
    /// The same limit for slots that come next in the direction of travel.
    private let maximumAhead: Int
    /// In-flight bytes of tiles, and their limit during a scroll.
    private let tiles: Int
    private let maximumTiles: Int
    /// In-flight bytes while the user scrolls slowly, as a multiple of the link's capacity. The margin keeps the link
    /// busy between a delivery and its acknowledgement.
    private static let readingShare = 1.25
    /// How long data that was sent ahead may delay the pictures after a stop, in seconds: two frames, which nobody
    /// notices.
    private static let imperceptibleDelay = 0.032
    /// A longer delay that is accepted up to `maximumToleratedBytes` bytes: a connection in slow start delivers less than
    /// its link can.
    private static let toleratedDelay = 0.16
    private static let maximumToleratedBytes = 65_536.0
    /// For this long after the last picture on screen has arrived nothing is sent ahead, in seconds: the browser should
    /// spend that time on decoding and painting.
    private static let paintingTime = 0.25
    /// Tiles that any browser decodes and paints in `paintingTime`.
    private static let paintedTiles = 8.0
    /// Nothing is sent ahead before the pictures on screen have arrived.
    private let waitsForScreen: Bool

    init(of plan: StreamPlan, _ window: ServiceWindow, at now: Double) {
        // For a client that does not acknowledge bytes, the socket's own back-pressure has to do.
        guard plan.link.received != nil, !plan.link.isSilent(at: now) else {
            isFull = false
            (speculative, maximumSpeculative, maximumAhead, tiles, maximumTiles) = (0, .max, .max, 0, .max)
            waitsForScreen = false
            return
        }
        let limits = plan.limits
        let capacity = plan.link.capacity
        let limit =
            plan.link.isRateKnown
            ? Int(min(1.5 * (capacity ?? 0), 1e9)) + limits.spareFlight : limits.unmeasuredFlight
        isFull = plan.link.inFlight >= limit
        // In fast motion the slots on screen now will have left it by the time that the server hears of a stop.
        speculative = window.isFast ? plan.link.inFlight : plan.inFlight.bytes(outside: window.reported)
        let held = min(capacity ?? 65_536, 1e9)
        let tile = Int(plan.tileBytes)
        let rate = min(plan.link.rate ?? 0, 1e9)
        let imperceptible = Int(
            max(rate * Self.imperceptibleDelay, min(rate * Self.toleratedDelay, Self.maximumToleratedBytes)))
        // A user who scrolls slowly gets to the slots ahead, so they may use the whole link. Nobody knows where a fling
        // will end.
        let reading = window.isReading ? Int(Self.readingShare * held) + tile : 0
        maximumSpeculative = max(tile + limits.speculativeFlight, imperceptible, reading)
        // Waiting would only leave a link idle that is slower than the browser's painting.
        let isPaintedLater = rate * Self.paintingTime > Self.paintedTiles * plan.tileBytes
        waitsForScreen =
            window.isAtRest && isPaintedLater
            && (plan.inFlight.hasTile(inside: window.reported) || now - plan.screenFilledAt < Self.paintingTime)
        // A user at rest is likely to scroll on, and the link has nothing else to do.
        maximumAhead = window.isAtRest ? max(maximumSpeculative, Int(held)) : maximumSpeculative
        tiles = plan.inFlight.tileBytes
        // Otherwise half of the link's rate: by Little's law, half of its capacity.
        maximumTiles = max(Int(held / 2), tile, reading)
    }

    /// Whether a message of `bytes` bytes may be sent now.
    func admits(_ piece: Piece, bytes: Int, _ window: ServiceWindow, _ urgency: Scan.Urgency) -> Bool {
        guard !isFull, urgency != .ahead || !waitsForScreen else { return false }
        let isSeen = window.reported.contains(piece.slot)
        // A slot that is on screen and stays there counts as at rest.
        let isSettling = isSeen && window.landing?.contains(piece.slot) == true
        let isSpeculative = window.isFast ? !isSettling : !isSeen
        let limit = window.ahead.contains(piece.slot) ? maximumAhead : maximumSpeculative
        if isSpeculative, speculative > 0, limit - bytes < speculative { return false }
        guard piece.rendition != .preview, window.isMoving, !isSettling else { return true }
        return tiles == 0 || maximumTiles - bytes >= tiles
    }
}
