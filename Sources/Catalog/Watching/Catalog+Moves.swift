import Dispatch
import Images
import Locking

extension Catalog {
    /// With more images than this that have gone, or come, it is not waited whether they are found elsewhere.
    private static let mostMoving = 50_000
    /// Files of one reading that are opened to be known by their digests, at most.
    private static let mostDigested = 2_000

    /// Takes down that images have gone. Their rows and what was learnt of them stay for a while: a file that comes may be
    /// the same. Scanning queue.
    func leave(_ dropped: [(id: ImageID, row: UInt32)], of source: NamedSource, in index: Index) throws {
        let record = records[source.ordinal]
        let leaving = record.left(in: index) + dropped
        record.leaving = leaving.isEmpty ? nil : (leaving, index)
        if leaving.count > Self.mostMoving || configuration.moving == .zero && isWhole {
            try letGo(of: source)
        } else {
            letGoInTime(of: source)
        }
    }

    /// Whether nothing is left that is not shown yet, and may be one that has gone.
    private var isWhole: Bool { records.allSatisfy(\.unfinished.paths.isEmpty) }

    /// Lets go of what has gone when nothing that comes can be the same any more. Scanning queue.
    private func letGoInTime(of source: NamedSource) {
        let record = records[source.ordinal]
        guard record.leaving != nil, !record.isLettingGo else { return }
        record.isLettingGo = true
        scanning.asyncAfter(deadline: .now() + configuration.moving.dispatched) { [weak self] in
            guard let self else { return }
            record.isLettingGo = false
            guard isWhole else { return letGoInTime(of: source) }
            // What cannot be removed now are some rows that nothing names.
            try? letGo(of: source)
        }
    }

    /// Removes what has gone from the index. Scanning queue.
    func letGo(of source: NamedSource) throws {
        guard let (images, index) = records[source.ordinal].leaving else { return }
        records[source.ordinal].leaving = nil
        let part = standing.withLock { $0.snapshot.parts[source.ordinal] }
        for start in stride(from: 0, to: images.count, by: 1000) {
            let batch = images[start..<min(start + 1000, images.count)]
            // What has come back under its name has another row, and is known.
            try index.remove(Array(batch)) { part.position(of: $0) == nil }
        }
    }

    /// Hands on what was learnt of files that are now found under another name, in this source or another. Scanning queue.
    ///
    /// - Parameters:
    ///   - dropped: images that are no longer there.
    ///   - firstRow: the first row of those that came.
    func keepFacts(
        of source: NamedSource, without dropped: [(id: ImageID, row: UInt32)], from firstRow: UInt32, in index: Index
    ) throws {
        note(arrivalsFrom: firstRow, of: source, in: index)
        let gone = dropped + records.flatMap { $0.left(in: index) }
        guard !gone.isEmpty else { return }
        let first = records.flatMap { $0.arrivals.filter { $0.index === index }.map(\.row) }.min()
        let own = Set((dropped + records[source.ordinal].left(in: index)).map(\.row))
        let moves = try index.moves(of: gone, from: min(first ?? firstRow, firstRow), own: (own, firstRow))
        guard !moves.isEmpty else { return }
        let moved = moves.known + recognised(moves.alike, of: source, in: index)
        guard !moved.isEmpty else { return }
        // What is learnt and not written yet moves, too.
        facts.drainNow()
        try shelf.disk.copyFacts(moved)
        configuration.sharing?.learned()
        for move in moved { recent.forget(move.came.id) }
    }

    private func note(arrivalsFrom firstRow: UInt32, of source: NamedSource, in index: Index) {
        let record = records[source.ordinal]
        let now = ContinuousClock.now
        record.arrivals.removeAll { now - $0.at > configuration.moving }
        guard let next = try? index.counters().nextRow, next > firstRow, next - firstRow < Self.mostMoving else {
            return
        }
        record.arrivals.append((firstRow, index, now))
    }

    /// Those of the files that have the same content as one that has gone, as far as their digests tell.
    private func recognised(
        _ files: [Index.Alike], of source: NamedSource, in index: Index
    ) -> [Index.Moved] {
        guard !files.isEmpty else { return [] }
        let parts = standing.withLock(\.snapshot.parts)
        return files.prefix(Self.mostDigested).compactMap { file in
            // What this source's reading has found is not shown yet.
            let ordinal = parts.indices.first { parts[$0].position(of: file.came.id) != nil } ?? source.ordinal
            guard let digest = digest(of: file, in: ordinal), let old = file.gone[digest] else { return nil }
            return Index.Moved(old: old, came: file.came, isCertain: false)
        }
    }

    private func digest(of file: Index.Alike, in folder: Int) -> ContentDigest? {
        guard let open = try? openFile(folder: folder, path: file.path), open.version == file.came.version else {
            return nil
        }
        return withUnsafeTemporaryAllocation(byteCount: ContentDigest.headLength, alignment: 8) { head in
            let count = configuration.fileSystem.readHead(open.descriptor, into: head)
            guard count >= 0 else { return nil }
            return ContentDigest(head: UnsafeRawBufferPointer(rebasing: head[..<count]), size: open.size)
        }
    }
}
