import Images
import Loading

/// Decides what a stream sends to its client, and in which sequence, from the viewport, the images of its slots, the
/// held renditions, and the pieces that are loaded or in progress. A pure value; moments are seconds of one monotonic
/// clock.
///
/// The owner of the plan reports what happens and calls ``next(at:)`` for the next step. Nothing is decided earlier.
struct StreamPlan: Sendable {
    struct Limits: Sendable {
        /// Loads in progress for slots on screen.
        var loads = 16
        /// Loads in progress for slots ahead.
        var aheadLoads = 8
        /// Contents waiting to be sent, and their bytes.
        var waiting = 48
        var waitingBytes = 384 << 10
        /// Slots whose images are remembered.
        var images = 1_024
        /// In-flight bytes while the link's rate is not known.
        var unmeasuredFlight = 512 << 10
        /// In-flight bytes beyond one and a half times the link's capacity.
        var spareFlight = 32 << 10
        /// In-flight bytes for slots that were not on screen at the last report, in addition to one tile.
        var speculativeFlight = 16 << 10
        /// Slots that one message announces in advance.
        var announced = 32
        /// Bytes of one message to a client that takes renditions in parts. The next step is decided anew after each.
        var part = 16 << 10

        init() {}

        /// The limits of each of a client's streams, so that the total grows little with their number.
        init(sharedBy streams: Int) {
            let share = Double(max(1, streams)) / 8
            guard share > 1 else { return }
            func part(_ amount: Int, atLeast least: Int) -> Int { max(least, Int(Double(amount) / share)) }
            loads = part(loads, atLeast: 4)
            aheadLoads = part(aheadLoads, atLeast: 2)
            waiting = part(waiting, atLeast: 8)
            waitingBytes = part(waitingBytes, atLeast: 64 << 10)
            images = part(images, atLeast: 128)
        }
    }

    /// What to do next.
    enum Step: Equatable, Sendable {
        /// Issue tokens for these slots, and report them with ``assign(_:to:)``.
        case issue([Int])
        /// Look this piece up in memory or load it, and report it with ``provide(_:_:)`` or
        /// ``load(_:as:by:isAhead:)``.
        case load(Piece, isAhead: Bool, distance: UInt32)
        /// Look these pieces up in memory only, because a load would be too late, and report them with
        /// ``provide(_:_:)`` or ``miss(_:)``.
        case loadFromMemory([Piece])
        /// Announce these slots to the client; ``announce(_:)`` returns the assignments.
        case announce([Int])
        /// Send this piece; ``send(_:at:)`` returns the message.
        case send(Piece)
        /// Do nothing now. Call again when something has changed, and no later than at this moment.
        case rest(until: Double?)
    }

    var limits: Limits
    var link = LinkEstimate()
    var held = HeldRenditions()
    /// The revision that `images` belong to.
    private(set) var revision: UInt64
    private(set) var total: Int
    private(set) var viewport: Viewport?

    var images = SlotTable<GalleryImage>()
    var displays = SlotTable<SlotDisplay>()
    var contents: [Piece: PieceContent] = [:]
    var waitingBytes = 0
    /// Bytes already sent of contents that go out in parts.
    var begun: [Piece: Int] = [:]
    /// Loads in progress.
    var loads: [Piece: Load] = [:]
    var loadsBegun: UInt64 = 0
    /// Loads that were given up; the owner cancels them.
    var unwantedLoads: [any LoadHandle] = []
    var inFlight = InFlightMessages()
    /// How many tokens ended before anything was sent for them.
    private var endedUnsent = 0
    private var motion: Motion?
    private var direction = 1
    /// The page was moving at the last ``currentWindow(at:)``.
    private var wasMoving = false
    /// When the newest picture for a slot on screen arrived. Not recorded while pictures are viewed one by one, because
    /// the user may go on to the next at once.
    private(set) var screenFilledAt = -Double.infinity
    /// Recent average of how long a load takes, in seconds.
    private var loading = 0.0
    /// Recent average of the bytes of a picture, previews aside.
    private(set) var tileBytes = 15_000.0
    /// The same for renditions larger than a tile, per tile's worth of pixels.
    private(set) var fineBytes = 6_000.0

