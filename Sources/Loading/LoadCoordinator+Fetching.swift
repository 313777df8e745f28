import Images
import Origins
import Renditions
import Scheduling

extension LoadCoordinator {
    func beginFetch(_ id: LoadMachine.FetchID, for job: LoadMachine.JobID, _ priority: Priority) {
        guard let context = contexts[job], let source = context.request.image.location.fetched else { return }
        counts.fetchesBegun += 1
        let kept = context.kept?.validators.isEmpty == false && !context.mustFetch ? context.kept : nil
        let fetch = OriginalFetch(
            image: context.request.image.id, url: source.url, isSigned: source.isSigned, before: kept,
            store: stages.originals, lane: lanes.spool, time: time, unwrittenLimit: configuration.unwrittenBytes
        ) { [weak self] news in
            self?.on { $0.heard(news, of: id) }
        }
        fetches[id] = fetch
        arrivals.came(fetch)
        fetch.start(origins, priority: priority)
    }

    private func heard(_ news: OriginalFetch.News, of id: LoadMachine.FetchID) {
        guard fetches[id] != nil else { return }
        switch news {
        case .grows(let spool):
            spools[id] = spool
            perform(machine.originalGrows(id))
        case .begun(let beginning):
            beginnings[id] = beginning
            perform(machine.originalBegan(id))
        case .fetched(let fetched):
            endFetch(id) { coordinator, job, image in
                coordinator.noteFreshness(
                    fetched.kept.version, until: fetched.kept.freshUntil, mayStore: fetched.mayStore, of: image)
                let source = OriginalSource(
                    descriptor: fetched.descriptor, version: fetched.kept.version, length: fetched.kept.length,
                    modified: fetched.kept.validators.modified, mayStore: fetched.mayStore)
                coordinator.contexts[job]?.ground = .source(source)
                coordinator.contexts[job]?.kept = fetched.kept
                coordinator.perform(coordinator.machine.prepare(job))
            }
        case .notModified(let kept):
            endFetch(id) { coordinator, job, image in
                coordinator.noteFreshness(kept.version, until: kept.freshUntil, mayStore: true, of: image)
                coordinator.contexts[job]?.ground = .kept(kept, originFailure: nil)
                coordinator.contexts[job]?.kept = kept
                coordinator.perform(coordinator.machine.prepare(job))
            }
        case .failed(let failure):
            let before = fetches[id]?.before
            endFetch(id, as: .failed(failure)) { coordinator, job, _ in
                // Who joined the fetch late did not look for what is kept: the fetch knows.
                if coordinator.contexts[job]?.kept == nil { coordinator.contexts[job]?.kept = before }
                coordinator.fetchFailed(job, failure)
            }
        }
    }

    private func endFetch(
        _ id: LoadMachine.FetchID, as end: FetchEnd = .brought,
        each: (LoadCoordinator, LoadMachine.JobID, ImageID) -> Void
    ) {
        arrivals.went(fetches.removeValue(forKey: id))
        spools[id] = nil
        beginnings[id] = nil
        for job in machine.jobsFinding(whatComesBy: id) { contexts[job]?.overtakenBy = end }
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

    func fetchFailed(_ job: LoadMachine.JobID, _ failure: LoadFailure) {
        guard let context = contexts[job] else { return }
        if let kept = context.kept, !kept.mustRevalidate, !failure.isPermanent, !context.mustFetch {
            contexts[job]?.ground = .kept(kept, originFailure: failure)
            return perform(machine.prepare(job))
        }
        // A picture that cannot be had cannot be had in any rendition.
        for scope in FailureMemory.Scope.allCases {
            let image = context.request.image
            let subject = FailureMemory.Subject(image: image.id, version: image.failing(), scope: scope)
            failures.remember(failure, of: subject, now: time.uptime())
        }
        // What this machine cannot reach, another may.
        contexts[job]?.share.failsEverywhere = failure.isPermanent && !failure.isOfOrigin
        finish(job, .failure(failure))
    }

    /// Makes a preview of what there is of an original. Where that fails, the job waits for the rest as if nothing had been
    /// tried: only the whole tells what a picture is. Machines that agree with each other agree on wholes: who has the turn
    /// would give it back before what the others wait for is there.
    func glimpse(_ job: LoadMachine.JobID, of fetch: LoadMachine.FetchID, _ priority: Priority) {
        guard coordination.isAlone, let context = contexts[job], context.glimpse == nil,
            let beginning = beginnings[fetch]
        else { return }
        let (request, source) = (context.request, beginning.source)
        guard known(request, source) == nil else { return }
        counts.glimpsesBegun += 1
        let work = RenderJob(.glimpse(request.format), of: source.descriptor.number)
        contexts[job]?.glimpse = renderer.render(work, priority: priority) { [weak self, stages] result in
            let content = (try? result.get()).flatMap { stages.glimpsed($0, request, from: source) }
            self?.on { coordinator in
                guard coordinator.contexts[job]?.glimpse != nil else { return }
                coordinator.contexts[job]?.glimpse = nil
                guard let content else { return coordinator.lookFurther(fetch, than: beginning) }
                coordinator.noteFreshness(
                    source.version, until: beginning.freshUntil, mayStore: source.mayStore, of: request.image.id)
                coordinator.linger(over: request.image)
                coordinator.finish(job, .success(.bytes(content)))
            }
        }
    }

    /// For how long the rest of an original is fetched after its preview was made of the beginning. Seconds.
    private static let lingering = 1.0

    /// Who has seen a preview mostly wants more of the picture in a moment: its fetch goes on for a while, behind whatever
    /// somebody waits for, so that it need not begin again.
    private func linger(over image: GalleryImage) {
        // Counted from the middle: those who ask count from the one end, other machines from the other.
        let waiter = LoadWaiter(id: .max / 2 + UInt64(counts.glimpsesBegun), coordinator: self) { [weak self] result in
            guard case .success(.growing(let original)) = result else { return }
            self?.after(Self.lingering) { original.close() }
        }
        let request = LoadRequest(image: image, rendition: .original, format: .jpeg)
        begin(waiter, request, Priority(lane: .prefetch, viewport: 0, distance: 0))
    }

    /// More may have come while a look at less showed nothing.
    private func lookFurther(_ fetch: LoadMachine.FetchID, than beginning: OriginalBeginning) {
        guard let newer = beginnings[fetch], newer.available > beginning.available else { return }
        perform(machine.originalBegan(fetch))
    }

    func stream(_ waiter: LoadMachine.WaiterID, from fetch: LoadMachine.FetchID) {
        guard let spool = spools[fetch] else { return }
        let original = GrowingOriginal(spool: spool, lane: lanes.readers) { [weak self] in self?.leave(waiter) }
        // It stays in the machine until it has let go of the original.
        waiters.remove(waiter)?.answer(.success(.growing(original)))
    }
}
