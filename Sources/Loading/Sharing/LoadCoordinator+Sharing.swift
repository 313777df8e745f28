import BlockingIO
import Images
import Scheduling

extension LoadCoordinator {
    /// The state of a job's work with other nodes.
    struct Share {
        /// The name of the rendition between nodes.
        var name: SharedName?
        var lease: (any Lease)?
        /// The fencing number of the lease, once this node holds it.
        var fence: UInt64?
        /// How many times the job has requested the lease.
        var rounds = 0
        /// The metadata that the render produced.
        var metadata: ImageMetadata?
        /// Whether the failure would be the same on any node.
        var failsEverywhere = false
    }

    /// The limit of lease requests for a rendition that other nodes made but that cannot be found. After that, this
    /// node makes it as well.
    private static let maximumRounds = 4

    /// The caches of this node do not have the rendition: look in the shared tier, or wait for the node that makes it.
    func shareOrProceed(_ job: Machine.JobID) {
        guard let context = contexts[job] else { return }
        guard !coordination.isSingleNode || tier.servesSingleNode, context.share.lease == nil,
            let name = context.sharedName
        else { return proceed(job) }
        contexts[job]?.share.name = name
        perform(machine.share(job))
    }

    /// Makes the rendition here, from cached content or from the original.
    private func proceed(_ job: Machine.JobID) {
        guard let context = contexts[job] else { return }
        let needsOriginal = context.request.image.location.isFetched && context.remoteOriginal == nil
        if needsOriginal { needOriginal(job) } else { perform(machine.prepare(job)) }
    }

    func share(_ job: Machine.JobID, _ priority: Priority, on occasion: LookupOccasion = .first) {
        guard let context = contexts[job], let name = context.share.name else { return proceed(job) }
        tier.find(name, listed: context.listedVersion, on: occasion) { [weak self] found in
            self?.on { $0.lookupCompleted(job, name, priority, found) }
        }
    }

    private func lookupCompleted(
        _ job: Machine.JobID, _ name: SharedName, _ priority: Priority, _ found: SharedRendition?
    ) {
        guard let context = contexts[job] else { return }
        if let found, context.isCurrent(found.tile) {
            counts.sharedHits += 1
            contexts[job]?.share = Share()
            context.share.lease?.end(.made)
            adopt(found, context.request)
            return finish(job, .success(.bytes(found.tile)))
        }
        guard !coordination.isSingleNode, context.share.fence == nil, context.share.rounds < Self.maximumRounds
        else { return proceed(job) }
        contexts[job]?.share.rounds += 1
        let image = context.request.image
        contexts[job]?.share.lease = coordination.ask(
            name, level: priority.level, bypassesNegativeCache: context.request.bypassesNegativeCache
        ) { [weak self] event in
            self?.on { $0.received(event, by: job, priority, image) }
        }
    }

    private func received(
        _ event: LeaseEvent, by job: Machine.JobID, _ priority: Priority, _ image: GalleryImage
    ) {
        switch event {
        case .requested(let name, let level): return loadForNodes(name, of: image, level)
        case .requestWithdrawn(let name):
            nodeRequests.removeValue(forKey: name)?.cancel()
            return
        case .granted, .made, .failed, .alone: break
        }
        guard contexts[job] != nil else { return }
        switch event {
        case .granted(let fence):
            // Another node may have made it between the lookup and the grant.
            contexts[job]?.share.fence = fence
            share(job, priority, on: .again)
        case .made:
            contexts[job]?.share.lease = nil
            share(job, priority, on: .made)
        case .failed(let failure):
            contexts[job]?.share.lease = nil
            fail(job, failure, version: image.ownVersion)
        case .alone, .requested, .requestWithdrawn:
            contexts[job]?.share.lease = nil
            proceed(job)
        }
    }

    /// Stores what another node has made as if it had been made here.
    private func adopt(_ shared: SharedRendition, _ request: LoadRequest) {
        stages.adopt(shared, request)
        guard let original = shared.original, case .remote(let url) = request.image.location else { return }
        let kept = original.kept(of: request.image.id, url: url)
        pools.spool.submit { [stages] in stages.originals.note(kept) }
    }