    init(revision: UInt64, total: Int, limits: Limits = Limits()) {
        self.revision = revision
        self.total = total
        self.limits = limits
    }

    // MARK: - Client messages

    /// The client displays other slots, and everything sent from now on is for them.
    ///
    /// - Returns: Tokens of slots that are no longer served.
    mutating func show(_ viewport: Viewport, at now: Double) -> [Token] {
        if viewport.direction != 0 { direction = viewport.direction }
        let before = need
        self.viewport = viewport
        var left = need == before ? [] : adaptToNeed(isOtherSide: need.side != before.side)
        motion = Motion(viewport: viewport, moment: now - (link.roundTrip ?? 0) / 2)
        guard let window = window(at: now) else { return left }
        for slot in displays.keys where !window.contains(slot) {
            if let token = drop(slot) { left.append(token) }
        }
        trimAhead(window)
        if images.count > limits.images { images = images.filter { window.contains($0.key) } }
        return left
    }

    /// The client has received `total` bytes of binary messages.
    mutating func acknowledge(_ total: Int, at now: Double) {
        link.acknowledge(total, at: now)
        let onScreen = viewport.flatMap { $0.ahead == nil ? $0.slots : nil } ?? 0..<0
        if inFlight.land(link.received ?? 0, inside: onScreen) { screenFilledAt = now }
    }

    /// The client holds these renditions, so they need not be sent.
    ///
    /// - Returns: Tokens that have nothing left to send.
    mutating func hold(_ images: [HeldImage]) -> [Token] {
        guard !images.isEmpty else { return [] }
        for image in images { held.insert(image.renditions, of: image.image, image.version) }
        let ids = Set(images.map(\.image))
        var settled: [Token] = []
        for (slot, display) in displays where ids.contains(display.image) && !display.isSettled {
            hold(held.renditions(of: display.image, display.version), in: slot)
            if displays[slot]?.isSettled == true, let token = retire(slot) { settled.append(token) }
        }
        return settled
    }

    /// The client no longer holds these renditions; those for slots in the window are sent again.
    mutating func forget(_ images: [HeldImage]) {
        for image in images { held.remove(image.renditions, of: image.image, image.version) }
        let ids = Set(images.map(\.image))
        for (slot, display) in displays where ids.contains(display.image) && display.token == nil { _ = drop(slot) }
    }

    /// Tries slots again.
    ///
    /// - Parameter bypassesNegativeCache: Ignore earlier failures, and restart loads in progress. If false, the plan
    ///   tries only slots again for which it would send nothing more.
    mutating func retry(_ slots: [Int], bypassesNegativeCache: Bool) -> [Token] {
        slots.compactMap { slot in
            guard let before = displays[slot], bypassesNegativeCache || before.token == nil,
                var display = makeDisplay(slot)
            else {
                return nil
            }
            let token = drop(slot)
            display.bypassesNegativeCache = bypassesNegativeCache
            displays[slot] = display
            return token
        }
    }

    // MARK: - Catalog changes

    /// The catalog has another revision, and the images of the slots have to be read again.
    ///
    /// - Returns: Tokens of slots that no longer exist.
    mutating func adopt(revision: UInt64, total: Int) -> [Token] {
        guard revision != self.revision || total != self.total else { return [] }
        if revision != self.revision { images = SlotTable() }
        self.revision = revision
        self.total = total
        return displays.keys.filter { $0 >= total }.compactMap { drop($0) }
    }

    /// The client changes to other images, of which nothing is known yet.
    ///
    /// - Returns: The tokens of all slots.
    mutating func leave() -> [Token] {
        images = SlotTable()
        revision = 0
        total = 0
        return displays.keys.compactMap { drop($0) }
    }

