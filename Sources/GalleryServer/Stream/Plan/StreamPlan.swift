import Images
import Loading

/// What a stream sends to its client, and in which order: the viewport, what stands in its slots, what the client holds, what
/// is at hand and what is under way. A pure value; moments are seconds of one monotonic clock.
///
/// Whoever owns the plan tells it what happens, and asks ``next(at:)`` what to do now. Nothing is decided before it is asked.
struct StreamPlan: Sendable {
    struct Limits: Sendable {
        /// Loads under way for what is on screen.
        var loads = 16
        /// Loads under way for what is ahead.
        var aheadLoads = 8
        /// Contents that wait to be sent, and their bytes.
        var waiting = 48
        var waitingBytes = 384 << 10
        /// Slots whose images are remembered.
        var images = 1_024
        /// Bytes on their way while the link's rate is not known.
        var unmeasuredFlight = 512 << 10
        /// Bytes on their way beyond what the link itself holds one and a half times.
        var spareFlight = 32 << 10
        /// Bytes on their way, beyond one tile, for slots that were not on screen by the last report.
        var speculativeFlight = 16 << 10
        /// Slots that one message tells of ahead of need.
        var told = 32
        /// Bytes of one message to a client that takes renditions in parts: what goes out next is decided anew after each.
        var part = 16 << 10

        init() {}

        /// Those of each of a client's streams: what is kept for them all grows little with their number.
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
        /// Get tokens for these slots, and say so with ``assign(_:to:)``.
        case issue([Int])
        /// Find this in memory or have it loaded, and say so with ``provide(_:_:)`` or ``load(_:isAhead:)``.
        case look(Piece, isAhead: Bool, distance: UInt32)
        /// Find these in memory, where alone they can be had in time, and say so with ``provide(_:_:)`` or ``miss(_:)``.
        case recall([Piece])
        /// Tell the client of these slots; ``told(_:)`` is what to say.
        case tell([Int])
        /// Send this; ``send(_:at:)`` is what to say.
        case send(Piece)
        /// Nothing now. Ask again when something has changed, and at the latest at this moment.
        case rest(until: Double?)
    }

    var limits: Limits
    /// A new viewport cancels nothing and re-orders nothing: for the benchmark of what cancelling saves.
    let keepsCancelled: Bool

    var link = LinkEstimate()
    var held = HeldRenditions()
    /// Of the catalog that `images` are of.
    private(set) var revision: UInt64
    private(set) var total: Int
    private(set) var viewport: Viewport?

    var images = SlotTable<GalleryImage>()
    var showings = SlotTable<Showing>()
    var contents: [Piece: PieceContent] = [:]
    var waitingBytes = 0
    /// Bytes that were sent of contents which go out in parts.
    var begun: [Piece: Int] = [:]
    /// Loads under way, and whether they are for what is ahead.
    var loads: [Piece: Bool] = [:]
    var flights = Flights()
    /// Tokens that ended before anything was sent for them.
    private var endedUnsent = 0
    /// With `keepsCancelled`: every slot that was on screen, oldest first.
    var backlog: [Int] = []
    private var motion: Motion?
    private var direction = 1
    /// The page moved when it was looked at last.
    private var wasMoving = false
    /// When the newest picture came for a slot on screen; not kept while pictures are looked at one by one, for whoever does
    /// goes on to the next at once.
    private(set) var screenFilledAt = -Double.infinity
    /// Seconds that a load took lately.
    private var loading = 0.0
    /// Bytes of a picture, previews aside, lately.
    private(set) var tileBytes = 15_000.0
    /// The same of what is larger than a tile, for one tile's worth of pixels.
    private(set) var fineBytes = 6_000.0

    init(revision: UInt64, total: Int, limits: Limits = Limits(), keepsCancelled: Bool = false) {
        self.revision = revision
        self.total = total
        self.limits = limits
        self.keepsCancelled = keepsCancelled
    }

    // MARK: - What the client says

    /// The client shows other slots. What is sent from now on is sent for them.
    ///
    /// - Returns: Tokens of slots that are left out.
    mutating func show(_ viewport: Viewport, at now: Double) -> [Token] {
        if viewport.direction != 0 { direction = viewport.direction }
        let before = need
        self.viewport = viewport
        var left = need == before ? [] : adaptToNeed()
        motion = Motion(viewport: viewport, moment: now - (link.roundTrip ?? 0) / 2)
        guard let window = window(at: now) else { return left }
        if keepsCancelled {
            backlog += window.reported.filter { showings[$0] == nil && !backlog.contains($0) }
            return left
        }
        for slot in showings.keys where !window.contains(slot) {
            if let token = drop(slot) { left.append(token) }
        }
        trimAhead(window)
        if images.count > limits.images { images = images.filter { window.contains($0.key) } }
        return left
    }

    /// The client has received so many bytes of binary messages.
    mutating func acknowledge(_ total: Int, at now: Double) {
        link.acknowledge(total, at: now)
        let onScreen = viewport.flatMap { $0.ahead == nil ? $0.slots : nil } ?? 0..<0
        if flights.land(link.received ?? 0, inside: onScreen) { screenFilledAt = now }
    }

