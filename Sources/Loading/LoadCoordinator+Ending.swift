import BlockingIO
import Images
import Logging
import Renditions
import Scheduling

extension LoadCoordinator {
    func fail(_ job: Machine.JobID, _ failure: LoadFailure, version: ContentVersion?) {
        guard let request = contexts[job]?.request else { return }
        let subject = NegativeCache.Subject(request, version: request.image.failing(version))
        failures.remember(failure, of: subject, now: time.uptime())
        contexts[job]?.share.failsEverywhere = failure.isPermanent && version != nil
        // A rendition with all pixels may fail although the original is fine.
        guard request.image.location.isFetched, failure.isPermanent, version != nil, !request.rendition.hasAllPixels
        else {
            return finish(job, .failure(failure))
        }
        // Drop the original before delivering the failure, so that a caller that then tries again fetches the origin's
        // current content. On a pool thread, since the disk may block.
        let image = request.image.id
        pools.spool.submit(priority: Self.soon) { [weak self, stages] in
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

    /// Stores a finished pyramid, even if nobody waits for it any more.
    func take(
        _ draft: PyramidDraft,
        then next: @escaping @Sendable (LoadCoordinator, Result<OriginalFile, LoadFailure>) -> Void
    ) {
        pools.pyramids.submit(priority: Self.soon) { [weak self, stages] in
            let result = Result { () throws(LoadFailure) in try stages.pyramids.take(draft) }
            self?.on {
                if case .success = result { $0.counts.pyramidsKept += 1 }
                next($0, result)
            }
        }
    }

    /// The priority of the cleanup after a failure; a waiter is waiting for it.
    static let soon = Priority(level: .visible, viewport: 0, distance: 0)

    func finish(_ job: Machine.JobID, _ result: Result<LoadedContent, LoadFailure>) {
        if case .failure(let failure) = result {
            counts.failures += 1
            log(failure, of: contexts[job]?.request)
        }
        let context = contexts.removeValue(forKey: job)
        context?.partialDecode?.cancel()
        switch result {
        case .success: context?.trace?.end(.answered)
        case .failure(let failure): context?.trace?.end(.failed(failure))
        }
        let request = context?.request
        let (ended, effects) = machine.finish(job)
        perform(effects)
        let leaving = ended.filter { waiters.remove($0) }
        if case .success(.bytes(let tile)) = result, let request, request.isPrefill,
            leaving.contains(where: { !$0.isPrefill })
        {
            remember(tile, of: request)
        }
        for waiter in leaving { waiter.answer(result) }
        if let context { endLease(of: context, result) }
    }

    private func log(_ failure: LoadFailure, of request: LoadRequest?) {
        guard let request else { return }
        configuration.logger.warning(
            "An image cannot be displayed.",
            metadata: [
                "image": "\(request.image.id)", "name": "\(request.image.name)",
                "rendition": "\(request.rendition.rawValue)", "status": "\(failure.status)",
                "message": "\(failure.publicMessage)", "detail": "\(failure.logDetail)",
            ])
    }

    // MARK: - Stopping

    func stopAll() {
        isStopped = true
        for waiter in waiters.all {
            perform(machine.leave(waiter))
            waiters.remove(waiter)
            waiter.answer(.failure(.shuttingDown))
        }
        for fetch in fetches.values { fetch.cancel() }
        for spool in spools.values { spool.end(.failed(.shuttingDown)) }
        fetches = [:]
        inFlightOriginals.clear()
        spools = [:]
        prefixes = [:]
        parkedFetches = []
        for context in contexts.values {
            context.render?.cancel()
            context.partialDecode?.cancel()
            context.share.lease?.end(.abandoned)
            context.trace?.end(.failed(.shuttingDown))
        }
        contexts = [:]
        nodeRequests = [:]
        // Otherwise callers that still read a partial original would keep it, and through it the loader, alive.
        machine = Machine()
    }
}

extension GalleryImage {
    /// The image's own content version; nil if the original is fetched, because then only its origin knows.
    var ownVersion: ContentVersion? { location.isFetched ? nil : version }

    /// The content version that a failure belongs to: the opened one for a file, the one in the bucket listing for an
    /// object, and nil for other remote images, whose version is unknown before the fetch.
    func failing(_ opened: ContentVersion? = nil) -> ContentVersion? {
        switch location {
        case .file: opened ?? version
        case .object: version
        case .remote: nil
        }
    }
}

extension ImageLocation {
    /// The URL of a remote original, and whether the request is signed with the operator's credentials; nil for a local
    /// file.
    var fetched: (url: String, isSigned: Bool)? {
        switch self {
        case .file: nil
        case .remote(let url): (url, false)
        case .object(_, _, let url): (url, true)
        }
    }

    /// Whether the original must be fetched before it can be opened.
    var isFetched: Bool { fetched != nil }
}
