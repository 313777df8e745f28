import Catalog
import Clients
import HTTPServer
import HTTPTypes
import Images
import Loading
import Renditions
import Scheduling

/// Tokens for slots that have come on screen, and the cancel for those that have left it.
struct TokensRoutes {
    let catalog: Catalog
    let tokens: TokenBook
    let turns: WorkTurns
    /// Reaches the homes of sessions that were begun on other nodes.
    let relay: any SessionRelaying

    /// Bytes of a request's body: 500 slots, written generously.
    private static let maximumBody = 128 << 10
    private static let maximumSlots = 500
    private static let maximumCancelled = 1_000

    func add(to router: inout Router) {
        router.post("/api/v1/tokens", answering(issue))
        router.post("/api/v1/tokens/cancel", answering(cancel))
    }

    // MARK: - Issuing

    private func issue(_ request: Request) async throws -> Response {
        try request.requireMediaType("application/json")
        let bytes = try await request.body.collect(upTo: Self.maximumBody)
        let (order, answer) = try await turns.take(for: request.client) { () async throws -> (Order, Answered?) in
            let order = try await self.order(bytes, for: request)
            guard !isElsewhere(order.session) else { return (order, nil) }
            return (order, try await issue(order, in: order.session, for: request))
        }
        // Nobody has a turn while other nodes are waited for.
        if let answer {
            await tokens.recalled(in: answer.session)
            return answer.response
        }
        switch await relayed(order, for: request.client) {
        case .success(let issued):
            return try await turns.take(for: request.client) { try await self.answer(to: request, order, issued) }
        case .failure(.crowded): throw Problem.tooManyOrders
        case .failure(.gone), .failure(.silent):
            // Another session, so that each has one home: two nodes that took over the same one would both have a
            // current token for a slot of it.
            return try await turns.take(for: request.client) { try await issue(order, in: nil, for: request).response }
        }
    }

    /// What a request asks for, once the images are known.
    private struct Order: Sendable {
        let session: SessionID?
        let rendition: Rendition
        let format: OutputFormat
        let lane: Priority.Lane
        let insists: Bool
        let slots: [(slot: Int, image: GalleryImage)]
        let refused: [TokenAnswerBody.Refused]
    }

    /// In the order of the slots; nil for an image that the session's home does not have.
    private typealias Issued = (session: SessionID, tokens: [Token?])
    private typealias Answered = (response: Response, session: SessionID)

    private func order(_ bytes: [UInt8], for request: Request) async throws -> Order {
        let body = try await JSONBody.decode(TokenRequestBody.self, from: bytes)
        let rendition = try rendition(of: body)
        let lane = try lane(of: body)
        let session = try session(body.session)
        let (slots, refused) = try await slots(of: body)
        // Issuing begins the load, so the picture's encoding is settled here and not by the request that follows.
        let format = OutputFormat.negotiate(accept: request.headers[.accept], for: rendition)
        return Order(
            session: session, rendition: rendition, format: format, lane: lane, insists: body.retry ?? false,
            slots: slots, refused: refused)
    }

    private func issue(
        _ order: Order, in session: SessionID?, for request: Request
    ) async throws -> Answered {
        let wishes = order.slots.map { slot, image in
            TokenBook.Wish(
                slot: slot,
                request: LoadRequest(
                    image: image, rendition: order.rendition, format: order.format,
                    bypassNegativeCache: order.insists),
                lane: order.lane)
        }
        let (session, issued) = tokens.issue(wishes, session: session, client: request.client)
        return (try await answer(to: request, order, (session, issued.map(\.token))), session)
    }

    private func answer(to request: Request, _ order: Order, _ issued: Issued) async throws -> Response {
        var granted: [TokenAnswerBody.Granted] = []
        var refused = order.refused
        for ((slot, image), token) in zip(order.slots, issued.tokens) {
            guard let token else {
                refused.append(.init(noSuchImage: image.id.description, slot: slot))
                continue
            }
            granted.append(
                TokenAnswerBody.Granted(
                    slot: slot, image: image.id.description, token: token.description,
                    href: RenditionPath.path(of: order.rendition, image: image.id, token: token.description)))
        }
        let answer = TokenAnswerBody(
            session: issued.session.description, tokens: granted, refused: refused.isEmpty ? nil : refused)
        return try await JSONBody.response(to: request, answer, status: .created)
    }

    // MARK: - Sessions of other nodes

    /// Without other nodes an unknown session is begun anew under its name.
    private func isElsewhere(_ session: SessionID?) -> Bool {
        guard let session, session.home != tokens.node else { return false }
        return !relay.isAlone
    }

    private func relayed(_ order: Order, for client: Client) async -> Result<Issued, RelayFailure> {
        guard let session = order.session else { return .failure(.gone) }
        let relayed = RelayedOrder(
            session: session, client: client, rendition: order.rendition, format: order.format,
            isVisible: order.lane == .visible, insists: order.insists,
            slots: order.slots.map { .init(number: $0.slot, image: $0.image.id) })
        return await withCheckedContinuation { continuation in
            relay.issue(relayed) { result in continuation.resume(returning: result.map { (session, $0) }) }
        }
    }

    // MARK: - What is asked for

    private func rendition(of body: TokenRequestBody) throws -> Rendition {
        guard let name = body.rendition else { return .tile }
        guard let rendition = Rendition(name: name) else {
            throw Problem.badField("rendition", "must be one of \(Rendition.words).")
        }
        return rendition
    }

    private func lane(of body: TokenRequestBody) throws -> Priority.Lane {
        switch body.purpose {
        case nil, "visible": .visible
        case "prefetch": .prefetch
        default: throw Problem.badField("purpose", "must be visible or prefetch.")
        }
    }

