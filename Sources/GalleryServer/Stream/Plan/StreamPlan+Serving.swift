import Images
import Loading

extension StreamPlan {
    /// The contents of one binary message.
    struct Sending: Sendable {
        let token: Token
        let content: PieceContent
        /// The range of the content's body that this message carries.
        let part: Range<Int>
        /// More of the content follows.
        let isPart: Bool
        /// Nothing more is sent for the token.
        let endsToken: Bool
    }

    // MARK: - Reports of the owner

    /// Gives a slot its token.
    mutating func assign(_ token: Token, to slot: Int) {
        displays[slot]?.token = token
    }

    /// Marks slots as announced.
    ///
    /// - Returns: their assignments, which the owner sends.
    mutating func announce(_ slots: [Int]) -> [ServerMessage.Assignment] {
        slots.compactMap { slot in
            guard let display = displays[slot], let image = images[slot] else { return nil }
            displays[slot]?.isAnnounced = true
            return ServerMessage.Assignment(
                slot: slot, image: display.image, name: image.name, version: display.version,
                token: display.isSettled ? nil : display.token,
                rendition: viewport?.side == nil ? nil : display.needs.largest)
        }
    }

    /// Provides the content of a piece.
    ///
    /// - Returns: Whether the piece is still wanted.
    @discardableResult
    mutating func provide(_ piece: Piece, _ content: PieceContent) -> Bool {
        leave(piece)
        guard let stage = displays[piece.slot]?[piece.rendition], stage != .done, stage != .atHand else {
            return false
        }
        displays[piece.slot]?[piece.rendition] = .atHand
        contents[piece] = content
        waitingBytes += content.body.count
        return true
    }

    /// Records that a piece is not in memory.
    mutating func miss(_ piece: Piece) {
        if displays[piece.slot]?[piece.rendition] == .wanted { displays[piece.slot]?[piece.rendition] = .missed }
    }

    /// Handles tokens that something other than the plan has ended: nothing more is sent for their slots.
    mutating func tokensEnded(_ tokens: Set<Token>) {
        for (slot, display) in displays {
            if let token = display.token, tokens.contains(token) { tokenEnded(in: slot) }
        }
    }

    /// Handles the end of all tokens while their slots are still to be served: the slots get new tokens.
    mutating func renew() {
        for (slot, display) in displays where display.token != nil { _ = drop(slot) }
    }

    /// Handles a slot's token that something other than the plan has ended.
    mutating func tokenEnded(in slot: Int) {
        finish(slot)
        displays[slot]?.token = nil
    }

    /// Takes the next message of a piece, which the owner sends at once.
    ///
    /// - Returns: nil if the piece is no longer to be sent.
    mutating func send(_ piece: Piece, at now: Double) -> Sending? {
        guard let display = displays[piece.slot], let token = display.token, let content = contents[piece] else {
            return nil
        }
        let part = nextPart(of: piece, content)
        displays[piece.slot]?.isBegun = true
        let bytes = RenditionHead.length + part.count
        defer {
            link.sent(bytes, at: now)
            if link.received != nil {
                inFlight.add(slot: piece.slot, bytes: bytes, isTile: piece.rendition != .preview, end: link.sentBytes)
            }
        }
        guard part.upperBound == content.body.count else {
            begun[piece] = part.upperBound
            return Sending(token: token, content: content, part: part, isPart: true, endsToken: false)
        }
        finish(piece)
        switch content {
        case .image(let rendition):
            if piece.rendition != .preview {
                hold(StreamRenditions(piece.rendition), in: piece.slot)
                pictureWasSent(piece.rendition, bytes: rendition.bytes.count)
            }
            held.insert(StreamRenditions(piece.rendition), of: display.image, rendition.version)
            learn(rendition.version, of: piece.slot)
            learnProportions(of: piece.slot, from: rendition)
        case .problem:
            displays[piece.slot]?.settle()
        }
        let endsToken = displays[piece.slot]?.isSettled ?? true
        if endsToken { tokenEnded(in: piece.slot) }
        return Sending(token: token, content: content, part: part, isPart: false, endsToken: endsToken)
    }

