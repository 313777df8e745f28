import Images
import Scheduling

extension LoadCoordinator {
    /// What a job has to do with other machines.
    struct Share {
        /// What it is called among them.
        var name: SharedName?
        var turn: (any Turn)?
        /// Of the turn, once it is this machine's.
        var fence: UInt64?
        /// How often the turn was asked for.
        var rounds = 0
        /// What was learnt by the render.
        var facts: ImageFacts?
        /// Its failure would be met elsewhere in the same way.
        var failsEverywhere = false
    }

    /// A rendition that others have made, but that cannot be found, is asked for so often; then it is made here as well.
    private static let mostRounds = 4

    /// What the caches of this machine do not have: perhaps another's do, or another is making it.
    func shareOrGoOn(_ job: LoadMachine.JobID) {
        guard let context = contexts[job] else { return }
        guard !coordination.isAlone || tier.servesAlone, context.share.turn == nil, let name = context.sharedName
        else { return goOn(job) }
        contexts[job]?.share.name = name
        perform(machine.share(job))
    }

    /// Makes it, from what there is or from the original.
    private func goOn(_ job: LoadMachine.JobID) {
        guard let context = contexts[job] else { return }
        let needsOriginal = context.request.image.location.isFetched && context.ground == nil
        if needsOriginal { needOriginal(job) } else { perform(machine.prepare(job)) }
    }

    func share(_ job: LoadMachine.JobID, _ priority: Priority, on occasion: LookOccasion = .first) {
        guard let context = contexts[job], let name = context.share.name else { return goOn(job) }
        tier.find(name, listed: context.listedVersion, on: occasion) { [weak self] found in
            self?.on { $0.looked(job, name, priority, found) }
        }
    }

    private func looked(
        _ job: LoadMachine.JobID, _ name: SharedName, _ priority: Priority, _ found: SharedRendition?
    ) {
        guard let context = contexts[job] else { return }
        if let found, context.isCurrent(found.tile) {
            counts.sharedHits += 1
            contexts[job]?.share = Share()
            context.share.turn?.end(.made)
            adopt(found, context.request)
            return finish(job, .success(.bytes(found.tile)))
        }
        guard !coordination.isAlone, context.share.fence == nil, context.share.rounds < Self.mostRounds
        else { return goOn(job) }
        contexts[job]?.share.rounds += 1
        let image = context.request.image
        contexts[job]?.share.turn = coordination.ask(
            name, urgency: priority.lane, insists: context.request.bypassNegativeCache
        ) { [weak self] news in
            self?.on { $0.heard(news, by: job, priority, image) }
        }
    }

    private func heard(
        _ news: TurnNews, by job: LoadMachine.JobID, _ priority: Priority, _ image: GalleryImage
    ) {
        switch news {
        case .wanted(let name, let urgency): return makeForOthers(name, of: image, urgency)
        case .unwanted(let name):
            wishes.removeValue(forKey: name)?.cancel()
            return
        case .mine, .made, .failed, .alone: break
        }
        guard contexts[job] != nil else { return }
        switch news {
        case .mine(let fence):
            // Between the look and the turn another may have made it.
            contexts[job]?.share.fence = fence
            share(job, priority, on: .again)
        case .made:
            contexts[job]?.share.turn = nil
            share(job, priority, on: .made)
        case .failed(let failure):
            contexts[job]?.share.turn = nil
            fail(job, failure, version: image.ownVersion)
        case .alone, .wanted, .unwanted:
            contexts[job]?.share.turn = nil
            goOn(job)
        }
    }

    /// Takes in what another machine has made, as if it had been made here.
    private func adopt(_ shared: SharedRendition, _ request: LoadRequest) {
        stages.adopt(shared, request)
        guard let original = shared.original, case .remote(let url) = request.image.location else { return }
        let kept = original.kept(of: request.image.id, url: url)
        lanes.spool.submit(BlockingLane.newWork(), priority: .background) { [stages] in stages.originals.note(kept) }
    }

