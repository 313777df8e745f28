import Images
import Loading

extension StreamPlan {
    /// What a message brings the client.
    struct Sending: Sendable {
        let token: Token
        let content: PieceContent
        /// Of the content's body.
        let part: Range<Int>
        /// More of the content is to follow.
        let isPart: Bool
        /// Nothing more is sent for the token.
        let endsToken: Bool
    }

    // MARK: - What the owner has done

    /// Slots have got tokens.
    mutating func assign(_ token: Token, to slot: Int) {
        showings[slot]?.token = token
    }

    /// What the client is to be told of a slot.
    mutating func tell(_ slots: [Int]) -> [ServerMessage.Assignment] {
        slots.compactMap { slot in
            guard let showing = showings[slot], let image = images[slot] else { return nil }
            showings[slot]?.isTold = true
            return ServerMessage.Assignment(
                slot: slot, image: showing.image, name: image.name, version: showing.version,
                token: showing.isSettled ? nil : showing.token,
                rendition: viewport?.side == nil ? nil : showing.needs.largest)
        }
    }

    /// A piece is being loaded.
    mutating func load(_ piece: Piece, isAhead: Bool) {
        guard let stage = showings[piece.slot]?[piece.rendition], stage == .wanted || stage == .missed else { return }
        showings[piece.slot]?[piece.rendition] = .loading
        loads[piece] = isAhead
    }

    /// A piece is at hand.
    ///
    /// - Returns: Whether it is still wanted.
    @discardableResult
    mutating func provide(_ piece: Piece, _ content: PieceContent) -> Bool {
        loads[piece] = nil
        guard let stage = showings[piece.slot]?[piece.rendition], stage != .done, stage != .atHand else {
            return false
        }
        showings[piece.slot]?[piece.rendition] = .atHand
        contents[piece] = content
        waitingBytes += content.body.count
        return true
    }

    /// A piece is not in memory.
    mutating func miss(_ piece: Piece) {
        if showings[piece.slot]?[piece.rendition] == .wanted { showings[piece.slot]?[piece.rendition] = .missed }
    }

    /// A load was given up.
    mutating func abandon(_ piece: Piece) {
        loads[piece] = nil
        if showings[piece.slot]?[piece.rendition] == .loading { showings[piece.slot]?[piece.rendition] = .wanted }
    }

    /// Tokens have ended without the plan's doing: nothing more is sent for their slots.
    mutating func dismiss(_ tokens: Set<Token>) {
        for (slot, showing) in showings {
            if let token = showing.token, tokens.contains(token) { dismiss(slot) }
        }
    }

    /// All tokens have ended, and what they were for is still to be sent: the slots get others.
    mutating func renew() {
        for (slot, showing) in showings where showing.token != nil { _ = drop(slot) }
    }

    /// The token of a slot has ended without the plan's doing.
    mutating func dismiss(_ slot: Int) {
        finish(slot)
        showings[slot]?.token = nil
    }

