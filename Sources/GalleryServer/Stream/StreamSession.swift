import Catalog
import Clients
import EventLoops
import HTTPServer
import Images
import Loading
import Scheduling

/// One open stream: it does what its ``StreamPlan`` says, with the loader, the catalog and the tokens.
///
/// `@unchecked Sendable`: whatever changes is read and written on the socket's loop alone.
final class StreamSession: WebSocketHandler, @unchecked Sendable {
    /// A load under way.
    struct UnderWay {
        let token: Token
        let handle: any LoadHandle
    }

    static let watchInterval = Duration.seconds(1)
    /// Steps of the plan before the other connections of the loop have their turn.
    private static let stepsInTurn = 8
    /// An origin that has sent nothing for so long is worth a word.
    static let patience = Duration.seconds(3)

    let services: StreamServices
    private let client: Client
    private let formats: StreamFormats
    var socket: WebSocket?
    var session: SessionID?
    /// Of the session, as its present tokens have it; nil before the first, and once it has ended.
    private var generation: UInt64?
    var plan: StreamPlan
    var loads: [Piece: UnderWay] = [:]
    /// The newest viewport, until it is the plan's.
    private var newest: Viewport?
    /// Its turn, where that has not come.
    private var turn: LoopTimer?
    private var viewportNumber: UInt64 = 0
    private var isGreeted = false
    /// The client waits to hear whether anybody is there.
    private var isAsked = false
    /// What the client was told of the catalog last.
    var told: Told
    /// What the slots are of.
    var view = ShownView()
    /// The viewport that is the plan's.
    var shown: Viewport?
    /// Tokens whose origins keep them waiting, in the order of their slots, and what the client was told of them last.
    var waiting: [Token] = []
    var toldWaiting: [Token] = []
    var reading: Task<Void, Never>?
    var looking: Task<Void, Never>?
    private var alarm: LoopTimer?
    var watch: LoopTimer?

    init(services: StreamServices, client: Client, formats: StreamFormats) {
        self.services = services
        self.client = client
        self.formats = formats
        let standing = services.catalog.standing
        told = Told(revision: standing.revision, total: standing.total)
        plan = StreamPlan(revision: told.revision, total: told.total, keepsCancelled: services.keepsCancelled)
    }

    // MARK: - The socket

    func opened(_ socket: WebSocket) {
        guard services.census.begins(client) else {
            return socket.close(.tryAgainLater, reason: "There are too many streams.")
        }
        self.socket = socket
        session = services.tokens.open(for: client)
        watchCatalog()
    }

    func received(_ message: WebSocketMessage) {
        guard let socket else { return }
        do throws(ClientMessage.Misunderstood) {
            guard case .text(let text) = message else {
                throw ClientMessage.Misunderstood(member: "message", rule: "must be text")
            }
            receive(try ClientMessage(text))
        } catch {
            socket.close(.policyViolation, reason: error.description)
        }
    }

    func ended(_ end: WebSocketEnd) {
        guard let session else { return }
        services.tokens.close(session)
        services.census.ends(client)
        self.session = nil
        socket = nil
        reading?.cancel()
        looking?.cancel()
        alarm?.cancel()
        watch?.cancel()
        if let turn, turn.isPending {
            turn.cancel()
            services.pace.giveBack(of: client, now: services.now)
        }
        loads = [:]
    }

    func nextMessage() -> WebSocketMessage.Outgoing? {
        guard let session else { return nil }
        if !isGreeted {
            isGreeted = true
            return text(.session(session, revision: told.revision, total: told.total))
        }
        if isAsked {
            isAsked = false
            return text(.pong)
        }
        // What was on screen before is worth nothing, and the rest comes when it is this client's turn.
        if turn?.isPending == true { return nil }
        showNewest()
        // Of a view whose order is still being made there is nothing to tell.
        if told != standing, plan.revision != 0 || view.view == nil {
            told = standing
            return text(.catalog(revision: told.revision, total: told.total, view: told.view))
        }
        if waiting != toldWaiting {
            toldWaiting = waiting
            return text(.waiting(waiting))
        }
        for _ in 0..<Self.stepsInTurn {
            switch plan.next(at: services.now) {
            case .issue(let slots): issue(slots)
            case .look(let piece, let isAhead, let distance): look(for: piece, isAhead: isAhead, distance: distance)
            case .recall(let pieces): for piece in pieces { recall(piece) }
            case .tell(let slots): return text(.tokens(plan.tell(slots), revision: plan.revision, view: view.text))
            case .send(let piece):
                if let message = send(piece) { return message }
            case .rest(let moment):
                rest(until: moment)
                return nil
            }
        }
        socket?.wake()
        return nil
    }

