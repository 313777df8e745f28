import Catalog
import Clients
import EventLoops
import HTTPServer
import HTTPTypes
import Images
import Loading
import Renditions
import Scheduling

/// The bytes of one rendition: at once from memory, or when the loader has them; with a token, only while it lives.
struct RenditionRoute {
    let catalog: Catalog
    let loader: Loader
    let tokens: TokenBook
    let borrowed: BorrowedTokens
    private let heads = RenditionHeads()
    private let formats = FormatChoice()

    init(catalog: Catalog, loader: Loader, tokens: TokenBook, borrowed: BorrowedTokens) {
        self.catalog = catalog
        self.loader = loader
        self.tokens = tokens
        self.borrowed = borrowed
    }

    func add(to router: inout Router) {
        router.get(RenditionPath.pattern, respond)
        router.onTheSpot = { [self] request, _ in answerOnTheSpot(request) }
    }

    /// A rendition in memory of the content that the URL names, to whoever wants the whole of it.
    @Sendable private func answerOnTheSpot(_ request: borrowing PlainRequest) -> AnswerOnTheSpot? {
        guard let target = request.withTarget({ RenditionTarget(path: $0, query: $1) }), !target.rendition.isFile,
            let format = formats.format(for: request, target.rendition),
            let bytes = loader.cached(
                target.image, version: target.version, rendition: target.rendition, format: format),
            !bytes.isStale, let head = heads.head(of: bytes, target.rendition, isNamed: true)
        else { return nil }
        return AnswerOnTheSpot(head: head, body: bytes.bytes)
    }

    @Sendable private func respond(to request: Request, reply: Reply) {
        guard let id = request.parameters["id"].flatMap({ ImageID($0) }) else {
            return reply.send(Problem.noSuchImage.response)
        }
        guard let rendition = request.parameters["rendition"].flatMap({ Rendition(name: $0) }) else {
            return reply.send(Problem.noSuchRendition.response)
        }
        do {
            let query = QueryReader(request)
            let version = try query.text("v").flatMap { ContentVersion($0) }
            // HEAD asks what there is, and leaves the token to the GET that follows.
            if let text = try query.text("token"), request.method != .head {
                guard let token = Token(text) else { throw Problem(ClaimRefusal.unknown) }
                return answer(request, reply, id, rendition, bearing: token)
            }
            answer(request, reply, id, rendition, version)
        } catch {
            reply.send(Problem(describing: error).response)
        }
    }

    // MARK: - Without a token

    private func answer(
        _ request: Request, _ reply: Reply, _ id: ImageID, _ rendition: Rendition, _ version: ContentVersion?
    ) {
        let format = formats.format(for: request, rendition)
        if !rendition.isFile, let bytes = fromMemory(id, rendition, format, version, for: request) {
            let isNamed = bytes.version == version
            return reply.send(
                heads.whole(bytes, rendition, isNamed: isNamed, to: request)
                    ?? Delivery(request: request, rendition: rendition, asked: version).response(with: .bytes(bytes)))
        }
        let task = Task(executorPreference: request.loop) {
            do {
                guard let image = try await catalog.image(id) else { throw Problem.noSuchImage }
                load(image, for: request, reply, rendition, format, version)
            } catch let error as CatalogError {
                reply.send(Problem(error).response)
            } catch {
                reply.send(Problem(describing: error).response)
            }
        }
        reply.onDisconnect { task.cancel() }
    }

    /// What can be answered on the loop at once: the content that the URL names, or else the present one of an image that
    /// was asked for lately.
    private func fromMemory(
        _ id: ImageID, _ rendition: Rendition, _ format: OutputFormat, _ version: ContentVersion?,
        for request: Request
    ) -> RenditionBytes? {
        if let version,
            let bytes = loader.cached(id, version: version, rendition: rendition, format: format)
        {
            return bytes
        }
        guard !request.insistsOnNew, let image = catalog.recentImage(id) else { return nil }
        return loader.cached(LoadRequest(image: image, rendition: rendition, format: format))
    }