    /// A piece goes to the socket now.
    mutating func send(_ piece: Piece, at now: Double) -> Sending? {
        guard let showing = showings[piece.slot], let token = showing.token, let content = contents[piece] else {
            return nil
        }
        let part = nextPart(of: piece, content)
        showings[piece.slot]?.isBegun = true
        let bytes = RenditionHead.length + part.count
        defer {
            link.hand(bytes, at: now)
            if link.received != nil {
                flights.add(slot: piece.slot, bytes: bytes, isTile: piece.rendition != .preview, end: link.handed)
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
            held.insert(StreamRenditions(piece.rendition), of: showing.image, rendition.version)
            learn(rendition.version, of: piece.slot)
            learnProportions(of: piece.slot, from: rendition)
        case .problem:
            showings[piece.slot]?.settle()
        }
        let endsToken = showings[piece.slot]?.isSettled ?? true
        if endsToken { dismiss(piece.slot) }
        return Sending(token: token, content: content, part: part, isPart: false, endsToken: endsToken)
    }

    /// What of a content goes out in one message: all that is left of it, or so much that something more urgent does not
    /// wait for the rest.
    private func nextPart(of piece: Piece, _ content: PieceContent) -> Range<Int> {
        let (first, end) = (begun[piece] ?? 0, content.body.count)
        guard viewport?.takesParts == true, case .image = content, end - first > limits.part * 3 / 2 else {
            return first..<end
        }
        return first..<first + limits.part
    }

    /// What was sent shows what stands in the slot better than the catalog knew when it was read.
    private mutating func learn(_ version: ContentVersion, of slot: Int) {
        showings[slot]?.version = version
        guard let image = images[slot], image.version != version else { return }
        images[slot] = image.showing(version)
    }

    // MARK: - What comes next

    /// What to do now. To be asked until it says ``Step/send(_:)``, ``Step/tell(_:)`` or ``Step/rest(until:)``.
    mutating func next(at now: Double) -> Step {
        guard let window = present(at: now) else { return .rest(until: nil) }
        let allowance = Allowance(of: self, window, at: now)
        var scan = Scan(allowance: allowance, window: window)
        if keepsCancelled { return oldestFirst(&scan, at: now) }
        if let step = introduce(window) { return step }
        if let step = serve(&scan) { return step }
        return rest(after: scan, at: now)
    }

    private mutating func serve(_ scan: inout Scan) -> Step? {
        let window = scan.window
        // What moves is not looked at so closely, and the link is wanted for what comes.
        let grades: [Grade] =
            !window.isAtRest ? [.tile] : needsTilesFirst(window) ? [.tile, .needed] : [.needed]
        // Pictures that come in the blink of an eye need no previews before them, only those that are not at hand.
        let isPrompt = !window.isFast && !window.tiles.isEmpty && comesPromptly(window.tiles, grades[0])
        if isPrompt {
            let order = SlotOrder.centreFirst(window.tiles)
            // Where nothing is shown yet, first.
            for choice in [Choice.unpreviewed, .remembered] {
                if let step = visit(order, grades[0], .near, &scan, choice) { return step }
            }
        }
        let lacking = isPrompt ? Choice.absent(grades[0], of: window.tiles) : .all
        let previews =
            window.isFast
            ? SlotOrder.leadingEdgeFirst(window.previews, direction: window.direction)
            : SlotOrder.centreFirst(window.previews)
        if let step = visit(previews, .preview, .near, &scan, lacking) { return step }
        if !window.isFast {
            if let step = visit(.centreFirst(window.reported), .preview, .near, &scan, lacking) { return step }
        }
        for grade in grades {
            if let step = visit(.centreFirst(window.tiles), grade, .near, &scan) { return step }
        }
        if let landing = window.landing {
            for grade in [Grade.preview, .tile] {
                if let step = visit(.centreFirst(landing), grade, .landing, &scan) { return step }
            }
        }
        if window.isFast {
            let order = SlotOrder.forwards(window.coming, direction: window.direction)
            return visit(order, .preview, .early, &scan)
        }
        return serveAhead(grades, &scan)
    }

    /// What lies ahead, and then behind: previews first, so that there are many should it be flung; whoever reads on comes to
    /// it slowly, and the link is for the pictures themselves.
    private mutating func serveAhead(_ grades: [Grade], _ scan: inout Scan) -> Step? {
        let window = scan.window
        if let step = introduceHeld([window.ahead, window.behind]) { return step }
        // Pictures that are looked at one by one are made ready as they will be looked at.
        var visits = (viewport?.ahead == nil ? grades.prefix(1) : grades[...]).map { (grade: $0, choice: Choice.all) }
        visits.insert((.preview, window.isReading ? .absent(grades[0], of: 0..<total) : .all), at: 0)
        if window.isReading { visits.insert((grades[0], .remembered), at: 0) }
        for (grade, choice) in visits {
            let ahead = SlotOrder.forwards(window.ahead, direction: window.direction)
            if let step = visit(ahead, grade, .ahead, &scan, choice) { return step }
            let behind = SlotOrder.forwards(window.behind, direction: -window.direction)
            if let step = visit(behind, grade, .ahead, &scan, choice) { return step }
        }
        return nil
    }

    /// Which of the slots of an order are served.
    private enum Choice {
        case all
        /// What can be had from memory.
        case remembered
        /// The same, of slots that have no preview.
        case unpreviewed
        /// All but those of these slots whose rendition of this grade is at hand, or may be.
        case absent(Grade, of: Range<Int>)

        var isFromMemory: Bool {
            switch self {
            case .remembered, .unpreviewed: true
            case .all, .absent: false
            }
        }

        func takes(_ slot: Int, _ showing: Showing) -> Bool {
            switch self {
            case .all, .remembered: true
            case .unpreviewed: showing.preview != .done
            case .absent(let grade, let slots):
                !slots.contains(slot) || (showing[grade] != .wanted && showing[grade] != .atHand)
            }
        }
    }

    /// At rest the client learns of all that is on screen at once, and of what it wants to be made ready. In fast motion it learns of what it holds already, and
    /// of the rest with its preview: at most of those slots something can be shown.
    private mutating func introduce(_ window: ServiceWindow) -> Step? {
        var untold: [Int] = []
        var tokenless: [Int] = []
        let isReadied = viewport?.ahead != nil
        let shown = window.isFast ? window.previews : window.reported
        for slot in (isReadied ? [shown, window.ahead, window.behind] : [shown]).joined() {
            guard let showing = showing(slot), !showing.isTold else { continue }
            if showing.isSettled {
                untold.append(slot)
            } else if !window.isFast {
                if showing.token == nil { tokenless.append(slot) }
                untold.append(slot)
            }
        }
        if !tokenless.isEmpty { return .issue(tokenless) }
        return untold.isEmpty ? nil : .tell(untold)
    }

    /// What the client holds of slots that it will come to, it is told of before: it shows them the sooner, and else would
    /// hear of them a round trip after they are on screen.
    private mutating func introduceHeld(_ ranges: [Range<Int>]) -> Step? {
        var untold: [Int] = []
        for slot in ranges.joined() where untold.count < limits.told {
            if let showing = showing(slot), showing.isSettled, !showing.isTold { untold.append(slot) }
        }
        return untold.isEmpty ? nil : .tell(untold)
    }

    /// The showing of a slot, begun if there is none; nil while it is not known what stands there, as while the catalog is
    /// read anew: what would be loaded or told of then is not known either.
    private mutating func showing(_ slot: Int) -> Showing? {
        guard isKnown(slot) else { return nil }
        if let showing = showings[slot] { return showing }
        guard let showing = makeShowing(slot) else { return nil }
        showings[slot] = showing
        return showing
    }

    private mutating func visit(
        _ slots: SlotOrder, _ grade: Grade, _ urgency: Scan.Urgency, _ scan: inout Scan, _ choice: Choice = .all
    ) -> Step? {
        for slot in slots {
            guard let showing = showing(slot), choice.takes(slot, showing), let rendition = showing.rendition(of: grade)
            else {
                continue
            }
            let piece = Piece(slot: slot, rendition: rendition)
            let isAhead = isAhead(slot, scan.window)
            switch showing[rendition] {
            case .done, .loading: continue
            case .wanted, .missed:
                // What is fast gone is not loaded any more; what is coming is.
                let isInTime = !scan.window.isFast || urgency != .near || scan.window.coming.contains(slot)
                let mayLoad = isInTime && !choice.isFromMemory
                guard mayLoad || showing[rendition] == .wanted else { continue }
                guard hasRoom(isAhead: isAhead, scan.window), !isAhead || !scan.isCrowded else {
                    scan.isCrowded = scan.isCrowded || !isAhead
                    continue
                }
                guard mayLoad else {
                    // Many at once: a step for each would look through hundreds of slots hundreds of times.
                    let coming = choice.isFromMemory ? 0..<0 : scan.window.coming
                    let others = gather(slots, from: slot) { $0[grade] == .wanted && choice.takes(slot, $0) }
                    let pieces = others.filter { !coming.contains($0) }.compactMap { slot in
                        showings[slot]?.rendition(of: grade).map { Piece(slot: slot, rendition: $0) }
                    }
                    return .recall(Array(pieces.prefix(room(for: grade, isAhead: isAhead))))
                }
                guard showing.token != nil else {
                    return .issue(gather(slots, from: slot) { $0.token == nil && !$0.isSettled })
                }
                return .look(piece, isAhead: isAhead, distance: scan.window.distance(of: slot))
            case .atHand:
                guard urgency != .early, let content = contents[piece] else { continue }
                let bytes = RenditionHead.length + nextPart(of: piece, content).count
                guard scan.allowance.admits(piece, bytes: bytes, scan.window, urgency) else {
                    scan.isHeldBack = true
                    continue
                }
                guard showing.token != nil else {
                    return .issue(gather(slots, from: slot) { $0.token == nil && $0[grade] == .atHand })
                }
                guard showing.isTold else {
                    return .tell(gather(slots, from: slot) { !$0.isTold && ($0.isSettled || $0.token != nil) })
                }
                return .send(piece)
            }
        }
        return nil
    }

    /// From `slot` on those that fit, up to the number that one message tells of.
    private mutating func gather(_ slots: SlotOrder, from slot: Int, where fits: (Showing) -> Bool) -> [Int] {
        var gathered: [Int] = []
        for other in slots.drop(while: { $0 != slot }) {
            guard gathered.count < limits.told else { break }
            if let showing = showing(other), fits(showing) { gathered.append(other) }
        }
        return gathered
    }

    /// How many pieces of this grade there is room for, where there is room for one.
    private func room(for grade: Grade, isAhead: Bool) -> Int {
        let share = isAhead ? 2 : 1
        guard grade != .preview else { return max(1, limits.waiting / share - contents.count) }
        let bytes = Double(limits.waitingBytes / share - waitingBytes) / tileBytes
        return max(1, min(limits.waiting / share - contents.count, Int(bytes)))
    }

    /// Whether one more piece may be loaded or wait to be sent.
    private func hasRoom(isAhead: Bool, _ window: ServiceWindow) -> Bool {
        let share = isAhead ? 2 : 1
        // What has begun to be sent to slots that were left since stays, and takes no room from what is on screen.
        let kept = begun.keys.filter { !isAhead && self.isAhead($0.slot, window) }
        let keptBytes = kept.reduce(0) { $0 + (contents[$1]?.body.count ?? 0) }
        guard contents.count - kept.count < limits.waiting / share,
            waitingBytes - keptBytes < limits.waitingBytes / share
        else { return false }
        let underWay = loads.values.count { $0 == isAhead }
        return underWay < (isAhead ? limits.aheadLoads : limits.loads)
    }

    private mutating func rest(after scan: Scan, at now: Double) -> Step {
        if !scan.allowance.isFull { link.applicationLimited() }
        // The prediction moves on, and with it what is worth sending; and who says no more what came is not waited for.
        if scan.window.isMoving || scan.window.isFast { return .rest(until: now + 0.016) }
        return .rest(until: scan.isHeldBack ? now + 0.25 : nil)
    }

    /// The benchmark's way: what was on screen first goes first, and all of it goes.
    private mutating func oldestFirst(_ scan: inout Scan, at now: Double) -> Step {
        while let slot = backlog.first, showings[slot]?.isSettled == true, showings[slot]?.isTold == true {
            backlog.removeFirst()
        }
        for slot in backlog.prefix(limits.told) {
            guard let showing = showing(slot) else { continue }
            if showing.token == nil, !showing.isSettled { return .issue([slot]) }
            if !showing.isTold { return .tell([slot]) }
            for grade in [Grade.preview, .tile, .needed] {
                if let step = visit(.centreFirst(slot..<slot + 1), grade, .near, &scan) { return step }
            }
        }
        return rest(after: scan, at: now)
    }
}
