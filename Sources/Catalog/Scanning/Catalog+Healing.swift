import Dispatch
import GRDB
import Locking
import Logging
import Synchronization

extension Catalog {
    /// Asks for the damaged index to be replaced and everything to be read again. Any thread; returns at once.
    func repair(_ index: Index, because error: any Error) {
        if let delay = beginRepair(of: index) { repair(index, because: error, after: delay) }
    }

    private func repair(_ index: Index, because error: any Error, after delay: Duration) {
        scanning.asyncAfter(deadline: .now() + delay.dispatched) { [weak self] in
            guard let self else { return }
            standing.withLock { $0.healing.isDue = false }
            // A scan may have met the damage first.
            guard shelf.disk === index, !isStopped.load(ordering: .relaxed) else { return }
            // Until there is another, the sources are read into memory.
            if !replaceIndex(because: error) { repair(index, because: error) }
            rescan(Set(readable), listedWithin: configuration.listingAge)
        }
    }

    /// The index that a scan goes on with after it met damage in this one. Scanning queue.
    ///
    /// - Throws: when there is no memory for another.
    func successor(of index: Index, because error: any Error) throws -> Index {
        switch beginRepair(of: index) {
        case nil: break
        case .zero?:
            standing.withLock { $0.healing.isDue = false }
            if replaceIndex(because: error) {
                // The sources before this one are to be read into the new one, too.
                standing.withLock { standing in
                    standing.again.formUnion(Set(readable).subtracting(standing.unread))
                    for ordinal in standing.again { standing.extents[ordinal] = .everything }
                }
                return shelf.disk
            }
            repair(index, because: error)
        case let delay?: repair(index, because: error, after: delay)
        }
        return try shelf.memory(because: error)
    }

    /// Nil when the index is no longer in use, or its replacement is under way.
    private func beginRepair(of index: Index) -> Duration? {
        index.isDamaged.store(true, ordering: .relaxed)
        guard shelf.disk === index else { return nil }
        return standing.withLock { standing in
            guard !standing.isClosed, !standing.healing.isDue else { return nil }
            standing.healing.isDue = true
            return standing.healing.next(configuration.retrying)
        }
    }

    /// Begins a new index in the place of a damaged one. What is shown keeps its order; what can still be read of the old
    /// index is read there until the sources have been read again.
    private func replaceIndex(because error: any Error) -> Bool {
        let wreck = shelf.disk
        do {
            try shelf.replaceDisk(because: error)
        } catch {
            logger.error("The damaged index cannot be replaced.", metadata: ["error": "\(error)"])
            return false
        }
        standing.withLock { $0.healing.wrecks.append(wreck) }
        return true
    }

    /// Brings over what was learnt and can still be read of the indexes that were set aside. Scanning queue.
    func saveFacts() {
        let wrecks = standing.withLock { standing in
            defer { standing.healing.wrecks = [] }
            return standing.healing.wrecks
        }
        let disk = shelf.disk
        for wreck in wrecks where wreck !== disk {
            let saved = wreck.copyFacts(to: disk) { isStopped.load(ordering: .relaxed) }
            logger.notice("What was learnt of \(saved) images was saved from the damaged index.")
        }
        recent.forgetAll()
        if !wrecks.isEmpty { disk.columns.touchAll() }
    }

    /// Notes that the index could not be read although it is whole, and looks now and then whether it can be again.
    func noteUnreadable(_ index: Index) {
        let isFirst = standing.withLock { standing in
            defer { standing.healing.isUnreadable = true }
            return !standing.healing.isUnreadable && !standing.isClosed
        }
        if isFirst { probe(index, failures: 1) }
    }

    private func probe(_ index: Index, failures: Int) {
        let delay = configuration.retrying.delay(after: failures) / 5
        probing.asyncAfter(deadline: .now() + delay.dispatched) { [weak self] in
            guard let self, !isStopped.load(ordering: .relaxed) else { return }
            do {
                _ = try index.counters()
                standing.withLock { $0.healing.isUnreadable = false }
            } catch let error as DatabaseError where error.isDamage {
                standing.withLock { $0.healing.isUnreadable = false }
                repair(index, because: error)
            } catch {
                probe(shelf.disk, failures: failures + 1)
            }
        }
    }
}

extension Duration {
    var dispatched: DispatchTimeInterval {
        let parts = components
        return .nanoseconds(Int(clamping: parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000))
    }
}
