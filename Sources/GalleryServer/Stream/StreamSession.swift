import Accounts
import Catalog
import Clients
import Encodings
import EventLoops
import HTTPServer
import Images
import Loading
import Scheduling

/// One open stream. Carries out the steps of its ``StreamPlan`` with the loader, the catalog and the token registry.
///
/// `@unchecked Sendable`: all mutable state is confined to the socket's loop.
final class StreamSession: WebSocketHandler, @unchecked Sendable {
    static let watchInterval = Duration.seconds(1)
    /// Steps of the plan that may run before other connections of the loop get a chance.
    private static let stepsPerTurn = 8
    /// The client is informed when an origin has been silent for this long.
    static let originSilenceLimit = Duration.seconds(3)

    let services: StreamServices
    let client: Client
    /// Nil in a gallery without accounts.
    private let principal: Principal?
    /// The number among the streams of the principal's account.
    private var accountStreamNumber: Int?
    /// Below the path of a share.
    let visit: ShareVisit?
    private let formats: StreamFormats
    var socket: WebSocket?
    var session: SessionID?
    /// The generation that the session's tokens belong to; nil before the first token and after the session has ended.
    private var generation: UInt64?
    var plan: StreamPlan
    /// The newest viewport, until it is passed to the plan.
    private var newest: Viewport?
    /// Delays the newest viewport until the rate limiter admits it.
    private var admissionTimer: LoopTimer?
    private var viewportNumber: UInt64 = 0
    private var hasSentSession = false
    /// A ping of the client is not answered yet.
    private var owesPong = false
    /// The state of the catalog that the client was last sent.
    var announced: Announced
    /// The view that the slots belong to.
    var view = DisplayedView()
    /// The viewport that the plan works with.
    var displayed: Viewport?
    /// Tokens that wait for a silent origin, in slot order, and those that the client was last sent.
    var waiting: [Token] = []
    var announcedWaiting: [Token] = []
    var reading: Task<Void, Never>?
    var catalogCheck: Task<Void, Never>?
    private var alarm: LoopTimer?
    var watch: LoopTimer?

    init(
        services: StreamServices, client: Client, principal: Principal? = nil, visit: ShareVisit? = nil,
        formats: StreamFormats
    ) {
        self.principal = principal
        self.visit = visit
        self.services = services
        self.client = client
        self.formats = formats
        view.view = Self.view("", within: visit)
        // A part of the gallery has to be looked for first.
        let currentState = visit?.scope == nil ? services.catalog.revisionAndTotal : (revision: 0, total: 0)
        announced = Announced(revision: currentState.revision, total: currentState.total)
        plan = StreamPlan(revision: announced.revision, total: announced.total)
    }

    // MARK: - The socket

    func opened(_ socket: WebSocket) {
        guard services.limiter.admit(client) else {
            return socket.close(.tryAgainLater, reason: "Too many streams are open.")
        }
        self.socket = socket
        session = services.tokens.open(for: client)
        if let principal, let streams = services.accountStreams {
            accountStreamNumber = streams.add(principal.account) { [weak self, loop = socket.loop] in
                loop.execute { [weak self] in self?.endIfRevoked() }
            }
            endIfRevoked()
        }
        if visit?.scope != nil { checkCatalog() }
        scheduleCatalogCheck()
    }

    /// Ends the stream if its principal has signed out, or may see less than when it was opened; also if that is not
    /// known.
    func endIfRevoked() {
        guard let principal, let code = services.accountStreams?.end(of: principal) else { return }
        socket?.close(code, reason: code == .signedOut ? "Sign in again." : "Accounts cannot be checked.")
    }

    func received(_ message: WebSocketMessage) {
        guard let socket else { return }
        do throws(JSONFieldError) {
            guard case .text(let text) = message else {
                throw JSONFieldError(field: "message", rule: "must be text")
            }
            receive(try ClientMessage(text).decrypted(by: services.ids))
        } catch {
            socket.close(.policyViolation, reason: error.description)
        }
    }

    func ended(_ end: WebSocketEnd) {
        if let principal, let accountStreamNumber {
            services.accountStreams?.remove(accountStreamNumber, of: principal.account)
        }
        guard let session else { return }
        services.tokens.close(session)
        services.limiter.release(client)
        self.session = nil
        socket = nil
        reading?.cancel()
        catalogCheck?.cancel()
        alarm?.cancel()
        watch?.cancel()
        if let admissionTimer, admissionTimer.isPending {
            admissionTimer.cancel()
            services.pace.giveBack(of: client, now: services.now)
        }
        for load in plan.loads.values { load.handle.cancel() }
        plan.loads = [:]
        cancelUnwantedLoads()
    }

