import Accounts
import BlockingIO
import Catalog
import Clients
import EventLoops
import HTTPServer
import HTTPTypes
import Images
import Loading
import Renditions
import Scheduling

/// Responds with the bytes of one rendition: immediately from memory, or when the loader has them. A request with a
/// token gets bytes only while the token is alive.
struct RenditionRoute {
    let catalog: Catalog
    let loader: Loader
    let tokens: TokenRegistry
    let forwarded: ForwardedTokens
    let paths: RenditionPath
    let access: AccessControl
    let pace: ViewportRateLimiter
    private let heads: RenditionHeads
    private let formats = FormatChoice()

    init(
        catalog: Catalog, loader: Loader, tokens: TokenRegistry, forwarded: ForwardedTokens, paths: RenditionPath,
        access: AccessControl, pace: ViewportRateLimiter
    ) {
        self.catalog = catalog
        self.loader = loader
        self.tokens = tokens
        self.forwarded = forwarded
        self.paths = paths
        self.access = access
        self.pace = pace
        heads = RenditionHeads(isPrivate: access.accounts != nil)
    }

    func add(to router: inout Router) {
        router.get(RenditionPath.pattern, for: .picture, respond)
        router.immediate = { [self] request, address in respondImmediately(request, from: address) }
    }

    /// Responds to a plain request for a whole rendition in memory, if the URL names its version.
    @Sendable private func respondImmediately(
        _ request: borrowing PlainRequest, from address: ClientAddress
    ) -> ImmediateResponse? {
        guard let target = request.withTarget({ RenditionTarget(path: $0, query: $1) }), !target.rendition.isFile else {
            return nil
        }
        let image = paths.ids.decrypt(target.image)
        if let links = access.links {
            guard let link = target.link, links.opens(link, image, target.version, target.rendition) else { return nil }
        } else if target.link != nil {
            return nil
        }
        guard let format = formats.format(for: request, target.rendition),
            let bytes = loader.cached(
                image, version: target.version, rendition: target.rendition, format: format),
            !bytes.isStale, let head = heads.head(of: bytes, isNamed: true)
        else { return nil }
        pace.note(target.link.map { .account($0.account.number) } ?? .address(address))
        return ImmediateResponse(head: head, body: bytes.bytes, route: RenditionPath.pattern)
    }

    @Sendable private func respond(to request: Request, reply: Reply) {
        guard let id = request.parameters["id"].flatMap(paths.ids.decrypt) else {
            return reply.send(Problem.noSuchImage.response)
        }
        guard let rendition = request.parameters["rendition"].flatMap({ Rendition(name: $0) }) else {
            return reply.send(Problem.noSuchRendition.response)
        }
        do {
            let query = QueryReader(request)
            let version = try query.text("v").flatMap { ContentVersion($0) }
            let request = try access.admit(request, to: rendition, of: id, version)
            pace.note(request.client)
            if rendition == .original, let redaction = OriginalRedaction(for: request) {
                return answer(request, reply, id, version, redaction)
            }
            let token = try query.text("token")
            guard let scope = request.scope else {
                return try answer(request, reply, id, rendition, version, token: token)
            }
            answer(request, reply, id, rendition, version, token: token, within: scope)
        } catch {
            reply.send(Problem(describing: error).response)
        }
    }

    /// The same for somebody for whom only a part of the gallery exists. With a token, too: it may have been issued before
    /// the image left that part.
    private func answer(
        _ request: Request, _ reply: Reply, _ id: ImageID, _ rendition: Rendition, _ version: ContentVersion?,
        token: String?, within scope: View.Scope
    ) {
        run(for: request, reply) {
            try await catalog.require(id, in: scope)
            try answer(request, reply, id, rendition, version, token: token)
        }
    }

    /// Runs `body`, which asks the catalog and then replies, on the client's loop until the client disconnects. Replies with
    /// the problem if it throws.
    private func run(for request: Request, _ reply: Reply, _ body: @escaping @Sendable () async throws -> Void) {
        let task = Task(executorPreference: request.loop) {
            do {
                try await body()
            } catch let error as CatalogError {
                reply.send(Problem(error).response)
            } catch {
                reply.send(Problem(describing: error).response)
            }
        }
        reply.onDisconnect { task.cancel() }
    }

    private func answer(
        _ request: Request, _ reply: Reply, _ id: ImageID, _ rendition: Rendition, _ version: ContentVersion?,
        token text: String?
    ) throws {
        // HEAD does not use the token, but leaves it to the GET that follows.
        guard let text, request.method != .head else { return answer(request, reply, id, rendition, version) }
        guard let token = Token(text) else { throw Problem(ClaimRefusal.unknown) }
        answer(request, reply, id, rendition, with: token)
    }

    // MARK: - Without a token

    private func answer(
        _ request: Request, _ reply: Reply, _ id: ImageID, _ rendition: Rendition, _ version: ContentVersion?
    ) {
        let format = formats.format(for: request, rendition)
        if !rendition.isFile, let version,
            let bytes = loader.cached(id, version: version, rendition: rendition, format: format)
        {
            return send(bytes, rendition, version, reply, for: request)
        }
        // For a recently requested image the catalog knows the current version without waiting.
        if let image = catalog.recentImage(id) { return load(image, for: request, reply, rendition, format, version) }
        run(for: request, reply) {
            load(try await catalog.requireImage(id), for: request, reply, rendition, format, version)
        }
    }

    private func send(
        _ bytes: RenditionBytes, _ rendition: Rendition, _ version: ContentVersion?, _ reply: Reply,
        for request: Request
    ) {
        reply.send(
            heads.whole(bytes, isNamed: bytes.version == version, to: request)
                ?? delivery(request, rendition, version).response(with: .bytes(bytes)))
    }

