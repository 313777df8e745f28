import Catalog
import EventLoops
import HTTPServer
import Images
import Loading

/// What a stream knows of the catalog: which view its slots are of, and what stands in them.
extension StreamSession {
    struct Told: Equatable {
        var view = ""
        var revision: UInt64
        var total: Int
    }

    /// The view that a client named, by its text; nil where the text names none: then there is nothing in it.
    struct ShownView {
        var text = ""
        var view: View? = .plain
    }

    func watchCatalog() {
        watch = socket?.loop.schedule(after: Self.watchInterval) { [weak self] in
            guard let self, let session else { return }
            services.tokens.keepOpen(session)
            lookAtCatalog()
            read()
            waiting = tokensKeptWaiting()
            // A page at rest costs nothing: whatever else may be sent wakes the socket itself.
            if told != standing || waiting != toldWaiting { socket?.wake() }
            watchCatalog()
        }
    }

    var standing: Told { Told(view: view.text, revision: plan.revision, total: plan.total) }

    /// Nothing that stands in the slots is right any more.
    func change(to text: String) {
        view = ShownView(text: text, view: try? View(text: text))
        reading?.cancel()
        reading = nil
        settle(plan.leave())
        lookAtCatalog()
    }

    /// Learns what the order of the view is by now.
    func lookAtCatalog() {
        guard let socket, let wanted = view.view else { return }
        guard !wanted.isPlain else {
            let standing = services.catalog.standing
            settle(plan.adopt(revision: standing.revision, total: standing.total))
            return
        }
        guard looking == nil || plan.revision == 0 else { return }
        looking = Task(executorPreference: socket.loop) { [self] in
            let standing = try? await services.catalog.standing(of: wanted)
            // The client may have gone on to another view, or gone.
            guard session != nil, view.view == wanted else { return }
            looking = nil
            guard let standing else { return }
            adopt(revision: standing.revision, total: standing.total)
            read()
            socket.wake()
        }
    }

    /// - Postcondition: what there is now is shown, where nothing was known before.
    func adopt(revision: UInt64, total: Int) {
        let isFirst = plan.revision == 0
        settle(plan.adopt(revision: revision, total: total))
        if isFirst, let shown { settle(plan.show(shown, at: services.now)) }
    }

    /// Of slots that the client was told of.
    func tokensKeptWaiting() -> [Token] {
        let waiting = loads.filter { piece, _ in
            guard let showing = plan.showings[piece.slot], showing.isTold else { return false }
            return services.loader.originSilence(of: showing.image).map { $0 >= Self.patience } ?? false
        }
        // Preview and tile of a slot have one token.
        let bySlot = Dictionary(waiting.map { ($0.key.slot, $0.value.token) }) { first, _ in first }
        return bySlot.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Reads what stands in the slots that matter most now, one run after the other.
    func read() {
        guard let socket, reading == nil, let run = plan.unread(at: services.now), !run.isEmpty else { return }
        guard let wanted = view.view else { return }
        reading = Task(executorPreference: socket.loop) { [self] in
            let page = try? await services.catalog.page(
                offset: run.lowerBound, limit: run.count, of: wanted, for: .view)
            // What was read of a view that was left is read for nobody.
            guard view.view == wanted else { return }
            reading = nil
            guard session != nil, let page else { return }
            adopt(revision: page.revision, total: page.total)
            settle(plan.know(page.images, from: page.offset))
            socket.wake()
            // What a page does not have is asked for again when the catalog is looked after, and not at once.
            if page.images.count == run.count { read() }
        }
    }
}