    private func session(_ text: String?) throws -> SessionID? {
        guard let text else { return nil }
        guard let session = SessionID(text) else {
            throw Problem.badField("session", "is not one that this server gave out. Leave it out to begin one.")
        }
        return session
    }

    private typealias Slots = (found: [(slot: Int, image: GalleryImage)], refused: [TokenAnswerBody.Refused])

    private func slots(of body: TokenRequestBody) async throws -> Slots {
        switch (body.slots, body.first, body.count) {
        case (let slots?, nil, nil):
            return try await self.slots(slots)
        case (nil, let first?, let count?):
            guard 0...largestSafeInteger ~= first else { throw Problem.badField("first", "must be 0 or more.") }
            guard 1...Self.maximumSlots ~= count else {
                throw Problem.badField("count", "must be 1 to \(Self.maximumSlots).")
            }
            let view = try View(text: body.view ?? "")
            return (Array(zip(first..., try await catalog.images(at: first..<first + count, of: view))), [])
        default:
            throw Problem.badField("slots", "must be given, or else both first and count.")
        }
    }

    private func slots(_ slots: [TokenRequestBody.Slot]) async throws -> Slots {
        guard 1...Self.maximumSlots ~= slots.count else {
            throw Problem.badField("slots", "must have 1 to \(Self.maximumSlots) members.")
        }
        var seen: Set<Int> = []
        let ids = try slots.enumerated().map { position, wanted in
            guard 0...largestSafeInteger ~= wanted.slot, seen.insert(wanted.slot).inserted else {
                throw Problem.badField("slots[\(position)].slot", "must be 0 or more, and once in the list.")
            }
            guard let id = ImageID(wanted.image) else {
                throw Problem.badField("slots[\(position)].image", "is not an image's id.")
            }
            return id
        }
        let images = try await catalog.images(ids)
        var result: Slots = ([], [])
        for (wanted, id) in zip(slots, ids) {
            if let image = images[id] {
                result.found.append((wanted.slot, image))
            } else {
                result.refused.append(.init(noSuchImage: wanted.image, slot: wanted.slot))
            }
        }
        return result
    }

    // MARK: - Cancelling

    private func cancel(_ request: Request) async throws -> Response {
        // `navigator.sendBeacon` sends text as text/plain.
        try request.requireMediaType("application/json", "text/plain")
        let bytes = try await request.body.collect(upTo: Self.maximumBody)
        let (session, named, count) = try await turns.take(for: request.client) {
            () async throws -> (SessionID, [Token]?, Int?) in
            let (session, named) = try await cancellation(bytes)
            return (session, named, isElsewhere(session) ? nil : cancel(named, in: session))
        }
        let cancelled: Int
        if let count {
            await tokens.recalled(in: session)
            cancelled = count
        } else {
            cancelled = try await relayedCancel(named, in: session, for: request.client)
        }
        return try await JSONBody.response(to: request, CancelAnswerBody(cancelled: cancelled))
    }

    private func cancel(_ named: [Token]?, in session: SessionID) -> Int {
        named.map { tokens.cancel($0, in: session) } ?? tokens.close(session)
    }

    private func cancellation(_ bytes: [UInt8]) async throws -> (session: SessionID, tokens: [Token]?) {
        let body = try await JSONBody.decode(CancelRequestBody.self, from: bytes)
        guard let session = try session(body.session) else { throw Problem.badField("session", "is missing.") }
        guard let named = body.tokens else { return (session, nil) }
        guard named.count <= Self.maximumCancelled else {
            throw Problem.badField("tokens", "must have at most \(Self.maximumCancelled) members.")
        }
        let tokens = try named.enumerated().map { position, text in
            guard let token = Token(text) else {
                throw Problem.badField("tokens[\(position)]", "is not a token that this server gave out.")
            }
            return token
        }
        return (session, tokens)
    }

    private func relayedCancel(
        _ named: [Token]?, in session: SessionID, for client: Client
    ) async throws -> Int {
        let relayed = await withCheckedContinuation { continuation in
            relay.cancel(named, in: session, for: client) { continuation.resume(returning: $0) }
        }
        switch relayed {
        case .success(let count): return count
        case .failure(.crowded): throw Problem.tooManyOrders
        case .failure(.gone), .failure(.silent): throw Problem.homeIsSilent
        }
    }
}

extension Problem {
    /// Whether the cancel has come there nobody knows, so it is not acknowledged.
    static let homeIsSilent = Problem(
        .serviceUnavailable, title: "The session cannot be reached",
        detail: "The node that it was begun on does not answer. Cancel again in a moment.", headers: [.retryAfter: "1"])
}

extension Request {
    /// Checks what the body claims to be (RFC 9110 §8.3, §8.4). A web page elsewhere can have a browser post forms and
    /// plain text here without asking; it cannot post JSON.
    ///
    /// - Throws: a `Problem` with status 415.
    func requireMediaType(_ accepted: String...) throws(Problem) {
        guard headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
            throw Problem(
                .unsupportedMediaType, title: "The body is in a coding that is not known here",
                detail: "Send it as it is, without Content-Encoding.", headers: [.acceptEncoding: "identity"])
        }
        var claimed = headers[.contentType]?.prefix { $0 != ";" } ?? ""
        while let last = claimed.last, last == " " || last == "\t" { claimed.removeLast() }
        guard accepted.contains(claimed.lowercased()) else {
            throw Problem(
                .unsupportedMediaType, title: "The body is of another type",
                detail: "Send \(accepted.joined(separator: " or ")) and say so in Content-Type.")
        }
    }
}