    private func load(
        _ image: GalleryImage, for request: Request, _ reply: Reply, _ rendition: Rendition, _ format: OutputFormat,
        _ version: ContentVersion?
    ) {
        let delivery = Delivery(request: request, rendition: rendition, asked: version, name: image.name)
        let wanted = LoadRequest(
            image: image, rendition: rendition, format: format, named: version,
            bypassNegativeCache: request.insistsOnNew)
        let handle = loader.load(wanted, priority: .loneRequest(of: request.client)) { result in
            // The loader decides for all on the thread that this runs on: the answer is made on the client's loop.
            request.loop.execute {
                switch result {
                case .success(let content): reply.send(delivery.response(with: content))
                case .failure(let failure): reply.send(Problem(failure).response)
                }
            }
        }
        reply.onDisconnect { handle.cancel() }
    }

    // MARK: - With a token

    private func answer(
        _ request: Request, _ reply: Reply, _ id: ImageID, _ rendition: Rendition, bearing token: Token
    ) {
        guard token.home == tokens.node || borrowed.isAlone else {
            return answer(request, reply, id, rendition, borrowing: token)
        }
        let delivery = Delivery(request: request, rendition: rendition, token: (token, tokens))
        tokens.claim(token, image: id, rendition: rendition) { outcome in
            request.loop.execute { send(outcome, delivery, reply) }
        }
        reply.onDisconnect { tokens.finish(token, .cancelled) }
    }

    /// The token is of another node, and this one answers for it.
    private func answer(
        _ request: Request, _ reply: Reply, _ id: ImageID, _ rendition: Rendition, borrowing token: Token
    ) {
        let task = Task(executorPreference: request.loop) {
            do {
                guard let image = try await catalog.image(id) else { throw Problem.noSuchImage }
                let claim = borrowed.claim(token, image: image, rendition: rendition, client: request.client) {
                    claim, outcome in
                    request.loop.execute {
                        let delivery = Delivery(request: request, rendition: rendition, token: (token, claim))
                        send(outcome, delivery, reply)
                    }
                }
                reply.onDisconnect { claim.finish(token, .cancelled) }
            } catch let error as CatalogError {
                reply.send(Problem(error).response)
            } catch {
                reply.send(Problem(describing: error).response)
            }
        }
        reply.onDisconnect { task.cancel() }
    }

    private func send(_ outcome: TokenBook.Outcome, _ delivery: Delivery, _ reply: Reply) {
        switch outcome {
        case .content(let content): reply.send(delivery.response(with: content))
        case .failed(let failure): reply.send(Problem(failure).response)
        case .cancelled: reply.send(.dropped)
        case .refused(let refusal): reply.send(Problem(refusal).response)
        }
    }
}

extension Priority {
    /// Of a picture that somebody waits for without a token. Whatever a client asks for in this way has turns among those
    /// of its sessions, in the order in which it is asked for; where a session wants the same, it counts for the session.
    static func loneRequest(of client: Client) -> Priority {
        Priority(lane: .visible, viewport: 0, distance: 0, flow: Flow(of: client))
    }
}

extension Problem {
    static let noSuchRendition = Problem(
        .notFound, title: "No such rendition", detail: "There are \(Rendition.words).")
}

extension Response {
    /// The token was cancelled before anything was sent: no body, and the connection lives on.
    static let dropped = Response(
        status: .noContent, headers: [.tesseraDropped: "cancelled", .cacheControl: "no-store"])
}

extension HTTPField.Name {
    static let tesseraDropped = Self("Tessera-Dropped")!
}

extension Request {
    /// A reload by hand (RFC 9111 §5.2.1.4): a failure that is remembered is not good enough.
    var insistsOnNew: Bool {
        headers[.cacheControl]?.lowercased().contains("no-cache") ?? false
    }
}