    /// Ends the lease of a finished job, once the tier has stored its rendition.
    func endLease(of context: Context, _ result: Result<LoadedContent, LoadFailure>) {
        let lease = context.share.lease
        // Without a lease there is no fencing number, so nothing may be published about a remote original.
        guard let name = context.share.name, let fence = context.share.fence ?? (tier.servesSingleNode ? 0 : nil) else {
            lease?.end(.abandoned)
            return
        }
        switch result {
        case .success(.bytes(let tile)) where context.mayShare(tile):
            let isLeased = context.share.fence != nil
            let original = isLeased && context.request.image.location.isFetched ? context.kept : nil
            let shared = SharedRendition(
                tile: tile, original: original.map { SharedOriginal($0, metadata: context.share.metadata) })
            tier.store(shared, as: name, listed: context.listedVersion, fence: fence) { isKept in
                lease?.end(isKept ? .made : .abandoned)
            }
        case .failure(let failure) where context.share.failsEverywhere: lease?.end(.failed(failure))
        case .success, .failure: lease?.end(.abandoned)
        }
    }

    // MARK: - For other nodes

    /// Loads what other nodes request while this node holds the lease, with a waiter of its own, so that a client
    /// leaving here does not cancel it for them.
    private func loadForNodes(_ name: SharedName, of image: GalleryImage, _ level: Priority.Level) {
        let priority = Priority(level: level, viewport: 0, distance: 0)
        if let nodeRequest = nodeRequests[name] { return nodeRequest.reprioritise(priority) }
        guard !isStopped else { return }
        counts.nodeRequests += 1
        let request = LoadRequest(image: image, rendition: name.rendition, format: name.format)
        if let tile = stages.memory.rendition(request, now: time.secondsSince1970) { return announce(tile, as: name) }
        let waiter = LoadWaiter(coordinator: self) { [weak self] result in
            self?.on { $0.loadedForNodes(name, result) }
        }
        nodeRequests[name] = waiter
        begin(waiter, request, priority)
    }

    /// A rendition found in the caches was never announced under a lease. One that may not be cached is not for other
    /// nodes either.
    private func loadedForNodes(
        _ name: SharedName, _ result: Result<LoadedContent, LoadFailure>
    ) {
        guard nodeRequests.removeValue(forKey: name) != nil else { return }
        guard case .success(.bytes(let tile)) = result, !tile.isStale else { return }
        let key = TileKey(of: tile, as: name.rendition, image: name.image, format: name.format)
        guard stages.memory.rendition(key, version: tile.version) != nil else { return }
        announce(tile, as: name)
    }

    private func announce(_ tile: RenditionBytes, as name: SharedName) {
        // Without a fencing number, this publishes nothing about the original.
        tier.store(SharedRendition(tile: tile), as: name, listed: nil, fence: 0) { [coordination] isKept in
            if isKept { coordination.announce(made: name) } else { coordination.announce(unshared: name) }
        }
    }
}

extension LoadCoordinator.Context {
    /// Nil for renditions that are not shared. With the remote original at hand, the name contains its content version,
    /// so that the job does not wait for a node that fetches it.
    fileprivate var sharedName: SharedName? {
        guard let name = SharedName(request), case .source(let source) = remoteOriginal else {
            return SharedName(request)
        }
        return SharedName(image: name.image, version: source.version, rendition: name.rendition, format: name.format)
    }

    /// The content version of an object in its bucket listing.
    fileprivate var listedVersion: ContentVersion? {
        if case .object = request.image.location { request.image.version } else { nil }
    }

    /// Whether a rendition from another node shows the current content. For an object, the bucket listing decides that.
    fileprivate func isCurrent(_ tile: RenditionBytes) -> Bool {
        listedVersion.map { tile.version == $0 } ?? true
    }

    /// Whether other nodes may have the rendition: it is current, and its origin allows storing it.
    fileprivate func mayShare(_ tile: RenditionBytes) -> Bool {
        guard !tile.isStale else { return false }
        switch remoteOriginal {
        case .source(let source): return source.mayStore && (!request.image.location.isFetched || kept != nil)
        case .kept(_, let originFailure): return originFailure == nil
        case nil: return !request.image.location.isFetched && tile.version == request.image.version
        }
    }
}
