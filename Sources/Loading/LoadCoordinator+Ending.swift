import Images
import Logging
import Scheduling

extension LoadCoordinator {
    func fail(_ job: LoadMachine.JobID, _ failure: LoadFailure, version: ContentVersion?) {
        guard let request = contexts[job]?.request else { return }
        let isRemote = request.image.location.isRemote
        let subject = FailureMemory.Subject(request, version: isRemote ? nil : version ?? request.image.version)
        failures.remember(failure, of: subject, now: time.uptime())
        guard isRemote, failure.isPermanent, version != nil else { return finish(job, .failure(failure)) }
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

    /// Somebody waits for the end of what has failed.
    private static let soon = Priority(lane: .visible, viewport: 0, distance: 0)

    func finish(_ job: LoadMachine.JobID, _ result: Result<LoadedContent, LoadFailure>) {
        if case .failure(let failure) = result {
            counts.failures += 1
            log(failure, of: contexts[job]?.request)
        }
        contexts[job] = nil
        let (ended, effects) = machine.finish(job)
        perform(effects)
        for waiter in ended { waiters.remove(waiter)?.answer(result) }
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
}

extension ImageLocation {
    /// The folder source that a local file lies in.
    var folder: Int? {
        if case .file(let folder, _) = self { folder } else { nil }
    }

    var isRemote: Bool {
        if case .remote = self { return true }
        return false
    }
}