    /// The client holds these, and they need not be sent.
    ///
    /// - Returns: Tokens that have nothing left to send.
    mutating func hold(_ images: [HeldImage]) -> [Token] {
        guard !images.isEmpty else { return [] }
        for image in images { held.insert(image.renditions, of: image.image, image.version) }
        let said = Set(images.map(\.image))
        var settled: [Token] = []
        for (slot, showing) in showings where said.contains(showing.image) && !showing.isSettled {
            hold(held.renditions(of: showing.image, showing.version), in: slot)
            if showings[slot]?.isSettled == true, let token = retire(slot) { settled.append(token) }
        }
        return settled
    }

    /// The client holds these no more; what is on screen of them is sent again.
    mutating func forget(_ images: [HeldImage]) {
        for image in images { held.remove(image.renditions, of: image.image, image.version) }
        let said = Set(images.map(\.image))
        for (slot, showing) in showings where said.contains(showing.image) && showing.token == nil { _ = drop(slot) }
    }

    /// These slots are tried again.
    ///
    /// - Parameter insists: Whatever failed before does not count, and what is under way begins anew. Else only those
    ///   are tried of which nothing more is to come.
    mutating func retry(_ slots: [Int], insists: Bool) -> [Token] {
        slots.compactMap { slot in
            guard let before = showings[slot], insists || before.token == nil, var showing = makeShowing(slot) else {
                return nil
            }
            let token = drop(slot)
            showing.insists = insists
            showings[slot] = showing
            return token
        }
    }

    // MARK: - What the catalog says

    /// The catalog has another revision: what stands in the slots has to be read anew.
    ///
    /// - Returns: Tokens of slots that there are no longer.
    mutating func adopt(revision: UInt64, total: Int) -> [Token] {
        guard revision != self.revision || total != self.total else { return [] }
        if revision != self.revision { images = SlotTable() }
        self.revision = revision
        self.total = total
        return showings.keys.filter { $0 >= total }.compactMap { drop($0) }
    }

    /// Other images are to be shown from now on, of which nothing is known yet.
    ///
    /// - Returns: The tokens of all slots.
    mutating func leave() -> [Token] {
        images = SlotTable()
        revision = 0
        total = 0
        return showings.keys.compactMap { drop($0) }
    }

    /// A run of images was read, of the plan's revision, the first of them for the slot `first`.
    ///
    /// - Returns: Tokens of slots in which something else stands now.
    mutating func know(_ found: [GalleryImage], from first: Int) -> [Token] {
        var left: [Token] = []
        for (slot, image) in zip(first..., found) {
            images[slot] = image
            guard let showing = showings[slot] else { continue }
            let isSame =
                showing.image == image.id
                && (image.version == nil || showing.version == nil
                    || showing.version == image.version)
            if !isSame, let token = drop(slot) { left.append(token) }
        }
        return left
    }