    /// The part of a content that one message carries: the rest of it, or a part small enough that something more
    /// urgent need not wait for long.
    private func nextPart(of piece: Piece, _ content: PieceContent) -> Range<Int> {
        let (first, end) = (begun[piece] ?? 0, content.body.count)
        guard viewport?.takesParts == true, case .image = content, end - first > limits.part * 3 / 2 else {
            return first..<end
        }
        return first..<first + limits.part
    }

    /// Takes the version of a sent rendition, which is newer than what the catalog knew when it was read.
    private mutating func learn(_ version: ContentVersion, of slot: Int) {
        displays[slot]?.version = version
        guard let image = images[slot], image.version != version else { return }
        images[slot] = image.updating(version)
    }

    // MARK: - The next step

    /// The next step. The owner calls this until it returns ``Step/send(_:)``, ``Step/announce(_:)`` or
    /// ``Step/rest(until:)``.
    mutating func next(at now: Double) -> Step {
        guard let window = currentWindow(at: now) else { return .rest(until: nil) }
        let sendWindow = SendWindow(of: self, window, at: now)
        var scan = Scan(sendWindow: sendWindow, window: window)
        if let step = announceDisplayed(window) { return step }
        if let step = serve(&scan) { return step }
        return rest(after: scan, at: now)
    }

    private mutating func serve(_ scan: inout Scan) -> Step? {
        let window = scan.window
        // Nobody looks closely at moving pictures, and the link is needed for the next ones.
        let roles: [RenditionRole] =
            !window.isAtRest ? [.tile] : needsTilesFirst(window) ? [.tile, .needed] : [.needed]
        // If the pictures arrive in the blink of an eye, only those that are not loaded yet need a preview.
        let isPrompt = !window.isFast && !window.tiles.isEmpty && arrivesPromptly(window.tiles, roles[0])
        if isPrompt {
            let order = SlotOrder.centreFirst(window.tiles)
            // Slots that show nothing yet come first.
            for choice in [Choice.unpreviewed, .remembered] {
                if let step = nextStep(for: order, roles[0], .near, &scan, choice) { return step }
            }
        }
        let lacking = isPrompt ? Choice.absent(roles[0], of: window.tiles) : .all
        let previews =
            window.isFast
            ? SlotOrder.leadingEdgeFirst(window.previews, direction: window.direction)
            : SlotOrder.centreFirst(window.previews)
        if let step = nextStep(for: previews, .preview, .near, &scan, lacking) { return step }
        if !window.isFast {
            if let step = nextStep(for: .centreFirst(window.reported), .preview, .near, &scan, lacking) { return step }
        }
        for role in roles {
            if let step = nextStep(for: .centreFirst(window.tiles), role, .near, &scan) { return step }
        }
        if let landing = window.landing {
            for role in [RenditionRole.preview, .tile] {
                if let step = nextStep(for: .centreFirst(landing), role, .landing, &scan) { return step }
            }
        }
        if window.isFast {
            let order = SlotOrder.forwards(window.coming, direction: window.direction)
            return nextStep(for: order, .preview, .early, &scan)
        }
        return serveAhead(roles, &scan)
    }

    /// Serves the slots ahead, then those behind. Previews go first, so that many are there in case of a fling; if the
    /// user scrolls slowly, the link is used for the pictures themselves.
    private mutating func serveAhead(_ roles: [RenditionRole], _ scan: inout Scan) -> Step? {
        let window = scan.window
        if let step = announceHeld([window.ahead, window.behind]) { return step }
        // If pictures are viewed one by one, those ahead are prepared at the size at which they will be viewed.
        var passes = (viewport?.ahead == nil ? roles.prefix(1) : roles[...]).map { (role: $0, choice: Choice.all) }
        passes.insert((.preview, window.isReading ? .absent(roles[0], of: 0..<total) : .all), at: 0)
        if window.isReading { passes.insert((roles[0], .remembered), at: 0) }
        for (role, choice) in passes {
            let ahead = SlotOrder.forwards(window.ahead, direction: window.direction)
            if let step = nextStep(for: ahead, role, .ahead, &scan, choice) { return step }
            let behind = SlotOrder.forwards(window.behind, direction: -window.direction)
            if let step = nextStep(for: behind, role, .ahead, &scan, choice) { return step }
        }
        return nil
    }

