import GRDB
import Images

/// The scan of one source: assigns ids to scanned images, writes them to the index in batches, and makes intermediate
/// results visible.
///
/// Belongs to the scanning queue.
final class SourceScan {
    private static let batchSize = 1000

    /// What is known of the source from before the scan.
    struct Former {
        let listing: Listing
        /// The index that has its rows; perhaps not the one that is written now.
        let index: Index
    }

    /// The result of a scan.
    struct Outcome {
        let listing: Listing
        /// Whether anything visible changes.
        let hasChanges: Bool
        /// Images of the former listing that are missing in this one, each with the nearest following image that
        /// stayed.
        let gone: [(id: ImageID, anchor: ImageID?)]
        /// Rows of the index that no listing contains any more.
        let dropped: [(id: ImageID, row: UInt32)]
    }

    private let index: Index
    private let writer: BatchWriter
    private let identity: ImageIDGenerator
    /// The parts whose ids take precedence: those of earlier sources, and templates.
    private let settled: [Snapshot.Part]
    private let former: Former?
    /// The source's listing in this index, if there is one.
    private let written: Listing?
    private let growthInterval: Duration
    private let publishGrowth: ((Listing) -> Void)?

    private var taken: Set<UInt64> = []
    private var repeats: [UInt64: UInt64] = [:]
    private var batch: [BatchWriter.Seen] = []
    private var nextPublication: ContinuousClock.Instant
    private var hasRested = false
    /// Paths whose present state, including everything beneath them, is unknown. What was known about them stays.
    var unreadable = UnreadablePaths()

    /// - Parameters:
    ///   - former: The source's listing from before, whichever index has its rows.
    ///   - written: The source's listing in this index.
    ///   - publishGrowth: Called from time to time with the listing so far; nil if the former listing stays visible
    ///   during
    ///     the scan.
    init(
        index: Index, identity: ImageIDGenerator, settled: [Snapshot.Part], former: Former?, written: Listing?,
        growthInterval: Duration, nextRevision: @escaping @Sendable () -> UInt64, publishGrowth: ((Listing) -> Void)?
    ) throws {
        self.index = index
        self.identity = identity
        self.settled = settled
        self.former = former
        self.written = written
        self.growthInterval = growthInterval
        self.publishGrowth = publishGrowth
        writer = BatchWriter(index: index, nextRow: try index.counters().nextRow, nextRevision: nextRevision)
        // The first intermediate result comes early, because somebody may be looking at an empty page.
        nextPublication = .now + min(growthInterval, .milliseconds(30))
        taken.reserveCapacity(former?.listing.count ?? 0)
    }

    func add(_ scannedImage: ScannedImage) throws {
        let id = identity.id(of: scannedImage.location, repeats: &repeats) { id in
            taken.contains(id) || settled.contains { $0.position(of: ImageID(rawValue: id)) != nil }
        }
        taken.insert(id.rawValue)
        append(id, scannedImage)
        let isDue = publishGrowth != nil && ContinuousClock.now >= nextPublication
        guard batch.count >= Self.batchSize || isDue else { return }
        try commit()
        if isDue {
            publishGrowth?(try writer.written().listing)
            nextPublication = .now + growthInterval
        }
    }

    /// Called when the next images may take a while: makes the images so far visible, the first time immediately.
    func rest() throws {
        guard let publishGrowth, !hasRested || ContinuousClock.now >= nextPublication else { return }
        hasRested = true
        try commit()
        publishGrowth(try writer.written().listing)
        nextPublication = .now + growthInterval
    }

    /// No write is running when this returns.
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
        guard let former else { return Outcome(listing: listing, hasChanges: true, gone: [], dropped: dropped) }
        var gone: [(id: ImageID, anchor: ImageID?)] = []
        var anchor: ImageID?
        for position in (0..<former.listing.count).reversed() {
            let id = former.listing[position].id
            if taken.contains(id.rawValue) { anchor = id } else { gone.append((id, anchor)) }
        }
        let hasChanges = try writer.written().hasChanges || !listing.hasOrder(of: former.listing)
        return Outcome(listing: listing, hasChanges: hasChanges, gone: gone, dropped: dropped)
    }

    /// The scanned images, with the images of unknown paths inserted in their places. Only folder sources have unknown
    /// paths.
    private func restored(_ seen: Listing, from former: Former) throws -> Listing {
        guard !unreadable.isEmpty else { return seen }
        let missing = (0..<former.listing.count).filter { !taken.contains(former.listing[$0].id.rawValue) }
        var kept: [(key: PathKey, entry: Listing.Entry)] = []
        for start in stride(from: 0, to: missing.count, by: Self.batchSize) {
            let positions = missing[start..<min(start + Self.batchSize, missing.count)]
            for (position, row) in zip(positions, try rows(positions.map { former.listing[$0].row }, of: former)) {
                guard let row, row.id == former.listing[position].id, unreadable.contains(row.scannedImage.location)
                else {
                    continue
                }
                kept.append((PathKey(file: FilePath.bytes(of: row.scannedImage.location)), former.listing[position]))
                taken.insert(row.id.rawValue)
                // Its row has to be written to the new index.
                if former.index !== index { append(row.id, row.scannedImage) }
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

    /// The rows of the former listing. From an index that is being replaced, as many as are still readable.
    private func rows(_ numbers: [UInt32], of former: Former) throws -> [ImageRow?] {
        if former.index !== index {
            if let rows = try? former.index.read(numbers) { return rows }
            return numbers.map { try? former.index.read([$0]).first ?? nil }
        }
        let rows = try index.read(numbers)
        guard rows.allSatisfy({ $0 != nil }) else { throw DatabaseError.missingRows }
        return rows
    }

    private func append(_ id: ImageID, _ scannedImage: ScannedImage) {
        let known = written.flatMap { listing in listing.position(of: id).map { listing[$0].row } }
        batch.append((id, known, scannedImage))
    }

    private func commit() throws {
        guard !batch.isEmpty else { return }
        try writer.write(batch)
        batch = []
        batch.reserveCapacity(Self.batchSize)
    }
}
