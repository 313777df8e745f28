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
            beginsWithPrefix: kept == nil && beginsWithPrefix(context.request), store: stages.originals,
            pool: pools.spool, time: time, unwrittenLimit: configuration.unwrittenBytes
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
            for job in machine.jobs(waitingFor: id) { answerWithThumbnail(job, from: id) }
            perform(machine.prefixArrived(id))
        case .parked:
            parkedFetches.insert(id)
            fetchRestIfNeeded(id)
        case .fetched(let fetched):
            noteNeedlessPrefix(of: fetches[id])
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
        parkedFetches.remove(id)
        for job in machine.jobsLookingUp(imageOf: id) { contexts[job]?.concurrentFetchEnd = end }
        let (jobs, effects) = machine.originalEnded(id)
        perform(effects)
        for job in jobs {
            guard let image = contexts[job]?.request.image.id else { continue }
            each(self, job, image)
        }
    }

    func noteFreshness(_ version: ContentVersion, until moment: Int64, mayStore: Bool, of image: ImageID) {
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

    func stream(_ waiter: LoadWaiter, from fetch: Machine.FetchID) {
        guard let spool = spools[fetch] else { return }
        let original = PartialOriginal(spool: spool, pool: pools.readers) { [weak self] in self?.leave(waiter) }
        // It stays in the load machine until it closes the original.
        if waiters.remove(waiter) { waiter.answer(.success(.partial(original))) }
    }
}
