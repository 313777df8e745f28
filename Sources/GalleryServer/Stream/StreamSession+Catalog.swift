import Accounts
import Catalog
import Encodings
import EventLoops
import HTTPServer
import Images
import Loading

/// The catalog as a stream sees it: the view that its slots belong to, and the images in those slots.
extension StreamSession {
    struct Announced: Equatable {
        var view = ExactText("")
        var revision: UInt64
        var total: Int
    }

    /// The view that the client named, with its text. `view` is nil if the text is not a valid view; such a view is
    /// empty.
    struct DisplayedView {
        var text = ""
        var view: View? = .plain
    }

    func scheduleCatalogCheck() {
        watch = socket?.loop.schedule(after: Self.watchInterval) { [weak self] in
            guard let self, let session else { return }
            services.tokens.keepOpen(session)
            // A session may have run out.
            endIfRevoked()
            checkCatalog()
            read()
            waiting = tokensOfSilentOrigins()
            // An idle page costs nothing: everything else that can be sent wakes the socket itself.
            if announced != currentState || waiting != announcedWaiting { socket?.wake() }
            scheduleCatalogCheck()
        }
    }

    var currentState: Announced { Announced(view: ExactText(view.text), revision: plan.revision, total: plan.total) }

    /// The view with this text, in the part of the gallery that exists for the visitor; nil for a text that is none, or a
    /// search that the share does not offer.
    static func view(_ text: String, within visit: ShareVisit?) -> View? { (try? View(text: text))?.within(visit) }

    /// Switches to another view, which invalidates the images of all slots.
    func change(to text: String) {
        view = DisplayedView(text: text, view: Self.view(text, within: visit))
        reading?.cancel()
        reading = nil
        catalogCheck?.cancel()
        catalogCheck = nil
        settle(plan.leave())
        checkCatalog()
    }

    /// Fetches the present revision and total of the view's order.
    func checkCatalog() {
        guard let socket, let wanted = view.view else { return }
        guard !wanted.isPlain else {
            let currentState = services.catalog.revisionAndTotal
            settle(plan.adopt(revision: currentState.revision, total: currentState.total))
            return
        }
        guard catalogCheck == nil else { return }
        catalogCheck = Task(executorPreference: socket.loop) { [self] in
            let currentState = try? await inTurn(for: wanted) { [services] in
                try await services.catalog.revisionAndTotal(of: wanted)
            }
            // The client may have switched to another view or closed the stream.
            guard !Task.isCancelled else { return }
            catalogCheck = nil
            guard let currentState else { return }
            adopt(revision: currentState.revision, total: currentState.total)
            read()
            socket.wake()
        }
    }

    /// Takes a new revision and total. If no order was known before, the present viewport can be served only now.
    func adopt(revision: UInt64, total: Int) {
        let isFirst = plan.revision == 0
        settle(plan.adopt(revision: revision, total: total))
        if isFirst, let displayed { settle(plan.show(displayed, at: services.now)) }
    }

    /// The tokens of announced slots whose origin has been silent for longer than ``originSilenceLimit``.
    func tokensOfSilentOrigins() -> [Token] {
        // The preview and the tile of a slot share one token.
        let loading = Set(plan.loads.keys.map(\.slot)).sorted()
        return loading.compactMap { slot in
            guard let display = plan.displays[slot], display.isAnnounced,
                let silence = services.loader.originSilence(of: display.image), silence >= Self.originSilenceLimit
            else { return nil }
            return display.token
        }
    }

    /// Clients take turns at building orders, which takes a large part of a second for millions of images. An order that
    /// exists costs little, so a page that only keeps itself up to date takes no turn.
    private func inTurn<Value: Sendable>(
        for view: View, _ read: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard !services.catalog.hasOrder(of: view) else { return try await read() }
        return try await services.workQueue.run(for: client, read)
    }

    /// Reads the images of the slots that matter most now, one run of slots at a time.
    func read() {
        guard let socket, reading == nil, let run = plan.unreadRun(at: services.now), !run.isEmpty else { return }
        guard let wanted = view.view else { return }
        reading = Task(executorPreference: socket.loop) { [self] in
            let page = try? await inTurn(for: wanted) { [services] in
                try await services.catalog.page(offset: run.lowerBound, limit: run.count, of: wanted, for: .view)
            }
            // The client has switched views: discard this page.
            guard !Task.isCancelled, view.view == wanted else { return }
            reading = nil
            guard session != nil, let page else { return }
            adopt(revision: page.revision, total: page.total)
            settle(plan.setImages(page.images, from: page.offset))
            socket.wake()
            // After a short page, wait for the next check of the catalog instead of reading again at once.
            if page.images.count == run.count { read() }
        }
    }
}