    // MARK: - What the client says

    private func receive(_ message: ClientMessage) {
        switch message {
        case .viewport(let viewport):
            if let received = viewport.received { plan.acknowledge(received, at: services.now) }
            settle(plan.hold(viewport.has))
            // Of several that came together only the newest counts.
            if newest == nil { awaitTurn() }
            newest = viewport
        case .received(let bytes): plan.acknowledge(bytes, at: services.now)
        case .has(let images): settle(plan.hold(images))
        case .forgot(let images): plan.forget(images)
        case .retry(let slots, let insists): settle(plan.retry(slots, insists: insists))
        case .ping:
            isAsked = true
            socket?.wake()
        }
    }

    private func awaitTurn() {
        let delay = services.pace.take(of: client, now: services.now)
        guard delay > 0 else {
            socket?.loop.execute { [weak self] in self?.showNewest() }
            return
        }
        turn = socket?.loop.schedule(after: .seconds(delay)) { [weak self] in self?.showNewest() }
    }

    private func showNewest() {
        guard let viewport = newest, session != nil else { return }
        newest = nil
        plan.limits = StreamPlan.Limits(sharedBy: services.census.viewport(of: client))
        viewportNumber = services.tokens.newViewport()
        shown = viewport
        if viewport.view != view.text { change(to: viewport.view) }
        settle(plan.show(viewport, at: services.now))
        reprioritise()
        read()
        socket?.wake()
    }

    /// Tokens have nothing more to send, and what is loaded for nobody is left.
    func settle(_ tokens: [Token]) {
        services.tokens.end(tokens, .cancelled)
        let unsent = plan.takeEndedUnsent()
        if unsent > 0 { services.census.count { $0.cancelledUnsent += unsent } }
        for (piece, load) in loads where plan.loads[piece] == nil {
            load.handle.cancel()
            loads[piece] = nil
        }
    }

    // MARK: - Tokens and loads

    private func issue(_ slots: [Int]) {
        guard let socket, let session else { return }
        let showing = slots.compactMap { slot in plan.showings[slot].map { (slot: slot, image: $0.image) } }
        let (issued, generation) = services.tokens.issue(showing: showing, session: session, client: client) {
            [weak self, loop = socket.loop] token in
            loop.execute { [weak self] in self?.wasCancelled(token) }
        }
        if isAnother(generation), self.generation != nil { return renew(generation) }
        self.generation = generation
        for issued in issued { plan.assign(issued.token, to: issued.slot) }
    }

    private func isAnother(_ generation: UInt64?) -> Bool { generation != self.generation }

    /// The session made room for others, which nobody on this stream asked for: all tokens of its former generation have
    /// ended, and the slots get others, which begin it anew.
    private func renew(_ generation: UInt64?) {
        self.generation = generation
        plan.renew()
        settle([])
    }

    /// By a request, or because there were too many; or the session has ended.
    private func wasCancelled(_ token: Token) {
        guard let session else { return }
        let generation = services.tokens.generation(of: session)
        if isAnother(generation) {
            renew(generation)
        } else {
            plan.dismiss([token])
            settle([])
        }
        socket?.wake()
    }

    /// The token of a slot turned out to be over, before anybody said so.
    private func lost(_ slot: Int) {
        let generation = session.flatMap { services.tokens.generation(of: $0) }
        if isAnother(generation) {
            renew(generation)
        } else {
            plan.dismiss(slot)
        }
    }

    private func recall(_ piece: Piece) {
        if let image = plan.images[piece.slot], let bytes = services.loader.cached(request(piece, of: image)) {
            plan.provide(piece, .image(bytes))
        } else {
            plan.miss(piece)
        }
    }

    private func request(_ piece: Piece, of image: GalleryImage) -> LoadRequest {
        LoadRequest(
            image: image, rendition: piece.rendition.rendition, format: formats[piece.rendition],
            next: plan.next(after: piece).map { [$0.rendition: formats[$0]] } ?? [:],
            bypassNegativeCache: plan.showings[piece.slot]?.insists ?? false)
    }

