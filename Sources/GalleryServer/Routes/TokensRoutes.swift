import Catalog
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
        return try await turns.take(for: request.client) { try await issue(bytes, for: request) }
    }

    private func issue(_ bytes: [UInt8], for request: Request) async throws -> Response {
        let body = try await JSONBody.decode(TokenRequestBody.self, from: bytes)
        let rendition = try rendition(of: body)
        let lane = try lane(of: body)
        let session = try session(body.session)
        let (slots, refused) = try await slots(of: body)
        // Issuing begins the load, so the picture's encoding is settled here and not by the request that follows.
        let format = OutputFormat.negotiate(accept: request.headers[.accept], for: rendition)
        let wishes = slots.map { slot, image in
            TokenBook.Wish(
                slot: slot,
                request: LoadRequest(
                    image: image, rendition: rendition, format: format, bypassNegativeCache: body.retry ?? false),
                lane: lane)
        }
        let issued = tokens.issue(wishes, session: session, client: request.client)
        let granted = issued.tokens.map { issued in
            TokenAnswerBody.Granted(
                slot: issued.slot, image: issued.image.description, token: issued.token.description,
                href: RenditionPath.path(of: rendition, image: issued.image, token: issued.token.description))
        }
        let answer = TokenAnswerBody(
            session: issued.session.description, tokens: granted, refused: refused.isEmpty ? nil : refused)
        return try await JSONBody.response(to: request, answer, status: .created)
    }

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
                result.refused.append(
                    .init(slot: wanted.slot, image: wanted.image, reason: "The gallery has no such image any more."))
            }
        }
        return result
    }

    // MARK: - Cancelling

    private func cancel(_ request: Request) async throws -> Response {
        // `navigator.sendBeacon` sends text as text/plain.
        try request.requireMediaType("application/json", "text/plain")
        let bytes = try await request.body.collect(upTo: Self.maximumBody)
        return try await turns.take(for: request.client) { try await cancel(bytes, for: request) }
    }

    private func cancel(_ bytes: [UInt8], for request: Request) async throws -> Response {
        let body = try await JSONBody.decode(CancelRequestBody.self, from: bytes)
        guard let session = try session(body.session) else { throw Problem.badField("session", "is missing.") }
        guard let named = body.tokens else {
            return try await JSONBody.response(to: request, CancelAnswerBody(cancelled: tokens.close(session)))
        }
        guard named.count <= Self.maximumCancelled else {
            throw Problem.badField("tokens", "must have at most \(Self.maximumCancelled) members.")
        }
        let cancelled = try named.enumerated().map { position, text in
            guard let token = Token(text) else {
                throw Problem.badField("tokens[\(position)]", "is not a token that this server gave out.")
            }
            return token
        }
        return try await JSONBody.response(
            to: request, CancelAnswerBody(cancelled: tokens.cancel(cancelled, in: session)))
    }
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