    /// Which slots of a sequence are served.
    private enum Choice {
        case all
        /// Slots whose rendition is in memory.
        case remembered
        /// Slots whose rendition is in memory, and that have no preview yet.
        case unpreviewed
        /// All slots except those in `of` whose rendition in this role is loaded or may be in memory.
        case absent(RenditionRole, of: Range<Int>)

        var isFromMemory: Bool {
            switch self {
            case .remembered, .unpreviewed: true
            case .all, .absent: false
            }
        }

        func takes(_ slot: Int, _ display: SlotDisplay) -> Bool {
            switch self {
            case .all, .remembered: true
            case .unpreviewed: display.preview != .done
            case .absent(let role, let slots):
                !slots.contains(slot) || (display[role] != .wanted && display[role] != .atHand)
            }
        }
    }

    /// At rest the client is sent all assignments of the slots on screen and of those that it wants prepared. In fast
    /// motion it is sent only the assignments of slots for which it holds everything; the others follow with their
    /// previews, because most of them will show nothing.
    private mutating func announceDisplayed(_ window: ServiceWindow) -> Step? {
        var unpublished: [Int] = []
        var tokenless: [Int] = []
        let isReadied = viewport?.ahead != nil
        let displayed = window.isFast ? window.previews : window.reported
        for slot in (isReadied ? [displayed, window.ahead, window.behind] : [displayed]).joined() {
            guard let display = display(slot), !display.isAnnounced else { continue }
            if display.isSettled {
                unpublished.append(slot)
            } else if !window.isFast {
                if display.token == nil { tokenless.append(slot) }
                unpublished.append(slot)
            }
        }
        if !tokenless.isEmpty { return .issue(tokenless) }
        return unpublished.isEmpty ? nil : .announce(unpublished)
    }

    /// Announces in advance those slots for which the client holds everything. The client can then display them at
    /// once, rather than a round trip after they have come on screen.
    private mutating func announceHeld(_ ranges: [Range<Int>]) -> Step? {
        var unpublished: [Int] = []
        for slot in ranges.joined() where unpublished.count < limits.announced {
            if let display = display(slot), display.isSettled, !display.isAnnounced { unpublished.append(slot) }
        }
        return unpublished.isEmpty ? nil : .announce(unpublished)
    }

    /// The display of a slot, begun if there is none; nil while the image of the slot is not known, as while the
    /// catalog is read again.
    private mutating func display(_ slot: Int) -> SlotDisplay? {
        guard isKnown(slot) else { return nil }
        if let display = displays[slot] { return display }
        guard let display = makeDisplay(slot) else { return nil }
        displays[slot] = display
        return display
    }

