import Images
import Logging
import Renditions
import Scheduling

extension LoadCoordinator {
    func fail(_ job: LoadMachine.JobID, _ failure: LoadFailure, version: ContentVersion?) {
        guard let request = contexts[job]?.request else { return }
        let subject = FailureMemory.Subject(request, version: request.image.failing(version))
        failures.remember(failure, of: subject, now: time.uptime())
        contexts[job]?.share.failsEverywhere = failure.isPermanent && version != nil
        // What comes of all pixels says nothing of the original.
        guard request.image.location.isFetched, failure.isPermanent, version != nil, !request.rendition.hasAllPixels
        else {
            return finish(job, .failure(failure))
        }
        // Whoever hears of it and tries again gets what the origin has then: so it is told when the original is gone.
        // Dropped on a lane, since the disk may block.
        let image = request.image.id
        lanes.spool.submit(BlockingLane.newWork(), priority: Self.soon) { [weak self, stages] in
            stages.originals.forget(image)
            self?.on { coordinator in
                guard coordinator.contexts[job] != nil else { return }
                coordinator.finish(job, .failure(failure))
            }
        }
    }

    func remember(_ tile: RenditionBytes, of request: LoadRequest) {
        let key = TileKey(of: tile, as: request.rendition, image: request.image.id, format: request.format)
        var tile = tile
        tile.isStale = false
        stages.memory.insert(tile, for: key)
    }

    /// Keeps what was made, also when nobody waits for it any more: it is there now.
    func take(
        _ draft: PyramidDraft,
        then next: @escaping @Sendable (LoadCoordinator, Result<OriginalFile, LoadFailure>) -> Void
    ) {
        lanes.pyramids.submit(BlockingLane.newWork(), priority: Self.soon) { [weak self, stages] in
            let result = Result { () throws(LoadFailure) in try stages.pyramids.take(draft) }
            self?.on {
                if case .success = result { $0.counts.pyramidsKept += 1 }
                next($0, result)
            }
        }
    }

    /// Somebody waits for the end of what has failed.
    static let soon = Priority(lane: .visible, viewport: 0, distance: 0)

    func finish(_ job: LoadMachine.JobID, _ result: Result<LoadedContent, LoadFailure>) {
        if case .failure(let failure) = result {
            counts.failures += 1
            log(failure, of: contexts[job]?.request)
        }
        let context = contexts.removeValue(forKey: job)
        context?.glimpse?.cancel()
        switch result {
        case .success: context?.trace?.end(.answered)
        case .failure(let failure): context?.trace?.end(.failed(failure))
        }
        let request = context?.request
        let (ended, effects) = machine.finish(job)
        perform(effects)
        let leaving = ended.compactMap { waiters.remove($0) }
        if case .success(.bytes(let tile)) = result, let request, request.isForLater,
            leaving.contains(where: { !$0.isForLater })
        {
            remember(tile, of: request)
        }
        for waiter in leaving { waiter.answer(result) }
        if let context { endTurn(of: context, result) }
    }

    private func log(_ failure: LoadFailure, of request: LoadRequest?) {
        guard let request else { return }
        configuration.logger.warning(
            "A picture cannot be shown.",
            metadata: [
                "image": "\(request.image.id)", "name": "\(request.image.name)",
                "rendition": "\(request.rendition.rawValue)", "status": "\(failure.status)",
                "message": "\(failure.publicMessage)", "detail": "\(failure.logDetail)",
            ])
    }

    // MARK: - Stopping

    func stopAll() {
        isStopped = true
        for id in waiters.ids {
            perform(machine.leave(id))
            waiters.remove(id)?.answer(.failure(.shuttingDown))
        }
        for fetch in fetches.values { fetch.cancel() }
        for spool in spools.values { spool.end(.failed(.shuttingDown)) }
        fetches = [:]
        arrivals.clear()
        spools = [:]
        beginnings = [:]
        for context in contexts.values {
            context.render?.cancel()
            context.glimpse?.cancel()
            context.share.turn?.end(.gaveUp)
            context.trace?.end(.failed(.shuttingDown))
        }
        contexts = [:]
        wishes = [:]
    }
}

extension GalleryImage {
    /// The content that it has; nil where it is fetched, for then its origin tells.
    var ownVersion: ContentVersion? { location.isFetched ? nil : version }

    /// The content that a failure is of: of a file the one that was opened, of an object the one that its bucket's listing
    /// has; nil where nobody tells before it is asked for.
    func failing(_ opened: ContentVersion? = nil) -> ContentVersion? {
        switch location {
        case .file: opened ?? version
        case .object: version
        case .remote: nil
        }
    }
}

extension ImageLocation {
    /// The folder source that a local file lies in.
    var folder: Int? {
        if case .file(let folder, _) = self { folder } else { nil }
    }

    /// Where an original is fetched from, and whether in the operator's name; nil for a file, which is opened.
    var fetched: (url: String, isSigned: Bool)? {
        switch self {
        case .file: nil
        case .remote(let url): (url, false)
        case .object(_, _, let url): (url, true)
        }
    }

    /// Whether the original has to be fetched before it can be opened.
    var isFetched: Bool { fetched != nil }
}