    func nextMessage() -> WebSocketMessage.Outgoing? {
        guard let session else { return nil }
        defer { cancelUnwantedLoads() }
        if !hasSentSession {
            // The server knows nothing yet about this part of the gallery.
            if visit?.scope != nil {
                guard plan.revision != 0 || view.view == nil else { return nil }
                announced = Announced(revision: plan.revision, total: plan.total)
            }
            hasSentSession = true
            return text(.session(session, revision: announced.revision, total: announced.total))
        }
        if owesPong {
            owesPong = false
            return text(.pong)
        }
        // The previous viewport is obsolete, and the new one is still held back by the rate limiter.
        if admissionTimer?.isPending == true { return nil }
        showNewestViewport()
        // While the order of a view is being built there is nothing to announce.
        if announced != currentState, plan.revision != 0 || view.view == nil {
            announced = currentState
            return text(.catalog(revision: announced.revision, total: announced.total, view: announced.view.text))
        }
        if waiting != announcedWaiting {
            announcedWaiting = waiting
            return text(.waiting(waiting))
        }
        for _ in 0..<Self.stepsPerTurn {
            switch plan.next(at: services.now) {
            case .issue(let slots): issue(slots)
            case .load(let piece, let isAhead, let distance): startLoad(of: piece, isAhead: isAhead, distance: distance)
            case .loadFromMemory(let pieces): for piece in pieces { loadFromMemory(piece) }
            case .announce(let slots):
                return text(.tokens(plan.announce(slots), revision: plan.revision, view: view.text))
            case .send(let piece):
                if let message = send(piece) { return message }
            case .rest(let moment):
                settle([])
                rest(until: moment)
                return nil
            }
        }
        socket?.wake()
        return nil
    }

    // MARK: - Client messages

    private func receive(_ message: ClientMessage) {
        switch message {
        case .viewport(let viewport):
            if let received = viewport.received { plan.acknowledge(received, at: services.now) }
            settle(plan.hold(viewport.has))
            // If several viewports arrive together, only the newest counts.
            if newest == nil { awaitAdmission() }
            newest = viewport
        case .received(let bytes): plan.acknowledge(bytes, at: services.now)
        case .has(let images): settle(plan.hold(images))
        case .forgot(let images): plan.forget(images)
        case .retry(let slots, let bypassesNegativeCache):
            settle(plan.retry(slots, bypassesNegativeCache: bypassesNegativeCache))
        case .ping:
            owesPong = true
            socket?.wake()
        }
    }

    private func awaitAdmission() {
        let delay = services.pace.take(of: client, now: services.now)
        guard delay > 0 else {
            socket?.loop.execute { [weak self] in self?.showNewestViewport() }
            return
        }
        admissionTimer = socket?.loop.schedule(after: .seconds(delay)) { [weak self] in self?.showNewestViewport() }
    }

    private func showNewestViewport() {
        guard let viewport = newest, session != nil else { return }
        newest = nil
        plan.limits = StreamPlan.Limits(sharedBy: services.limiter.countViewport(of: client))
        viewportNumber = services.tokens.newViewport()
        displayed = viewport
        if ExactText(viewport.view) != ExactText(view.text) { change(to: viewport.view) }
        settle(plan.show(viewport, at: services.now))
        reprioritise()
        read()
        socket?.wake()
    }

    /// Ends tokens that have nothing left to send, and cancels the loads that no slot needs any more.
    func settle(_ tokens: [Token]) {
        services.tokens.end(tokens, .cancelled)
        let unsent = plan.takeEndedUnsent()
        if unsent > 0 { services.limiter.count { $0.cancelledUnsent += unsent } }
        cancelUnwantedLoads()
    }

    private func cancelUnwantedLoads() {
        for load in plan.takeUnwantedLoads() { load.cancel() }
    }

    // MARK: - Tokens and loads

    private func issue(_ slots: [Int]) {
        guard let socket, let session else { return }
        let display = slots.compactMap { slot in plan.displays[slot].map { (slot: slot, image: $0.image) } }
        let (issued, generation) = services.tokens.issue(displaying: display, session: session, client: client) {
            [weak self, loop = socket.loop] token in
            loop.execute { [weak self] in self?.tokenWasCancelled(token) }
        }
        if isAnother(generation), self.generation != nil { return renew(generation) }
        self.generation = generation
        for issued in issued { plan.assign(issued.token, to: issued.slot) }
    }