    private mutating func nextStep(
        for slots: SlotOrder, _ role: RenditionRole, _ urgency: Scan.Urgency, _ scan: inout Scan,
        _ choice: Choice = .all
    ) -> Step? {
        for slot in slots {
            guard let display = display(slot), choice.takes(slot, display), let rendition = display.rendition(of: role)
            else {
                continue
            }
            let piece = Piece(slot: slot, rendition: rendition)
            let isAhead = isAhead(slot, scan.window)
            switch display[rendition] {
            case .done, .loading: continue
            case .wanted, .missed:
                // Slots that will soon be gone are not loaded any more; slots that are coming are.
                let isInTime = !scan.window.isFast || urgency != .near || scan.window.coming.contains(slot)
                let mayLoad = isInTime && !choice.isFromMemory
                guard mayLoad || display[rendition] == .wanted else { continue }
                guard hasRoom(isAhead: isAhead, scan.window), !isAhead || !scan.isCrowded else {
                    scan.isCrowded = scan.isCrowded || !isAhead
                    continue
                }
                guard mayLoad else {
                    // Many pieces at once: with a step for each, hundreds of slots would be searched hundreds of times.
                    let coming = choice.isFromMemory ? 0..<0 : scan.window.coming
                    let others = gather(slots, from: slot) { $0[role] == .wanted && choice.takes(slot, $0) }
                    let pieces = others.filter { !coming.contains($0) }.compactMap { slot in
                        displays[slot]?.rendition(of: role).map { Piece(slot: slot, rendition: $0) }
                    }
                    return .loadFromMemory(Array(pieces.prefix(room(for: role, isAhead: isAhead))))
                }
                guard display.token != nil else {
                    return .issue(gather(slots, from: slot) { $0.token == nil && !$0.isSettled })
                }
                return .load(piece, isAhead: isAhead, distance: scan.window.distance(of: slot))
            case .atHand:
                guard urgency != .early, let content = contents[piece] else { continue }
                let bytes = RenditionHead.length + nextPart(of: piece, content).count
                guard scan.sendWindow.admits(piece, bytes: bytes, scan.window, urgency) else {
                    scan.isHeldBack = true
                    continue
                }
                guard display.token != nil else {
                    return .issue(gather(slots, from: slot) { $0.token == nil && $0[role] == .atHand })
                }
                guard display.isAnnounced else {
                    return .announce(gather(slots, from: slot) { !$0.isAnnounced && ($0.isSettled || $0.token != nil) })
                }
                return .send(piece)
            }
        }
        return nil
    }

    /// The slots from `slot` on that satisfy the condition, up to the limit for one message.
    private mutating func gather(_ slots: SlotOrder, from slot: Int, where fits: (SlotDisplay) -> Bool) -> [Int] {
        var gathered: [Int] = []
        for other in slots.drop(while: { $0 != slot }) {
            guard gathered.count < limits.announced else { break }
            if let display = display(other), fits(display) { gathered.append(other) }
        }
        return gathered
    }

    /// The number of further pieces of this role for which there is room; at least one.
    private func room(for role: RenditionRole, isAhead: Bool) -> Int {
        let share = isAhead ? 2 : 1
        guard role != .preview else { return max(1, limits.waiting / share - contents.count) }
        let bytes = Double(limits.waitingBytes / share - waitingBytes) / tileBytes
        return max(1, min(limits.waiting / share - contents.count, Int(bytes)))
    }

    /// Whether one more piece may be loaded, or wait to be sent.
    private func hasRoom(isAhead: Bool, _ window: ServiceWindow) -> Bool {
        let share = isAhead ? 2 : 1
        // Partly sent pieces stay after their slots have left the screen, but take no room from the slots on screen.
        let kept = begun.keys.filter { !isAhead && self.isAhead($0.slot, window) }
        let keptBytes = kept.reduce(0) { $0 + (contents[$1]?.body.count ?? 0) }
        guard contents.count - kept.count < limits.waiting / share,
            waitingBytes - keptBytes < limits.waitingBytes / share
        else { return false }
        let underWay = loads.values.count { $0.isAhead == isAhead }
        return underWay < (isAhead ? limits.aheadLoads : limits.loads)
    }

    private mutating func rest(after scan: Scan, at now: Double) -> Step {
        if !scan.sendWindow.isFull { link.applicationLimited() }
        // The prediction changes with time, and so does the set of pieces worth sending. A held-back piece is retried
        // after a while, in case the client stops acknowledging.
        if scan.window.isMoving || scan.window.isFast { return .rest(until: now + 0.016) }
        return .rest(until: scan.isHeldBack ? now + 0.25 : nil)
    }
}
