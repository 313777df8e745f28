import Dispatch
import Images
import Locking
import Time

extension Catalog {
    /// If more images than this are removed or added at once, moves are not detected.
    private static let maximumMoving = 50_000
    /// The maximum number of files opened per scan to compare their digests.
    private static let maximumDigested = 2_000

    /// Records that images were removed. Their rows and metadata stay for a while, because an added file may be the
    /// same. On the scanning queue.
    func recordRemoved(_ dropped: [(id: ImageID, row: UInt32)], of source: NamedSource, in index: Index) throws {
        let record = records[source.ordinal]
        let removed = record.removedImages(in: index) + dropped
        record.removed = removed.isEmpty ? nil : (removed, index)
        if removed.count > Self.maximumMoving || configuration.moving == .zero && isWhole {
            try deleteRemoved(of: source)
        } else {
            scheduleDeletion(of: source)
        }
    }

    /// Whether no file is still being written that might turn out to be a removed one.
    private var isWhole: Bool { records.allSatisfy(\.unfinished.paths.isEmpty) }

    /// Deletes removed images once no added file can be the same any more. On the scanning queue.
    private func scheduleDeletion(of source: NamedSource) {
        let record = records[source.ordinal]
        guard record.removed != nil, !record.isDeletionScheduled else { return }
        record.isDeletionScheduled = true
        scanning.asyncAfter(deadline: .now() + configuration.moving.dispatched) { [weak self] in
            guard let self else { return }
            record.isDeletionScheduled = false
            guard isWhole else { return scheduleDeletion(of: source) }
            // If the deletion fails, some unused rows stay, which does no harm.
            try? deleteRemoved(of: source)
        }
    }

    /// Deletes removed images from the index. On the scanning queue.
    func deleteRemoved(of source: NamedSource) throws {
        guard let (images, index) = records[source.ordinal].removed else { return }
        records[source.ordinal].removed = nil
        let part = mutableState.withLock { $0.snapshot.parts[source.ordinal] }
        for start in stride(from: 0, to: images.count, by: 1000) {
            let batch = images[start..<min(start + 1000, images.count)]
            // An image that came back has another row, and keeps its metadata.
            try index.remove(Array(batch)) { part.position(of: $0) == nil }
        }
    }

    /// Copies the metadata of files that were found again under another name, in this source or another. Scanning
    /// queue.
    ///
    /// - Parameters:
    ///   - dropped: The removed images.
    ///   - firstRow: The first row of the added images.
    func keepMetadata(
        of source: NamedSource, without dropped: [(id: ImageID, row: UInt32)], from firstRow: UInt32, in index: Index
    ) throws {
        note(arrivalsFrom: firstRow, of: source, in: index)
        let gone = dropped + records.flatMap { $0.removedImages(in: index) }
        guard !gone.isEmpty else { return }
        let first = records.flatMap { $0.arrivals.filter { $0.index === index }.map(\.row) }.min()
        let own = Set((dropped + records[source.ordinal].removedImages(in: index)).map(\.row))
        let moves = try index.moves(of: gone, from: min(first ?? firstRow, firstRow), own: (own, firstRow))
        guard !moves.isEmpty else { return }
        let moved = moves.known + confirmedMoves(moves.possible, of: source, in: index)
        guard !moved.isEmpty else { return }
        // Buffered metadata must move too.
        metadata.drainNow()
        try indexStore.disk.copyMetadata(moved)
        configuration.sharing?.learned()
        renamed.record(moved.map { ($0.old, $0.added.id) })
        for move in moved { recent.forget(move.added.id) }
    }

    private func note(arrivalsFrom firstRow: UInt32, of source: NamedSource, in index: Index) {
        let record = records[source.ordinal]
        let now = ContinuousClock.now
        record.arrivals.removeAll { now - $0.at > configuration.moving }
        guard let next = try? index.counters().nextRow, next > firstRow, next - firstRow < Self.maximumMoving else {
            return
        }
        record.arrivals.append((firstRow, index, now))
    }

    /// The files among these that have the same content as a removed one, judging by their digests.
    private func confirmedMoves(
        _ files: [Index.PossibleMove], of source: NamedSource, in index: Index
    ) -> [Index.Moved] {
        guard !files.isEmpty else { return [] }
        let parts = mutableState.withLock(\.snapshot.parts)
        return files.prefix(Self.maximumDigested).compactMap { file in
            // Images added by this source's scan are not in the snapshot yet.
            let ordinal = parts.indices.first { parts[$0].position(of: file.added.id) != nil } ?? source.ordinal
            let digest = try? whileItProgresses(sources[ordinal]) { _ in self.digest(of: file, in: ordinal) }
            guard let digest, let old = file.gone[digest] else { return nil }
            return Index.Moved(old: old, added: file.added, isCertain: false)
        }
    }

    private func digest(of file: Index.PossibleMove, in folder: Int) -> ContentDigest? {
        guard let open = try? openFile(folder: folder, path: file.path), open.version == file.added.version else {
            return nil
        }
        return withUnsafeTemporaryAllocation(byteCount: ContentDigest.headLength, alignment: 8) { head in
            let count = configuration.fileSystem.readHead(open.descriptor, into: head)
            guard count >= 0 else { return nil }
            return ContentDigest(head: UnsafeRawBufferPointer(rebasing: head[..<count]), size: open.size)
        }
    }
}
