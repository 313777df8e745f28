import Accounts
import Catalog
import Clients
import HTTPServer
import HTTPTypes
import Images
import Loading
import Renditions
import Scheduling

/// Issues tokens for slots that have come on screen, and cancels those of slots that have left it.
struct TokensRoutes {
    let catalog: Catalog
    let tokens: TokenRegistry
    let workQueue: FairWorkQueue
    let paths: RenditionPath
    /// Reaches the owner nodes of other nodes' sessions.
    let forwarding: any SessionForwarding

    /// The most bytes of a request's body: enough for 500 slots in a verbose form.
    private static let maximumBody = 128 << 10

    func add(to router: inout Router) {
        router.post("/api/v1/tokens", for: .view, answering(issue))
        router.post("/api/v1/tokens/cancel", for: .view, answering(cancel))
    }

    // MARK: - Issuing

    private func issue(_ request: Request) async throws -> Response {
        try request.requireMediaType("application/json")
        let bytes = try await request.body.collect(upTo: Self.maximumBody)
        let (validated, answer) = try await workQueue.run(for: request.client) {
            () async throws -> (ValidatedRequest, Answered?) in
            let validated = try await self.validate(bytes, for: request)
            guard !isOwnedElsewhere(validated.session) else { return (validated, nil) }
            return (validated, try await issue(validated, in: validated.session, for: request))
        }
        // Waiting for other nodes must not occupy the work queue.
        if let answer {
            await tokens.revoked(in: answer.session)
            return answer.response
        }
        switch await forward(validated, for: request.client) {
        case .success(let issued):
            return try await workQueue.run(for: request.client) {
                try await self.answer(to: request, validated, issued)
            }
        case .failure(.overloaded): throw Problem.tooManyRequestsAtOnce
        case .failure(.gone), .failure(.silent):
            // Begin another session, so that each session has one owner node. If two nodes took over the same session,
            // both would have a current token for one of its slots.
            return try await workQueue.run(for: request.client) {
                try await issue(validated, in: nil, for: request).response
            }
        }
    }

    /// A token request whose images have been found.
    private struct ValidatedRequest: Sendable {
        let session: SessionID?
        let rendition: Rendition
        let format: OutputFormat
        let level: Priority.Level
        let bypassesNegativeCache: Bool
        let slots: [(slot: Int, image: GalleryImage)]
        let refused: [TokenAnswerBody.Refused]
    }

    /// The tokens in the sequence of the slots; nil for an image that the owner node does not have.
    private typealias Issued = (session: SessionID, tokens: [Token?])
    private typealias Answered = (response: Response, session: SessionID)

    private func validate(_ bytes: [UInt8], for request: Request) async throws -> ValidatedRequest {
        let body = try await JSONBody.decode(TokenRequestBody.self, from: bytes)
        let rendition = try rendition(of: body)
        // A gallery without accounts has no requesters.
        let mayHaveFile = request.requester == nil || request.principal?.rights.contains(.originals) == true
        guard !rendition.isFile || mayHaveFile else { throw Problem.notAllowed }
        // Redacted originals are never shown in a slot: they are loaded and redacted on request.
        guard rendition != .original || OriginalRedaction(for: request) == nil else { throw Problem.notAllowed }
        let level = try level(of: body)
        let session = try session(body.session)
        let (slots, refused) = try await slots(of: body, for: request)
        // Issuing a token begins the load, so the format is chosen here and not by the request that follows.
        let format = OutputFormat.negotiate(accept: request.headers[.accept], for: rendition)
        return ValidatedRequest(
            session: session, rendition: rendition, format: format, level: level,
            bypassesNegativeCache: body.retry ?? false,
            slots: slots, refused: refused)
    }

    private func issue(
        _ validated: ValidatedRequest, in session: SessionID?, for request: Request
    ) async throws -> Answered {
        let requests = validated.slots.map { slot, image in
            TokenRegistry.TokenRequest(
                slot: slot,
                request: LoadRequest(
                    image: image, rendition: validated.rendition, format: validated.format,
                    bypassesNegativeCache: validated.bypassesNegativeCache),
                level: validated.level)
        }
        let (session, issued) = tokens.issue(requests, session: session, client: request.client)
        return (try await answer(to: request, validated, (session, issued.map(\.token))), session)
    }

    private func answer(to request: Request, _ validated: ValidatedRequest, _ issued: Issued) async throws -> Response {
        var granted: [TokenAnswerBody.Granted] = []
        var refused = validated.refused
        for ((slot, image), token) in zip(validated.slots, issued.tokens) {
            guard let token else {
                refused.append(.init(slot: slot, image: paths.ids.encrypt(image.id).description))
                continue
            }
            granted.append(
                TokenAnswerBody.Granted(
                    slot: slot, image: paths.ids.encrypt(image.id).description, token: token.description,
                    href: paths.inside(request).path(of: validated.rendition, image: image.id, token: token.description)
                ))
        }
        let answer = TokenAnswerBody(session: issued.session.description, tokens: granted, refused: refused)
        return try await JSONBody.response(to: request, answer, status: .created)
    }

    // MARK: - Sessions of other nodes

    /// Whether another node owns the session. A single node begins an unknown session anew, under its name.
    private func isOwnedElsewhere(_ session: SessionID?) -> Bool {
        guard let session, session.ownerNode != tokens.node else { return false }
        return !forwarding.isSingleNode
    }

