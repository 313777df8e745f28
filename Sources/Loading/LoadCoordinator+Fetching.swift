import BlockingIO
import Images
import Origins
import Renditions
import Scheduling

extension LoadCoordinator {
    func beginFetch(_ id: Machine.FetchID, for job: Machine.JobID, _ priority: Priority) {
        guard let context = contexts[job], let source = context.request.image.location.fetched else { return }
        counts.fetchesBegun += 1
        let kept = context.kept?.validators.isEmpty == false && !context.mustFetch ? context.kept : nil
        let fetch = OriginalFetch(
            image: context.request.image.id, url: source.url, isSigned: source.isSigned, before: kept,
            store: stages.originals, pool: pools.spool, time: time, unwrittenLimit: configuration.unwrittenBytes
        ) { [weak self] event in
            self?.on { $0.received(event, of: id) }
        }
        fetches[id] = fetch
        inFlightOriginals.add(fetch)
        fetch.start(origins, priority: priority)
    }

    private func received(_ event: OriginalFetch.Event, of id: Machine.FetchID) {
        guard fetches[id] != nil else { return }
        switch event {
        case .readable(let spool):
            spools[id] = spool
            perform(machine.originalIsReadable(id))
        case .prefixArrived(let prefix):
            prefixes[id] = prefix
            perform(machine.prefixArrived(id))
        case .fetched(let fetched):
            endFetch(id) { coordinator, job, image in
                coordinator.noteFreshness(
                    fetched.kept.version, until: fetched.kept.freshUntil, mayStore: fetched.mayStore, of: image)
                let source = OriginalSource(
                    descriptor: fetched.descriptor, version: fetched.kept.version, length: fetched.kept.length,
                    modified: fetched.kept.validators.modified, mayStore: fetched.mayStore)
                coordinator.contexts[job]?.remoteOriginal = .source(source)
                coordinator.contexts[job]?.kept = fetched.kept
                coordinator.perform(coordinator.machine.prepare(job))
            }
        case .notModified(let kept):
            endFetch(id) { coordinator, job, image in
                coordinator.noteFreshness(kept.version, until: kept.freshUntil, mayStore: true, of: image)
                coordinator.contexts[job]?.remoteOriginal = .kept(kept, originFailure: nil)
                coordinator.contexts[job]?.kept = kept
                coordinator.perform(coordinator.machine.prepare(job))
            }
        case .failed(let failure):
            let before = fetches[id]?.before
            endFetch(id, as: .failed(failure)) { coordinator, job, _ in
                // A job that joined the fetch late has not looked for the cached original, but the fetch knows it.
                if coordinator.contexts[job]?.kept == nil { coordinator.contexts[job]?.kept = before }
                coordinator.fetchFailed(job, failure)
            }
        }
    }

    private func endFetch(
        _ id: Machine.FetchID, as end: FetchEnd = .completed,
        each: (LoadCoordinator, Machine.JobID, ImageID) -> Void
    ) {
        inFlightOriginals.remove(fetches.removeValue(forKey: id))
        spools[id] = nil
        prefixes[id] = nil
        for job in machine.jobsLookingUp(imageOf: id) { contexts[job]?.concurrentFetchEnd = end }
        let (jobs, effects) = machine.originalEnded(id)
        perform(effects)
        for job in jobs {
            guard let image = contexts[job]?.request.image.id else { continue }
            each(self, job, image)
        }
    }

    private func noteFreshness(_ version: ContentVersion, until moment: Int64, mayStore: Bool, of image: ImageID) {
        guard mayStore else { return }
        stages.memory.setFreshness(.init(version: version, until: moment), of: image)
    }

    func fetchFailed(_ job: Machine.JobID, _ failure: LoadFailure) {
        guard let context = contexts[job] else { return }
        if let kept = context.kept, !kept.mustRevalidate, !failure.isPermanent, !context.mustFetch {
            contexts[job]?.remoteOriginal = .kept(kept, originFailure: failure)
            return perform(machine.prepare(job))
        }
        // An original that cannot be fetched fails in every rendition.
        for scope in NegativeCache.Scope.allCases {
            let image = context.request.image
            let subject = NegativeCache.Subject(image: image.id, version: image.failing(), scope: scope)
            failures.remember(failure, of: subject, now: time.uptime())
        }
        // Another node may reach an origin that this one cannot.
        contexts[job]?.share.failsEverywhere = failure.isPermanent && !failure.isOfOrigin
        finish(job, .failure(failure))
    }

    /// Makes a preview from the part of an original that has arrived. If that fails, the job waits for the rest as if
    /// it had not tried, because only the whole original decides whether an image is valid. Only on a single node:
    /// nodes share renditions of whole originals, and the lease holder would end its lease before it has made what the
    /// others wait for.
    func partialDecode(_ job: Machine.JobID, of fetch: Machine.FetchID, _ priority: Priority) {
        guard coordination.isSingleNode, let context = contexts[job], context.partialDecode == nil,
            let prefix = prefixes[fetch]
        else { return }
        let (request, source) = (context.request, prefix.source)
        guard known(request, source) == nil else { return }
        counts.partialDecodes += 1
        let work = RenderJob(.partialDecode(request.format), of: source.descriptor.number)
        contexts[job]?.partialDecode = renderer.render(work, priority: priority) { [weak self, stages] result in
            let content = (try? result.get()).flatMap { stages.partiallyDecoded($0, request, from: source) }
            self?.resume { coordinator in
                guard coordinator.contexts[job]?.partialDecode != nil else { return }
                coordinator.contexts[job]?.partialDecode = nil
                guard let content else { return coordinator.retryPartialDecode(of: fetch, after: prefix) }
                coordinator.noteFreshness(
                    source.version, until: prefix.freshUntil, mayStore: source.mayStore, of: request.image.id)
                coordinator.extendFetch(of: request.image)
                coordinator.finish(job, .success(.bytes(content)))
            }
        }
    }

    /// How long a fetch continues after a preview was made from the partial original, in seconds.
    private static let fetchExtension = 1.0

    /// A viewer that shows a preview usually needs a larger rendition soon. The fetch continues for a while, behind all
    /// requested loads, so that it need not start again.
    private func extendFetch(of image: GalleryImage) {
        let waiter = LoadWaiter(coordinator: self) { [weak self] result in
            guard case .success(.partial(let original)) = result else { return }
            self?.after(Self.fetchExtension) { original.close() }
        }
        let request = LoadRequest(image: image, rendition: .original, format: .jpeg)
        begin(waiter, request, Priority(level: .prefetch, viewport: 0, distance: 0))
    }

    /// Tries again if more bytes arrived during a partial decode that failed.
    private func retryPartialDecode(of fetch: Machine.FetchID, after prefix: OriginalPrefix) {
        guard let newer = prefixes[fetch], newer.available > prefix.available else { return }
        perform(machine.prefixArrived(fetch))
    }

    func stream(_ waiter: LoadWaiter, from fetch: Machine.FetchID) {
        guard let spool = spools[fetch] else { return }
        let original = PartialOriginal(spool: spool, pool: pools.readers) { [weak self] in self?.leave(waiter) }
        // It stays in the load machine until it closes the original.
        if waiters.remove(waiter) { waiter.answer(.success(.partial(original))) }
    }
}