    /// Ends the turn of a job that has ended, once what it made can be found.
    func endTurn(of context: Context, _ result: Result<LoadedContent, LoadFailure>) {
        let turn = context.share.turn
        // Without a turn there is no number, and no word of what a remote original is.
        guard let name = context.share.name, let fence = context.share.fence ?? (tier.servesAlone ? 0 : nil) else {
            turn?.end(.gaveUp)
            return
        }
        switch result {
        case .success(.bytes(let tile)) where context.mayTell(tile):
            let isOfTurn = context.share.fence != nil
            let original = isOfTurn && context.request.image.location.isFetched ? context.kept : nil
            let shared = SharedRendition(
                tile: tile, original: original.map { SharedOriginal($0, facts: context.share.facts) })
            tier.keep(shared, as: name, listed: context.listedVersion, fence: fence) { isKept in
                turn?.end(isKept ? .made : .gaveUp)
            }
        case .failure(let failure) where context.share.failsEverywhere: turn?.end(.failed(failure))
        case .success, .failure: turn?.end(.gaveUp)
        }
    }

    // MARK: - For others

    /// Loads what other machines wait for while this one has the turn, as if somebody asked here: who leaves here then
    /// takes it from nobody there.
    private func makeForOthers(_ name: SharedName, of image: GalleryImage, _ urgency: Priority.Lane) {
        let priority = Priority(lane: urgency, viewport: 0, distance: 0)
        if let wish = wishes[name] { return wish.reprioritise(priority) }
        guard !isStopped else { return }
        counts.wishes += 1
        // Counted from the other end than those who ask here.
        let waiter = LoadWaiter(id: .max - UInt64(counts.wishes), coordinator: self) { [weak self] result in
            self?.on { $0.madeForOthers(name, result) }
        }
        wishes[name] = waiter
        let request = LoadRequest(image: image, rendition: name.rendition, format: name.format)
        begin(waiter, request, priority)
    }

    /// Where the caches had it, no turn has told of it. What they do not keep is for nobody else either.
    private func madeForOthers(
        _ name: SharedName, _ result: Result<LoadedContent, LoadFailure>
    ) {
        guard wishes.removeValue(forKey: name) != nil else { return }
        guard case .success(.bytes(let tile)) = result, !tile.isStale else { return }
        let key = TileKey(of: tile, as: name.rendition, image: name.image, format: name.format)
        guard stages.memory.rendition(key, version: tile.version) != nil else { return }
        // No number: of the original this says nothing.
        tier.keep(SharedRendition(tile: tile), as: name, listed: nil, fence: 0) { [coordination] isKept in
            if isKept { coordination.tell(made: name) } else { coordination.tell(unshared: name) }
        }
    }
}

extension LoadCoordinator.Context {
    /// Nil for what is not shared. Whoever has a remote original at hand does not wait for one that fetches it: the name is
    /// that of its content.
    fileprivate var sharedName: SharedName? {
        guard let name = SharedName(request), case .source(let source) = ground else { return SharedName(request) }
        return SharedName(image: name.image, version: source.version, rendition: name.rendition, format: name.format)
    }

    /// Of an object: what its bucket's listing says that it is.
    fileprivate var listedVersion: ContentVersion? {
        if case .object = request.image.location { request.image.version } else { nil }
    }

    /// Whether what others have made is of the content that is known to be there: of an object its bucket's listing says it.
    fileprivate func isCurrent(_ tile: RenditionBytes) -> Bool {
        listedVersion.map { tile.version == $0 } ?? true
    }

    /// Whether others may have what was made: it is current, and its origin lets it be kept.
    fileprivate func mayTell(_ tile: RenditionBytes) -> Bool {
        guard !tile.isStale else { return false }
        switch ground {
        case .source(let source): return source.mayStore && (!request.image.location.isFetched || kept != nil)
        case .kept(_, let originFailure): return originFailure == nil
        case nil: return !request.image.location.isFetched && tile.version == request.image.version
        }
    }
}