    /// Takes a run of images of the plan's revision; the first is in the slot `first`.
    ///
    /// - Returns: Tokens of slots that now have another image.
    mutating func setImages(_ found: [GalleryImage], from first: Int) -> [Token] {
        var left: [Token] = []
        for (slot, image) in zip(first..., found) {
            images[slot] = image
            guard let display = displays[slot] else { continue }
            let isSame =
                display.image == image.id
                && (image.version == nil || display.version == nil
                    || display.version == image.version)
            if !isSame, let token = drop(slot) { left.append(token) }
        }
        return left
    }

    /// The next run of slots whose images have to be read.
    func unreadRun(at now: Double) -> Range<Int>? {
        guard let window = window(at: now) else { return nil }
        let run = 192
        let wanted =
            window.isFast
            ? [window.previews, window.coming] : [window.reported, window.previews, window.ahead, window.behind]
        for range in wanted + [window.landing ?? 0..<0] {
            let order = window.isFast ? SlotOrder.forwards(range, direction: direction) : .forwards(range, direction: 1)
            for slot in order where !isKnown(slot) {
                let run = direction < 0 && window.isFast ? slot - run + 1..<slot + 1 : slot..<slot + run
                return run.clamped(to: 0..<total)
            }
        }
        return nil
    }

    // MARK: - Within

    /// The service window for a decision that is made now; nil before the first viewport.
    mutating func currentWindow(at now: Double) -> ServiceWindow? {
        guard let window = window(at: now) else { return nil }
        // Evict contents that were loaded for slots the page never stopped at.
        if wasMoving, window.isAtRest { trimAhead(window) }
        wasMoving = !window.isAtRest
        return window
    }

    /// The service window; nil before the first viewport.
    func window(at now: Double) -> ServiceWindow? {
        guard let motion else { return nil }
        let arrival = now + (link.roundTrip ?? 0) / 2 + link.queueing
        return ServiceWindow(
            motion: motion, arrival: arrival, now: now, loading: loading, total: total, direction: direction)
    }

    /// Updates the average duration of a load.
    mutating func loadTook(_ seconds: Double) {
        loading += (min(max(0, seconds), 0.5) - loading) / 8
    }

    mutating func pictureWasSent(_ rendition: StreamRendition, bytes: Int) {
        tileBytes += (Double(bytes) - tileBytes) / 16
        let tiles = rendition.tilesOfPixels
        if tiles > 1 { fineBytes += (Double(bytes) / tiles - fineBytes) / 16 }
    }

    /// The rendition that the slot will need after this one. Both are made in one decoding.
    func next(after piece: Piece) -> StreamRendition? {
        guard piece.rendition != .preview, let fine = displays[piece.slot]?.needs.fine, fine != piece.rendition else {
            return nil
        }
        return fine
    }

    /// Takes the number of tokens that ended before anything was sent for them.
    mutating func takeEndedUnsent() -> Int {
        defer { endedUnsent = 0 }
        return endedUnsent
    }

    /// Whether the image of a slot is known.
    func isKnown(_ slot: Int) -> Bool { images.contains(slot) }

    /// A new display of a slot; nil while its image is not known.
    mutating func makeDisplay(_ slot: Int) -> SlotDisplay? {
        guard let image = images[slot] else { return nil }
        return SlotDisplay(
            image: image.id, version: image.version, held: held.renditions(of: image.id, image.version),
            needs: need.renditions(of: image.metadata))
    }

    private var need: PixelNeed { PixelNeed(of: viewport) }

    /// Takes the aspect ratio of an image from a sent rendition, if the catalog does not know it yet, and works out
    /// again what the slot needs.
    mutating func learnProportions(of slot: Int, from sent: RenditionBytes) {
        guard let image = images[slot], image.metadata.width == nil, sent.width > 0, sent.height > 0 else { return }
        var shape = image.metadata
        // Assume a very large image: a smaller rendition does not tell how large it is.
        (shape.width, shape.height) = (sent.width << 16, sent.height << 16)
        let needs = need.renditions(of: shape)
        if let display = displays[slot], display.needs != needs { change(slot, to: needs) }
    }

    private mutating func change(_ slot: Int, to needs: NeededRenditions) {
        guard let display = displays[slot] else { return }
        for rendition in [display.needs.tile, display.needs.fine] {
            guard let rendition, rendition != needs.tile, rendition != needs.fine else { continue }
            finish(Piece(slot: slot, rendition: rendition))
        }
        displays[slot]?.change(to: needs, held: held.renditions(of: display.image, display.version))
    }