    private func delivery(
        _ request: Request, _ rendition: Rendition, _ version: ContentVersion?, name: String? = nil
    ) -> Delivery {
        Delivery(
            request: request, rendition: rendition, asked: version, name: name, isPrivate: access.accounts != nil)
    }

    private func load(
        _ image: GalleryImage, for request: Request, _ reply: Reply, _ rendition: Rendition, _ format: OutputFormat,
        _ version: ContentVersion?
    ) {
        let delivery = delivery(request, rendition, version, name: image.name)
        let wanted = LoadRequest(
            image: image, rendition: rendition, format: format, named: version,
            bypassesNegativeCache: request.bypassesCaches)
        let start = loader.load(wanted, priority: .tokenlessRequest(of: request.client)) { result in
            // This runs on the loader's own thread; the response is built on the client's loop.
            request.loop.execute {
                switch result {
                case .success(let content): reply.send(delivery.response(with: content))
                case .failure(let failure): reply.send(Problem(failure).response)
                }
            }
        }
        switch start {
        case .cached(let bytes): send(bytes, rendition, version, reply, for: request)
        case .loading(let handle): reply.onDisconnect { handle.cancel() }
        }
    }

    // MARK: - Redacted originals

    /// Responds with an original without its metadata. No token is issued for one.
    private func answer(
        _ request: Request, _ reply: Reply, _ id: ImageID, _ version: ContentVersion?, _ redaction: OriginalRedaction
    ) {
        run(for: request, reply) {
            try await catalog.require(id, in: request.scope)
            load(try await catalog.requireImage(id), for: request, reply, version, redaction)
        }
    }

    private func load(
        _ image: GalleryImage, for request: Request, _ reply: Reply, _ version: ContentVersion?,
        _ redaction: OriginalRedaction
    ) {
        let delivery = delivery(request, .original, version, name: image.name)
        let priority = Priority.tokenlessRequest(of: request.client)
        // Metadata can be found only in a complete file.
        let wanted = LoadRequest(
            image: image, rendition: .original, format: .jpeg, named: version,
            bypassesNegativeCache: request.bypassesCaches, needsWholeOriginal: true)
        let start = loader.load(wanted, priority: priority) { result in
            request.loop.execute {
                switch result {
                case .failure(let failure): reply.send(Problem(failure).response)
                case .success(let content):
                    let work = redaction.begin(content, priority: priority) { redacted in
                        request.loop.execute {
                            switch redacted {
                            case .success(let original): reply.send(delivery.response(with: original))
                            case .failure(let problem): reply.send(problem.response)
                            }
                        }
                    }
                    if let work { reply.onDisconnect { work.cancel() } }
                }
            }
        }
        switch start {
        case .cached: reply.send(Problem.notRedactable.response)
        case .loading(let handle): reply.onDisconnect { handle.cancel() }
        }
    }

    // MARK: - With a token

    private func answer(
        _ request: Request, _ reply: Reply, _ id: ImageID, _ rendition: Rendition, with token: Token
    ) {
        guard token.ownerNode == tokens.node || forwarded.isSingleNode else {
            return answer(request, reply, id, rendition, forwarding: token)
        }
        let delivery = Delivery(request: request, rendition: rendition, token: (token, tokens))
        tokens.claim(token, image: id, rendition: rendition) { outcome in
            request.loop.execute { send(outcome, delivery, reply) }
        }
        reply.onDisconnect { tokens.finish(token, .cancelled) }
    }

    /// Responds to a token that another node issued.
    private func answer(
        _ request: Request, _ reply: Reply, _ id: ImageID, _ rendition: Rendition, forwarding token: Token
    ) {
        run(for: request, reply) {
            let image = try await catalog.requireImage(id)
            let claim = forwarded.claim(token, image: image, rendition: rendition, client: request.client) {
                claim, outcome in
                request.loop.execute {
                    let delivery = Delivery(request: request, rendition: rendition, token: (token, claim))
                    send(outcome, delivery, reply)
                }
            }
            reply.onDisconnect { claim.finish(token, .cancelled) }
        }
    }

    private func send(_ outcome: TokenRegistry.Outcome, _ delivery: Delivery, _ reply: Reply) {
        switch outcome {
        case .content(let content): reply.send(delivery.response(with: content))
        case .failed(let failure): reply.send(Problem(failure).response)
        case .cancelled: reply.send(.dropped)
        case .refused(let refusal): reply.send(Problem(refusal).response)
        }
    }
}

extension Priority {
    /// The priority of a request without a token. Such requests of a client form one flow beside the flows of its
    /// sessions, in the sequence in which they arrive. If a session waits for the same load, the load counts for the
    /// session.
    static func tokenlessRequest(of client: Client) -> Priority {
        Priority(level: .visible, viewport: 0, distance: 0, flow: Flow(of: client))
    }
}

extension Problem {
    static let noSuchRendition = Problem(
        .notFound, title: "No such rendition", detail: "There are \(Rendition.words).")
}

extension Response {
    /// The token was cancelled before anything was sent: there is no body, and the connection stays open.
    static let dropped = Response(
        status: .noContent, headers: [.tesseraDropped: "cancelled", .cacheControl: "no-store"])
}

extension HTTPField.Name {
    static let tesseraDropped = Self("Tessera-Dropped")!
}

extension Request {
    /// Whether the user reloads the page (RFC 9111 §5.2.1.4): then the negative cache is bypassed.
    var bypassesCaches: Bool {
        headers[.cacheControl]?.lowercased().contains("no-cache") ?? false
    }
}