    private func look(for piece: Piece, isAhead: Bool, distance: UInt32) {
        guard let socket, let image = plan.images[piece.slot],
            let token = plan.showings[piece.slot]?.token
        else { return plan.dismiss(piece.slot) }
        let request = request(piece, of: image)
        if let bytes = services.loader.cached(request) {
            plan.provide(piece, .image(bytes))
            return
        }
        let began = services.now
        let load = services.tokens.load(request, for: token, priority: priority(of: piece, isAhead: isAhead, distance))
        {
            [weak self, loop = socket.loop] result in
            loop.execute { [weak self] in self?.loaded(piece, token, result, began: began) }
        }
        guard let load else { return lost(piece.slot) }
        loads[piece] = UnderWay(token: token, handle: load)
        plan.load(piece, isAhead: isAhead)
    }

    private func loaded(
        _ piece: Piece, _ token: Token, _ result: Result<LoadedContent, LoadFailure>, began: Double
    ) {
        guard loads[piece]?.token == token else { return }
        loads[piece] = nil
        plan.loadTook(services.now - began)
        switch result {
        case .success(.bytes(let bytes)): plan.provide(piece, .image(bytes))
        case .failure(let failure): plan.provide(piece, .problem(failure, json: Problem(failure).json))
        case .success(.file), .success(.growing):
            // No rendition that the stream sends comes so.
            let failure = LoadFailure(status: 500, publicMessage: "The picture could not be made smaller.")
            plan.provide(piece, .problem(failure, json: Problem(failure).json))
        }
        socket?.wake()
    }

    private func reprioritise() {
        guard !loads.isEmpty, !plan.keepsCancelled, let window = plan.window(at: services.now) else { return }
        for (piece, load) in loads {
            let isAhead = plan.isAhead(piece.slot, window)
            load.handle.reprioritise(priority(of: piece, isAhead: isAhead, window.distance(of: piece.slot)))
        }
    }

    private func priority(of piece: Piece, isAhead: Bool, _ distance: UInt32) -> Priority {
        Priority(
            lane: isAhead ? .prefetch : .visible, viewport: viewportNumber, isBrief: piece.rendition == .preview,
            distance: distance, flow: Flow(of: client, member: session))
    }

    // MARK: - Sending

    private func send(_ piece: Piece) -> WebSocketMessage.Outgoing? {
        // Whoever cancelled the token by a request may know by now that nothing more comes of it.
        guard let token = plan.showings[piece.slot]?.token, services.tokens.maySend(token),
            let sending = plan.send(piece, at: services.now)
        else {
            lost(piece.slot)
            settle([])
            return nil
        }
        var head = RenditionHead(token: token, rendition: piece.rendition, endsToken: sending.endsToken)
        head.isPart = sending.isPart
        head.isContinued = sending.part.lowerBound > 0
        switch sending.content {
        case .image(let rendition):
            head.format = RenditionHead.Format(mediaType: rendition.mediaType)
            head.isStale = rendition.isStale
            head.isIncomplete = rendition.isIncomplete
            head.version = rendition.version
            if sending.endsToken { services.tokens.end([token], .delivered) }
        case .problem:
            head.isFailure = true
            services.tokens.end([token], .failed)
        }
        if sending.endsToken { settle([]) }
        let whole = sending.content.body
        let body = sending.part == 0..<whole.count ? whole : Array(whole[sending.part])
        services.census.sent(
            piece.rendition, bytes: RenditionHead.length + body.count, isProblem: head.isFailure,
            isWhole: !sending.isPart)
        return .binary(head: head.bytes, body: body)
    }

    private func text(_ message: ServerMessage) -> WebSocketMessage.Outgoing {
        let text = message.text
        services.census.count { figures in
            figures.texts += 1
            figures.textBytes += text.utf8.count
        }
        return .text(text)
    }

    private func rest(until moment: Double?) {
        guard let moment, alarm?.isPending != true else { return }
        let delay = Duration.seconds(max(0.001, moment - services.now))
        alarm = socket?.loop.schedule(after: delay) { [weak self] in
            self?.read()
            self?.socket?.wake()
        }
    }
}