    /// The next run of slots whose images have to be read.
    func unread(at now: Double) -> Range<Int>? {
        guard let window = window(at: now) else { return nil }
        let run = 192
        if keepsCancelled {
            return backlog.first { !isKnown($0) && $0 < total }.map { ($0..<$0 + run).clamped(to: 0..<total) }
        }
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

    /// What is worth sending now, at the moment of deciding.
    mutating func present(at now: Double) -> ServiceWindow? {
        guard let window = window(at: now) else { return nil }
        // What was got for places that the page never came to makes room.
        if wasMoving, window.isAtRest, !keepsCancelled { trimAhead(window) }
        wasMoving = !window.isAtRest
        return window
    }

    /// What is worth sending now; nil before the first viewport.
    func window(at now: Double) -> ServiceWindow? {
        guard let motion else { return nil }
        let arrival = now + (link.roundTrip ?? 0) / 2 + link.queueing
        return ServiceWindow(
            motion: motion, arrival: arrival, now: now, loading: loading, total: total, direction: direction)
    }

    /// A load took so long, in seconds.
    mutating func loadTook(_ seconds: Double) {
        loading += (min(max(0, seconds), 0.5) - loading) / 8
    }

    mutating func pictureWasSent(_ rendition: StreamRendition, bytes: Int) {
        tileBytes += (Double(bytes) - tileBytes) / 16
        let tiles = rendition.tilesOfPixels
        if tiles > 1 { fineBytes += (Double(bytes) / tiles - fineBytes) / 16 }
    }

    /// What the slot will want of the same picture when it has this: it is made in the same decoding.
    func next(after piece: Piece) -> StreamRendition? {
        guard piece.rendition != .preview, let fine = showings[piece.slot]?.needs.fine, fine != piece.rendition else {
            return nil
        }
        return fine
    }

    /// How many tokens have ended, since this was asked last, before anything was sent for them.
    mutating func takeEndedUnsent() -> Int {
        defer { endedUnsent = 0 }
        return endedUnsent
    }

    /// Whether it is known what stands in a slot.
    func isKnown(_ slot: Int) -> Bool { images.contains(slot) }

    /// What the client needs of a slot; nil while it is not known what stands there.
    mutating func makeShowing(_ slot: Int) -> Showing? {
        guard let image = images[slot] else { return nil }
        return Showing(
            image: image.id, version: image.version, held: held.renditions(of: image.id, image.version),
            needs: need.renditions(of: image.facts))
    }

    private var need: PixelNeed { PixelNeed(of: viewport) }

    /// What was sent shows the proportions of a picture that the catalog does not know yet, and so what its slot needs.
    mutating func learnProportions(of slot: Int, from sent: RenditionBytes) {
        guard let image = images[slot], image.facts.width == nil, sent.width > 0, sent.height > 0 else { return }
        var shape = image.facts
        // Of a picture as large as one likes: how large it is, a smaller rendition does not tell.
        (shape.width, shape.height) = (sent.width << 16, sent.height << 16)
        let needs = need.renditions(of: shape)
        if let showing = showings[slot], showing.needs != needs { change(slot, to: needs) }
    }

    private mutating func change(_ slot: Int, to needs: NeededRenditions) {
        guard let showing = showings[slot] else { return }
        for rendition in [showing.needs.tile, showing.needs.fine] {
            guard let rendition, rendition != needs.tile, rendition != needs.fine else { continue }
            finish(Piece(slot: slot, rendition: rendition))
        }
        showings[slot]?.change(to: needs, held: held.renditions(of: showing.image, showing.version))
    }

    /// The slots have another size: less may do than before, or more be needed.
    ///
    /// - Returns: Tokens that have nothing left to send.
    private mutating func adaptToNeed() -> [Token] {
        var settled: [Token] = []
        for (slot, showing) in showings {
            guard let image = images[slot] else { continue }
            let needs = need.renditions(of: image.facts)
            guard needs != showing.needs else { continue }
            guard showing.token != nil else {
                // It is begun again with what the client holds; where that was enough for more, there is no need to.
                let isMore = needs.largest.longestSide > showing.needs.largest.longestSide
                if isMore || !showing.isSettled { _ = drop(slot) }
                continue
            }
            change(slot, to: needs)
            if showings[slot]?.isSettled == true, let token = retire(slot) { settled.append(token) }
        }
        return settled
    }

    /// What serves for what the client holds is not to be sent any more.
    mutating func hold(_ held: StreamRenditions, in slot: Int) { finish(slot) { held.serve(for: $0) } }

    /// Forgets a showing with all that is at hand and under way for it.
    ///
    /// - Returns: Its token, if it has one that has not ended.
    mutating func drop(_ slot: Int) -> Token? {
        defer { showings[slot] = nil }
        return retire(slot)
    }

    /// Takes the token of a showing that has nothing more to send.
    private mutating func retire(_ slot: Int) -> Token? {
        finish(slot)
        guard let showing = showings[slot], let token = showing.token else { return nil }
        if !showing.isBegun { endedUnsent += 1 }
        showings[slot]?.token = nil
        return token
    }

    /// What a slot needs, as far as it is meant, is not to be sent any more.
    mutating func finish(_ slot: Int, where isMeant: (StreamRendition) -> Bool = { _ in true }) {
        guard let needs = showings[slot]?.needs else { return }
        let needed: InlineArray<3, StreamRendition?> = [.preview, needs.tile, needs.fine]
        for place in needed.indices {
            if let rendition = needed[place], isMeant(rendition) { finish(Piece(slot: slot, rendition: rendition)) }
        }
    }

    /// A piece is not to be sent any more.
    mutating func finish(_ piece: Piece) {
        showings[piece.slot]?[piece.rendition] = .done
        loads[piece] = nil
        discard(piece)
    }

    private mutating func discard(_ piece: Piece) {
        if let content = contents.removeValue(forKey: piece) { waitingBytes -= content.body.count }
        begun[piece] = nil
    }

    /// What was at hand for slots that are now ahead makes room for what is on screen; memory has it still.
    private mutating func trimAhead(_ window: ServiceWindow) {
        // What the client has in part already is not sent from its beginning again.
        for piece in contents.keys where begun[piece] == nil && isAhead(piece.slot, window) {
            discard(piece)
            showings[piece.slot]?[piece.rendition] = .wanted
        }
        for piece in loads.keys { loads[piece] = isAhead(piece.slot, window) }
        let ahead = loads.filter(\.value).keys
        guard ahead.count > limits.aheadLoads else { return }
        let nearest = ahead.sorted { window.distance(of: $0.slot) < window.distance(of: $1.slot) }
        for piece in nearest.dropFirst(limits.aheadLoads) { abandon(piece) }
    }

    /// Whether a slot is neither on screen nor about to be.
    func isAhead(_ slot: Int, _ window: ServiceWindow) -> Bool {
        !keepsCancelled && !window.reported.contains(slot) && !window.passing.contains(slot)
    }
}