    /// The slots have another size and may need smaller or larger renditions.
    ///
    /// - Parameter isOtherSide: The previous assignments say nothing about what the slots need now, so that all are
    ///   announced again. The client cannot work it out itself: it may not know the size of an image.
    /// - Returns: Tokens that have nothing left to send.
    private mutating func adaptToNeed(isOtherSide: Bool) -> [Token] {
        var settled: [Token] = []
        for (slot, display) in displays {
            guard let image = images[slot] else { continue }
            let needs = need.renditions(of: image.metadata)
            guard needs != display.needs || isOtherSide else { continue }
            guard display.token != nil else {
                // The display begins again from what the client holds, unless that was already enough.
                let isMore = needs.largest.longestSide > display.needs.largest.longestSide
                let isHeld = isOtherSide && makeDisplay(slot)?.isSettled == true
                if isMore || isHeld || !display.isSettled { _ = drop(slot) }
                continue
            }
            change(slot, to: needs)
            if isOtherSide { displays[slot]?.isAnnounced = false }
            if displays[slot]?.isSettled == true, let token = retire(slot) { settled.append(token) }
        }
        return settled
    }

    /// Records that the client holds these renditions. Renditions that they can replace are not sent any more.
    mutating func hold(_ held: StreamRenditions, in slot: Int) { finish(slot) { held.serve(for: $0) } }

    /// Ends the display of a slot, with all contents and loads for it.
    ///
    /// - Returns: Its token, if that has not ended.
    mutating func drop(_ slot: Int) -> Token? {
        defer { displays[slot] = nil }
        return retire(slot)
    }

    /// Takes the token of a display that has nothing left to send.
    private mutating func retire(_ slot: Int) -> Token? {
        finish(slot)
        guard let display = displays[slot], let token = display.token else { return nil }
        if !display.isBegun { endedUnsent += 1 }
        displays[slot]?.token = nil
        return token
    }

    /// Stops sending those renditions of a slot that satisfy the condition.
    mutating func finish(_ slot: Int, where isMeant: (StreamRendition) -> Bool = { _ in true }) {
        guard let needs = displays[slot]?.needs else { return }
        let needed: InlineArray<3, StreamRendition?> = [.preview, needs.tile, needs.fine]
        for place in needed.indices {
            if let rendition = needed[place], isMeant(rendition) { finish(Piece(slot: slot, rendition: rendition)) }
        }
    }

    /// Stops sending a piece.
    mutating func finish(_ piece: Piece) {
        displays[piece.slot]?[piece.rendition] = .done
        leave(piece)
        discard(piece)
    }

    private mutating func discard(_ piece: Piece) {
        if let content = contents.removeValue(forKey: piece) { waitingBytes -= content.body.count }
        begun[piece] = nil
    }

    /// Discards contents for slots that are now ahead, to make room for the slots on screen; the memory cache still has
    /// them.
    private mutating func trimAhead(_ window: ServiceWindow) {
        // A partly sent piece is kept: it would have to be sent again from its beginning.
        for piece in contents.keys where begun[piece] == nil && isAhead(piece.slot, window) {
            discard(piece)
            displays[piece.slot]?[piece.rendition] = .wanted
        }
        for piece in loads.keys {
            let isAhead = isAhead(piece.slot, window)
            loads[piece]?.isAhead = isAhead
        }
        let ahead = loads.filter(\.value.isAhead).keys
        guard ahead.count > limits.aheadLoads else { return }
        let nearest = ahead.sorted { window.distance(of: $0.slot) < window.distance(of: $1.slot) }
        for piece in nearest.dropFirst(limits.aheadLoads) { abandon(piece) }
    }

    /// Whether a slot is neither on screen nor about to be.
    func isAhead(_ slot: Int, _ window: ServiceWindow) -> Bool {
        !window.reported.contains(slot) && !window.passing.contains(slot)
    }
}
