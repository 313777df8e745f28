public import Catalog
import EventLoops
import Images
import Locking

/// Who looks into which picture: a lock in the database for each, which ends with the connection of the node that has it.
extension PostgresFactsLog {
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
        case .away: claim.answer(Set(claim.contents))
        case .current: Task { await answer(claim) }
        }
    }

    func answer(_ claim: Claim) async {
        guard case .current(let session) = phase, let ledger else { return claim.answer(Set(claim.contents)) }
        do {
            var own = Set(claim.contents.filter { granted[$0] != nil })
            // The server's room for locks is bounded, and shared with all else that goes on there.
            let room = max(0, pace.mostGranted - granted.count)
            let asked = claim.contents.filter { !own.contains($0) }.prefix(room)
            if !asked.isEmpty {
                let locked = try await session.lock(Array(asked))
                own.formUnion(asked.filter { locked.contains($0.image) })
            }
            for content in own { granted[content] = .now }
            // Only now: until it was locked another may have told of it.
            let known = try await session.known(Array(own))
            if !known.isEmpty {
                try await atDesk { try ledger.heard(known) }
                let images = Set(known.map(\.image))
                try await release(session) { content, _ in images.contains(content.image) }
                own = own.filter { !images.contains($0.image) }
            }
            figures.withLock { $0.granted += own.count }
            claim.answer(own)
        } catch {
            // What was locked, nobody knows; it ends with the connection.
            end(session)
            claim.answer(Set(claim.contents))
        }
    }

    /// Lets others have what this node has been granted.
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

    /// The same with what has not been told for long: its looking into has failed, or what was learnt was lost.
    func releaseOld(_ session: LogSession) async throws {
        let limit = ContinuousClock.now - pace.patience
        try await release(session) { _, since in since < limit }
    }
}