    private func isAnother(_ generation: UInt64?) -> Bool { generation != self.generation }

    /// The registry has ended the session's tokens to make room, not at the client's request. All tokens of the former
    /// generation have ended; the slots get new ones, which start a new generation.
    private func renew(_ generation: UInt64?) {
        self.generation = generation
        plan.renew()
        settle([])
    }

    /// A token was cancelled: by a request, because there were too many tokens, or because the session has ended.
    private func tokenWasCancelled(_ token: Token) {
        guard let session else { return }
        let generation = services.tokens.generation(of: session)
        if isAnother(generation) {
            renew(generation)
        } else {
            plan.tokensEnded([token])
            settle([])
        }
        socket?.wake()
    }

    /// The token of a slot had already ended, and nobody had told the stream.
    private func tokenWasLost(in slot: Int) {
        let generation = session.flatMap { services.tokens.generation(of: $0) }
        if isAnother(generation) {
            renew(generation)
        } else {
            plan.tokenEnded(in: slot)
        }
    }

    private func loadFromMemory(_ piece: Piece) {
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
            bypassesNegativeCache: plan.displays[piece.slot]?.bypassesNegativeCache ?? false,
            acceptsThumbnail: piece.rendition == .preview && plan.isLinkWide)
    }

    private func startLoad(of piece: Piece, isAhead: Bool, distance: UInt32) {
        guard let socket, let image = plan.images[piece.slot], plan.displays[piece.slot]?.token != nil else {
            return plan.tokenEnded(in: piece.slot)
        }
        let request = request(piece, of: image)
        let number = plan.newLoad()
        let began = services.now
        let start = services.loader.load(request, priority: priority(of: piece, isAhead: isAhead, distance)) {
            [weak self, loop = socket.loop] result in
            loop.execute { [weak self] in self?.loaded(piece, by: number, result, began: began) }
        }
        switch start {
        case .cached(let bytes): plan.provide(piece, .image(bytes))
        case .loading(let handle): plan.load(piece, as: number, by: handle, isAhead: isAhead)
        }
    }

    private func loaded(
        _ piece: Piece, by number: StreamPlan.LoadNumber, _ result: Result<LoadedContent, LoadFailure>, began: Double
    ) {
        // The load may have been given up when its result was already on the way, and another begun.
        guard plan.loads[piece]?.number == number else { return }
        plan.loadTook(services.now - began)
        switch result {
        case .success(.bytes(let bytes)): plan.provide(piece, .image(bytes))
        case .failure(let failure): plan.provide(piece, .problem(failure, json: Problem(failure).json))
        case .success(.file), .success(.partial):
            // The loader returns no rendition of the stream as a file or as a partial original.
            let failure = LoadFailure(status: 500, publicMessage: "The picture could not be resized.")
            plan.provide(piece, .problem(failure, json: Problem(failure).json))
        }
        settle([])
        socket?.wake()
    }

    private func reprioritise() {
        guard !plan.loads.isEmpty, let window = plan.window(at: services.now) else { return }
        for (piece, load) in plan.loads {
            let isAhead = plan.isAhead(piece.slot, window)
            load.handle.reprioritise(priority(of: piece, isAhead: isAhead, window.distance(of: piece.slot)))
        }
    }

    private func priority(of piece: Piece, isAhead: Bool, _ distance: UInt32) -> Priority {
        Priority(
            level: isAhead ? .prefetch : .visible, viewport: viewportNumber, isBrief: piece.rendition == .preview,
            distance: distance, flow: Flow(of: client, member: session))
    }

    // MARK: - Sending

    private func send(_ piece: Piece) -> WebSocketMessage.Outgoing? {
        // A client that cancelled the token by a request may already rely on getting nothing more for it.
        guard let token = plan.displays[piece.slot]?.token, services.tokens.maySend(token),
            let sending = plan.send(piece, at: services.now)
        else {
            tokenWasLost(in: piece.slot)
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
        services.limiter.sent(
            piece.rendition, bytes: RenditionHead.length + body.count, isProblem: head.isFailure,
            isWhole: !sending.isPart)
        return .binary(head: head.bytes, body: body)
    }

    private func text(_ message: ServerMessage) -> WebSocketMessage.Outgoing {
        let text = message.text(services.ids)
        services.limiter.count { figures in
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
