import GRDB
import Images

/// One source while it is read: names what is seen, writes it to the index in batches, and shows what there is so far.
///
/// Belongs to the scanning queue.
final class SourceScan {
    private static let batchSize = 1000

    /// What is known of the source from before.
    struct Former {
        let listing: Listing
        /// Where its rows are; perhaps not in the index that is written now.
        let index: Index
    }

    /// What the scan came to.
    struct Outcome {
        let listing: Listing
        /// Whether there is anything to show that was not shown before.
        let isNews: Bool
        /// Images of the listing before that are not in this one, each with the nearest after it that stayed.
        let gone: [(id: ImageID, anchor: ImageID?)]
        /// Rows of the index that no listing has any more.
        let dropped: [(id: ImageID, row: UInt32)]
    }

    private let index: Index
    private let writer: BatchWriter
    private let identity: Identity
    /// The parts whose ids are settled: the sources before this one, and the templates.
    private let settled: [Snapshot.Part]
    private let former: Former?
    /// What this index has of the source, if it has anything.
    private let written: Listing?
    private let growthInterval: Duration
    private let showGrowth: ((Listing) -> Void)?

    private var taken: Set<UInt64> = []
    private var repeats: [UInt64: UInt64] = [:]
    private var batch: [BatchWriter.Seen] = []
    private var nextShow: ContinuousClock.Instant
    private var hasRested = false
    /// Paths of which it could not be told what lies there and beneath them: what was known of it stays.
    var untold = UntoldPaths()

    /// - Parameters:
    ///   - former: what is known from before, wherever its rows are.
    ///   - written: what this index has of the source.
    ///   - showGrowth: called now and then with what there is so far; nil when the last listing is shown meanwhile.
    init(
        index: Index, identity: Identity, settled: [Snapshot.Part], former: Former?, written: Listing?,
        growthInterval: Duration, nextRevision: @escaping @Sendable () -> UInt64, showGrowth: ((Listing) -> Void)?
    ) throws {
        self.index = index
        self.identity = identity
        self.settled = settled
        self.former = former
        self.written = written
        self.growthInterval = growthInterval
        self.showGrowth = showGrowth
        writer = BatchWriter(index: index, nextRow: try index.counters().nextRow, nextRevision: nextRevision)
        // The first look comes early: somebody may be waiting before an empty page.
        nextShow = .now + min(growthInterval, .milliseconds(30))
        taken.reserveCapacity(former?.listing.count ?? 0)
    }

    func add(_ sighting: Sighting) throws {
        let id = identity.id(of: sighting.location, repeats: &repeats) { id in
            taken.contains(id) || settled.contains { $0.position(of: ImageID(rawValue: id)) != nil }
        }
        taken.insert(id.rawValue)
        append(id, sighting)
        let isDue = showGrowth != nil && ContinuousClock.now >= nextShow
        guard batch.count >= Self.batchSize || isDue else { return }
        try commit()
        if isDue {
            showGrowth?(try writer.written().listing)
            nextShow = .now + growthInterval
        }
    }

    /// Nothing may come for a while: what was seen is shown, the first time at once.
    func rest() throws {
        guard let showGrowth, !hasRested || ContinuousClock.now >= nextShow else { return }
        hasRested = true
        try commit()
        showGrowth(try writer.written().listing)
        nextShow = .now + growthInterval
    }

    /// Nothing is written any more when this returns.
    func end() { writer.end() }

    func finish() throws -> Outcome {
        try commit()
        let seen = try writer.written().listing
        let listing = try former.map { try restored(seen, from: $0) } ?? seen
        var dropped: [(id: ImageID, row: UInt32)] = []
        if let written {
            for position in 0..<written.count where !taken.contains(written[position].id.rawValue) {
                dropped.append(written[position])
            }
        }
        guard let former else { return Outcome(listing: listing, isNews: true, gone: [], dropped: dropped) }
        var gone: [(id: ImageID, anchor: ImageID?)] = []
        var anchor: ImageID?
        for position in (0..<former.listing.count).reversed() {
            let id = former.listing[position].id
            if taken.contains(id.rawValue) { anchor = id } else { gone.append((id, anchor)) }
        }
        let isNews = try writer.written().isNews || !listing.hasOrder(of: former.listing)
        return Outcome(listing: listing, isNews: isNews, gone: gone, dropped: dropped)
    }

    /// What was seen, and among it, in its place in the order, what could not be told. Only of folders something is not
    /// told.
    private func restored(_ seen: Listing, from former: Former) throws -> Listing {
        guard !untold.isEmpty else { return seen }
        let missing = (0..<former.listing.count).filter { !taken.contains(former.listing[$0].id.rawValue) }
        var kept: [(key: PathKey, entry: Listing.Entry)] = []
        for start in stride(from: 0, to: missing.count, by: Self.batchSize) {
            let positions = missing[start..<min(start + Self.batchSize, missing.count)]
            for (position, row) in zip(positions, try rows(positions.map { former.listing[$0].row }, of: former)) {
                guard let row, row.id == former.listing[position].id, untold.contains(row.sighting.location) else {
                    continue
                }
                kept.append((PathKey(file: FilePath.bytes(of: row.sighting.location)), former.listing[position]))
                taken.insert(row.id.rawValue)
                // In another index than before it is written anew.
                if former.index !== index { append(row.id, row.sighting) }
            }
        }
        guard !kept.isEmpty else { return seen }
        if former.index !== index {
            try commit()
            let all = try writer.written().listing
            for (number, position) in (seen.count..<all.count).enumerated() { kept[number].entry = all[position] }
        }
        kept.sort { $0.key < $1.key }
        do {
            return try index.reading { row in
                var locator = Locator(listing: seen, row: row)
                return seen.applying(
                    try kept.map { key, entry in
                        let position = try locator.position(of: key)
                        return Listing.Edit(range: position..<position, entries: [entry])
                    })
            }
        } catch is FolderUpdate.Unclear {
            throw DatabaseError.missingRows
        }
    }

    /// The rows of what is known from before. Of an index that is given up those count that can still be read.
    private func rows(_ numbers: [UInt32], of former: Former) throws -> [ImageRow?] {
        if former.index !== index {
            if let rows = try? former.index.read(numbers) { return rows }
            return numbers.map { try? former.index.read([$0]).first ?? nil }
        }
        let rows = try index.read(numbers)
        guard rows.allSatisfy({ $0 != nil }) else { throw DatabaseError.missingRows }
        return rows
    }

    private func append(_ id: ImageID, _ sighting: Sighting) {
        let known = written.flatMap { listing in listing.position(of: id).map { listing[$0].row } }
        batch.append((id, known, sighting))
    }

    private func commit() throws {
        guard !batch.isEmpty else { return }
        try writer.write(batch)
        batch = []
        batch.reserveCapacity(Self.batchSize)
    }
}