    private func forward(_ validated: ValidatedRequest, for client: Client) async -> Result<Issued, ForwardingFailure> {
        guard let session = validated.session else { return .failure(.gone) }
        let forwarded = ForwardedTokenRequest(
            session: session, client: client, rendition: validated.rendition, format: validated.format,
            isVisible: validated.level == .visible, bypassesNegativeCache: validated.bypassesNegativeCache,
            slots: validated.slots.map { .init(number: $0.slot, image: $0.image.id) })
        return await withCheckedContinuation { continuation in
            forwarding.issue(forwarded) { result in continuation.resume(returning: result.map { (session, $0) }) }
        }
    }

    // MARK: - Reading the request

    private func rendition(of body: TokenRequestBody) throws -> Rendition {
        guard let name = body.rendition else { return .tile }
        guard let rendition = Rendition(name: name) else {
            throw Problem.badField("rendition", "must be one of \(Rendition.words).")
        }
        return rendition
    }

    private func level(of body: TokenRequestBody) throws -> Priority.Level {
        switch body.purpose {
        case nil, "visible": .visible
        case "prefetch": .prefetch
        default: throw Problem.badField("purpose", "must be visible or prefetch.")
        }
    }

    private func session(_ text: String?) throws -> SessionID? {
        guard let text else { return nil }
        guard let session = SessionID(text) else {
            throw Problem.badField("session", "was not issued by this server. Omit it to begin a new one.")
        }
        return session
    }

    private typealias Slots = (found: [(slot: Int, image: GalleryImage)], refused: [TokenAnswerBody.Refused])

    private func slots(of body: TokenRequestBody, for request: Request) async throws -> Slots {
        switch (body.slots, body.first, body.count) {
        case (let slots?, nil, nil):
            return try await self.slots(slots, within: request.scope)
        case (nil, let first?, let count?):
            let view = try View(text: body.view ?? "").within(request)
            return (Array(zip(first..., try await catalog.images(at: first..<first + count, of: view))), [])
        default:
            throw Problem.badField("slots", "must be given, or both first and count.")
        }
    }

    private func slots(_ slots: [TokenRequestBody.Slot], within scope: View.Scope?) async throws -> Slots {
        guard !slots.isEmpty else { throw Problem.badField("slots", "must not be empty.") }
        var seen: Set<Int> = []
        let ids = try slots.enumerated().map { position, wanted in
            guard seen.insert(wanted.slot).inserted else {
                throw Problem.badField("slots[\(position)].slot", "must be unique in the list.")
            }
            guard let id = paths.ids.decrypt(wanted.image) else {
                throw Problem.badField("slots[\(position)].image", "is not an image's id.")
            }
            return id
        }
        let images = try await catalog.images(ids)
        var result: Slots = ([], [])
        for (wanted, id) in zip(slots, ids) {
            var image = images[id]
            if let scope, image != nil, try await !catalog.contains(id, in: scope) { image = nil }
            if let image {
                result.found.append((wanted.slot, image))
            } else {
                result.refused.append(.init(slot: wanted.slot, image: wanted.image))
            }
        }
        return result
    }

    // MARK: - Cancelling

    private func cancel(_ request: Request) async throws -> Response {
        // `navigator.sendBeacon` sends strings as text/plain.
        try request.requireMediaType("application/json", "text/plain")
        let bytes = try await request.body.collect(upTo: Self.maximumBody)
        let (session, named, count) = try await workQueue.run(for: request.client) {
            () async throws -> (SessionID, [Token]?, Int?) in
            let (session, named) = try await cancellation(bytes)
            return (session, named, isOwnedElsewhere(session) ? nil : cancel(named, in: session))
        }
        let cancelled: Int
        if let count {
            await tokens.revoked(in: session)
            cancelled = count
        } else {
            cancelled = try await forwardCancel(named, in: session, for: request.client)
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
        let tokens = try named.enumerated().map { position, text in
            guard let token = Token(text) else {
                throw Problem.badField("tokens[\(position)]", "is not a token issued by this server.")
            }
            return token
        }
        return (session, tokens)
    }

    private func forwardCancel(
        _ named: [Token]?, in session: SessionID, for client: Client
    ) async throws -> Int {
        let result = await withCheckedContinuation { continuation in
            forwarding.cancel(named, in: session, for: client) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let count): return count
        case .failure(.overloaded): throw Problem.tooManyRequestsAtOnce
        case .failure(.gone), .failure(.silent): throw Problem.ownerIsSilent
        }
    }
}

extension Problem {
    /// Nobody knows whether the owner node got the cancellation, so it is not acknowledged.
    static let ownerIsSilent = Problem(
        .serviceUnavailable, title: "The session cannot be reached",
        detail: "The node that owns it does not respond. Try again in a moment.", headers: [.retryAfter: "1"])
}

extension Request {
    /// Checks the body's media type and content coding (RFC 9110 §8.3, §8.4). A page of another origin can make a
    /// browser post forms and plain text here without permission, but not JSON.
    ///
    /// - Throws: A `Problem` with status 415.
    func requireMediaType(_ accepted: String...) throws(Problem) {
        guard headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
            throw Problem(
                .unsupportedMediaType, title: "The body's content coding is not supported",
                detail: "Send it without Content-Encoding.", headers: [.acceptEncoding: "identity"])
        }
        var claimed = headers[.contentType]?.prefix { $0 != ";" } ?? ""
        while let last = claimed.last, last == " " || last == "\t" { claimed.removeLast() }
        guard accepted.contains(claimed.lowercased()) else {
            throw Problem(
                .unsupportedMediaType, title: "The body has the wrong media type",
                detail: "Send \(accepted.joined(separator: " or ")) and say so in Content-Type.")
        }
    }
}
