import BlockingIO
import Images
import Origins
import Renditions
import Scheduling

/// Previews from the first bytes of remote originals. Only on a single node: nodes share renditions of whole originals,
/// and the lease holder would end its lease before it has made what the others wait for.
extension LoadCoordinator {
    /// Whether to request only the first bytes of an original for now, because they probably contain all that is needed.
    func beginsWithPrefix(_ request: LoadRequest) -> Bool {
        guard coordination.isSingleNode, request.rendition == .preview, request.mayBeJPEG,
            let url = request.image.location.fetched?.url
        else { return false }
        // Each parked fetch holds a file open.
        return parkedFetches.count < Loader.maximumParkedFetches && prefixHistory.suggestsPrefix(of: url)
    }

    /// Answers a job for which the camera's thumbnail will do, if it has arrived.
    func answerWithThumbnail(_ job: Machine.JobID, from fetch: Machine.FetchID) {
        guard let request = contexts[job]?.request, request.acceptsThumbnail, let prefix = prefixes[fetch],
            let thumbnail = prefix.thumbnail
        else { return }
        counts.thumbnails += 1
        if prefix.source.mayStore {
            let key = TileKey(of: thumbnail, as: .preview, image: request.image.id, format: request.format)
            stages.thumbnails.insert(thumbnail, for: key)
            stages.thumbnails.setFreshness(
                .init(version: thumbnail.version, until: prefix.freshUntil), of: request.image.id)
        }
        succeeded(job, thumbnail, from: prefix)
    }

    /// Makes a preview from the part of an original that has arrived. If that fails, the job waits for the rest as if
    /// it had not tried, because only the whole original decides whether an image is valid.
    func partialDecode(_ job: Machine.JobID, of fetch: Machine.FetchID, _ priority: Priority) {
        guard coordination.isSingleNode, let context = contexts[job], context.partialDecode == nil,
            let prefix = prefixes[fetch], !context.request.acceptsThumbnail || prefix.thumbnail == nil
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
                guard let content else { return coordinator.partialDecodeFailed(job, of: fetch, after: prefix) }
                coordinator.noteFreshness(
                    source.version, until: prefix.freshUntil, mayStore: source.mayStore, of: request.image.id)
                coordinator.record(prefix)
                coordinator.succeeded(job, content, from: prefix)
            }
        }
    }

    private func succeeded(_ job: Machine.JobID, _ preview: RenditionBytes, from prefix: OriginalPrefix) {
        guard let image = contexts[job]?.request.image else { return }
        // One that was found only in a longer part does not make the first request worthwhile.
        let isOfPrefix = prefix.available < OriginalPrefix.lengths[1]
        if isOfPrefix, let url = image.location.fetched?.url { prefixHistory.note(url, hadPreview: true) }
        contexts[job]?.onlyKeepsFetchAlive = true
        extendFetch(of: image)
        finish(job, .success(.bytes(preview)))
    }

    /// Stores the record of the original, without which its renditions on disk would not be found again.
    private func record(_ prefix: OriginalPrefix) {
        guard prefix.source.mayStore else { return }
        pools.spool.submit { [stages] in stages.originals.note(prefix.record) }
    }

    /// Tries again if more bytes arrived in the meantime.
    private func partialDecodeFailed(_ job: Machine.JobID, of fetch: Machine.FetchID, after prefix: OriginalPrefix) {
        if let newer = prefixes[fetch], newer.available > prefix.available { perform(machine.prefixArrived(fetch)) }
        fetchRestIfNeeded(fetch)
    }

    /// Records that requesting the prefix of an original saved nothing.
    func noteNeedlessPrefix(of fetch: OriginalFetch?) {
        guard let fetch, fetch.hadNeedlessPrefix else { return }
        prefixHistory.note(fetch.url, hadPreview: false)
    }

    // MARK: - The rest

    func fetchRestIfNeeded(for job: Machine.JobID) {
        if let fetch = machine.fetch(of: job) { fetchRestIfNeeded(fetch) }
    }

    /// Requests the rest of an original once a job needs more than its first bytes.
    func fetchRestIfNeeded(_ id: Machine.FetchID) {
        guard let fetch = fetches[id], fetch.awaitsRequestForRest else { return }
        let isParked = parkedFetches.contains(id)
        let jobs = machine.jobs(waitingFor: id).filter { job in
            guard let context = contexts[job], !context.onlyKeepsFetchAlive else { return false }
            return context.request.rendition != .preview || isParked && context.partialDecode == nil
        }
        guard !jobs.isEmpty else { return }
        if isParked, jobs.contains(where: { contexts[$0]?.request.rendition == .preview }) {
            prefixHistory.note(fetch.url, hadPreview: false)
        }
        parkedFetches.remove(id)
        fetch.fetchRest()
    }

    /// How long a fetch continues after a preview was made from the first bytes, in seconds.
    private static let fetchExtension = 1.0

    /// A viewer that shows a preview usually needs a larger rendition soon. The fetch continues for a while, behind all
    /// requested loads, so that it need not start again.
    private func extendFetch(of image: GalleryImage) {
        guard extensions < Loader.maximumParkedFetches else { return }
        extensions += 1
        let waiter = LoadWaiter(isExtension: true, coordinator: self) { [weak self] result in
            guard case .success(.partial(let original)) = result else { return }
            self?.after(Self.fetchExtension) { original.close() }
        }
        // It may get no answer: nobody may read a prefix with weak validators.
        after(Self.fetchExtension) { [weak self] in
            waiter.cancel()
            self?.on { $0.extensions -= 1 }
        }
        let request = LoadRequest(image: image, rendition: .original, format: .jpeg)
        begin(waiter, request, Priority(level: .prefetch, viewport: 0, distance: 0))
    }
}
