import Images
import Renditions
import Scheduling

extension LoadCoordinator {
    /// What is known to come of this content, so that no worker need look at it; nil also when a person asks for a try.
    func known(_ request: LoadRequest, _ source: OriginalSource) -> Result<LoadedContent, LoadFailure>? {
        let subject = FailureMemory.Subject(request, version: request.image.failing(source.version))
        let now = time.uptime()
        if let harm = harmful.failure(
            of: request.image.id, version: source.version, insists: request.bypassNegativeCache, now: now)
        {
            // As it is, an original harms nobody; what it is, nobody looks.
            return request.rendition == .original ? .success(.file(source.file(nil))) : .failure(harm)
        }
        if request.bypassNegativeCache { failures.forget(subject) }
        return failures.failure(of: subject, now: now).map { .failure($0) }
    }

    // MARK: - Rendering

    func render(_ job: LoadMachine.JobID, _ priority: Priority) {
        guard let context = contexts[job], let source = context.source else { return }
        let request = context.request
        counts.rendersBegun += 1
        if source.standIn != nil { counts.rendersOfRenditions += 1 }
        // What comes when nobody waits any more is kept all the same, and told to nobody.
        contexts[job]?.render = renderer.render(stages.job(for: request, of: source), priority: priority) {
            [weak self, stages] result in
            let outcome = stages.rendered(result, request, from: source)
            self?.on { $0.rendered(job, outcome, source.version) }
        }
    }

    private func rendered(_ job: LoadMachine.JobID, _ outcome: LoadStages.Rendered, _ version: ContentVersion) {
        guard let context = contexts[job], context.render != nil else {
            if case .pyramid(let draft) = outcome { take(draft) { _, _ in } }
            return
        }
        contexts[job]?.render = nil
        switch outcome {
        case .content(let content, let facts):
            contexts[job]?.share.facts = facts
            if context.source?.standIn == nil { harmful.forgive(context.request) }
            finish(job, .success(content))
        case .pyramid(let draft):
            take(draft) {
                guard $0.contexts[job] != nil else { return }
                switch $1 {
                case .success(let file): $0.finish(job, .success(.file(file)))
                case .failure(let failure): $0.fail(job, failure, version: version)
                }
            }
        case .unexamined(let content, let reason):
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
