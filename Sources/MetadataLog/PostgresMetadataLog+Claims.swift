public import Catalog
import EventLoops
import Images
import Locking

/// Decides which node indexes which image: each claim is an advisory lock in the database, which ends with the
/// connection of the node that holds it.
extension PostgresMetadataLog {
    public nonisolated func claim(
        _ contents: [ImageContent], granted: @escaping @Sendable (Set<ImageContent>) -> Void
    ) {
        loop.execute { [self] in
            assumeIsolated { $0.take(Claim(contents: contents, answer: granted)) }
        }
    }

    public nonisolated func release(_ contents: [ImageContent]) {
        loop.execute { [self] in
            assumeIsolated { log in
                guard case .current(let session) = log.phase else { return }
                Task { try? await log.release(session) { content, _ in contents.contains(content) } }
            }
        }
    }

    private func take(_ claim: Claim) {
        switch phase {
        case .unknown: claims.append(claim)
        case .disconnected: claim.answer(Set(claim.contents))
        case .current: Task { await answer(claim) }
        }
    }

    func answer(_ claim: Claim) async {
        guard case .current(let session) = phase, let outbox else { return claim.answer(Set(claim.contents)) }
        do {
            var own = Set(claim.contents.filter { granted[$0] != nil })
            // The server has limited room for locks, and shares it among all its clients.
            let room = max(0, pace.maximumGranted - granted.count)
            let asked = claim.contents.filter { !own.contains($0) }.prefix(room)
            if !asked.isEmpty {
                let locked = try await session.lock(Array(asked))
                own.formUnion(asked.filter { locked.contains($0.image) })
            }
            for content in own { granted[content] = .now }
            // Read only after locking, because another node may have published the metadata until then.
            let known = try await session.known(Array(own))
            if !known.isEmpty {
                try await onOutboxQueue { try outbox.received(known) }
                let images = Set(known.map(\.image))
                try await release(session) { content, _ in images.contains(content.image) }
                own = own.filter { !images.contains($0.image) }
            }
            figures.withLock { $0.granted += own.count }
            claim.answer(own)
        } catch {
            // Which locks were taken is unknown; they end with the connection.
            end(session)
            claim.answer(Set(claim.contents))
        }
    }

    /// Releases claims, so that other nodes can index these contents.
    func release(
        _ session: LogSession, where isReleased: (ImageContent, _ since: ContinuousClock.Instant) -> Bool
    ) async throws {
        let released = granted.filter { isReleased($0.key, $0.value) }.map(\.key)
        guard !released.isEmpty else { return }
        for content in released { granted[content] = nil }
        do {
            try await session.unlock(released.map(\.image))
        } catch {
            end(session)
            throw error
        }
    }

    /// Releases claims for which nothing was published for a long time: indexing has failed, or its result was lost.
    func releaseOld(_ session: LogSession) async throws {
        let limit = ContinuousClock.now - pace.claimLifetime
        try await release(session) { _, since in since < limit }
    }
}
