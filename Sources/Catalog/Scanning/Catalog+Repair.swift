import Dispatch
import GRDB
import Locking
import Logging
import Synchronization
import Time

extension Catalog {
    /// Requests that a damaged index be replaced and everything be scanned again. Callable on any thread; returns at
    /// once.
    func repair(_ index: Index, because error: any Error) {
        if let delay = beginRepair(of: index) { repair(index, because: error, after: delay) }
    }

    private func repair(_ index: Index, because error: any Error, after delay: Duration) {
        scanning.asyncAfter(deadline: .now() + delay.dispatched) { [weak self] in
            guard let self else { return }
            mutableState.withLock { $0.repair.isDue = false }
            // A scan may have found the damage first and replaced the index.
            guard indexStore.disk === index, !isStopped.load(ordering: .relaxed) else { return }
            // Until there is a new index, the sources are scanned into memory.
            if !replaceIndex(because: error) { repair(index, because: error) }
            rescan(Set(readable), listedWithin: configuration.listingAge)
        }
    }

    /// The index with which a scan continues after it found this one damaged. On the scanning queue.
    ///
    /// - Throws: An error if not even an index in memory can be created.
    func successor(of index: Index, because error: any Error) throws -> Index {
        switch beginRepair(of: index) {
        case nil: break
        case .zero?:
            mutableState.withLock { $0.repair.isDue = false }
            if replaceIndex(because: error) {
                // The sources scanned earlier have to be scanned into the new index, too.
                mutableState.withLock { mutableState in
                    mutableState.nextSources.formUnion(Set(readable).subtracting(mutableState.unfinishedSources))
                    for ordinal in mutableState.nextSources { mutableState.extents[ordinal] = .everything }
                }
                return indexStore.disk
            }
            repair(index, because: error)
        case let delay?: repair(index, because: error, after: delay)
        }
        return try indexStore.memory(because: error)
    }

    /// How long to wait before the repair; nil if the index is no longer in use, or its replacement is already due.
    private func beginRepair(of index: Index) -> Duration? {
        index.isDamaged.store(true, ordering: .relaxed)
        guard indexStore.disk === index else { return nil }
        return mutableState.withLock { mutableState in
            guard !mutableState.isClosed, !mutableState.repair.isDue else { return nil }
            mutableState.repair.isDue = true
            return mutableState.repair.next(configuration.retrying)
        }
    }

    /// Replaces a damaged index with a new one. The visible order stays. Rows are read from the old index, as far as
    /// possible, until the sources have been scanned again.
    private func replaceIndex(because error: any Error) -> Bool {
        let damagedIndex = indexStore.disk
        do {
            try indexStore.replaceDisk(because: error)
        } catch {
            logger.error("The damaged index cannot be replaced.", metadata: ["error": "\(error)"])
            return false
        }
        mutableState.withLock { $0.repair.damagedIndexes.append(damagedIndex) }
        return true
    }

    /// Copies readable metadata from the indexes that were set aside. On the scanning queue.
    func saveMetadata() {
        let damagedIndexes = mutableState.withLock { mutableState in
            defer { mutableState.repair.damagedIndexes = [] }
            return mutableState.repair.damagedIndexes
        }
        let disk = indexStore.disk
        for damagedIndex in damagedIndexes where damagedIndex !== disk {
            let saved = damagedIndex.copyMetadata(to: disk) { isStopped.load(ordering: .relaxed) }
            logger.notice("The metadata of \(saved) images was recovered from the damaged index.")
        }
        recent.forgetAll()
        if !damagedIndexes.isEmpty { disk.columns.touchAll() }
    }

    /// Records that an intact index could not be read, and checks from time to time whether it has become readable.
    func noteUnreadable(_ index: Index) {
        let isFirst = mutableState.withLock { mutableState in
            defer { mutableState.repair.isUnreadable = true }
            return !mutableState.repair.isUnreadable && !mutableState.isClosed
        }
        if isFirst { probe(index, failures: 1) }
    }

    private func probe(_ index: Index, failures: Int) {
        let delay = configuration.retrying.delay(after: failures) / 5
        probing.asyncAfter(deadline: .now() + delay.dispatched) { [weak self] in
            guard let self, !isStopped.load(ordering: .relaxed) else { return }
            do {
                _ = try index.counters()
                mutableState.withLock { $0.repair.isUnreadable = false }
            } catch let error as DatabaseError where error.isDamage {
                mutableState.withLock { $0.repair.isUnreadable = false }
                repair(index, because: error)
            } catch {
                probe(indexStore.disk, failures: failures + 1)
            }
        }
    }
}
