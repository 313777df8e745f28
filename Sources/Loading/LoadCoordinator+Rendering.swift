import Images
import Renditions
import Scheduling

extension LoadCoordinator {
    /// The known outcome for this content, so that no worker need try; nil also when a person asked for another try.
    func known(_ request: LoadRequest, _ source: OriginalSource) -> Result<LoadedContent, LoadFailure>? {
        let subject = NegativeCache.Subject(request, version: request.image.failing(source.version))
        let now = time.uptime()
        if let harm = harmful.failure(
            of: request.image.id, version: source.version, bypassesNegativeCache: request.bypassesNegativeCache,
            now: now)
        {
            // Sending the original needs no decoder, so it does no harm. Its media type remains unknown.
            return request.rendition == .original ? .success(.file(source.file(nil))) : .failure(harm)
        }
        if request.bypassesNegativeCache { failures.forget(subject) }
        return failures.failure(of: subject, now: now).map { .failure($0) }
    }

    // MARK: - Rendering

    func render(_ job: Machine.JobID, _ priority: Priority) {
        guard let context = contexts[job], let source = context.source else { return }
        let request = context.request
        counts.rendersBegun += 1
        if source.renditionSource != nil { counts.rendersOfRenditions += 1 }
        // A result that arrives after the last waiter has left is still stored, but delivered to nobody.
        contexts[job]?.render = renderer.render(stages.job(for: request, of: source), priority: priority) {
            [weak self, stages] result in
            let outcome = stages.rendered(result, request, from: source)
            self?.resume { $0.rendered(job, outcome, source.version) }
        }
    }

    private func rendered(_ job: Machine.JobID, _ outcome: LoadStages.Rendered, _ version: ContentVersion) {
        guard let context = contexts[job], context.render != nil else {
            if case .pyramid(let draft) = outcome { take(draft) { _, _ in } }
            return
        }
        contexts[job]?.render = nil
        switch outcome {
        case .content(let content, let metadata):
            contexts[job]?.share.metadata = metadata
            if context.source?.renditionSource == nil { harmful.forgive(context.request) }
            finish(job, .success(content))
        case .pyramid(let draft):
            take(draft) {
                guard $0.contexts[job] != nil else { return }
                switch $1 {
                case .success(let file): $0.finish(job, .success(.file(file)))
                case .failure(let failure): $0.fail(job, failure, version: version)
                }
            }
        case .undecodable(let content, let reason):
            harmful.note(reason, of: context.request, version: version)
            finish(job, .success(content))
        case .changed: perform(machine.prepare(job))
        case .unfit:
            contexts[job]?.needsOriginal = true
            perform(machine.prepare(job))
        case .failed(let failure, let reason):
            harmful.note(reason, of: context.request, version: version)
            fail(job, failure, version: version)
        }
    }
}
