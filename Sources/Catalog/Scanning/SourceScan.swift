import Images

/// One source while it is read: names what is seen, writes it to the index in batches, and shows what there is so far.
///
/// Belongs to the scanning queue.
final class SourceScan {
    private static let batchSize = 1000

    /// What the scan came to.
    struct Outcome {
        let listing: Listing
        /// Whether there is anything to show that was not shown before.
        let isNews: Bool
        /// Images of the listing before that are not in this one, each with the nearest after it that stayed.
        let gone: [(id: ImageID, row: UInt32, anchor: ImageID?)]
    }

    private let index: Index
    private let identity: Identity
    /// The parts whose ids are settled: the sources before this one, and the templates.
    private let settled: [Snapshot.Part]
    private let previous: Listing?
    private let growthInterval: Duration
    private let nextRevision: () -> UInt64
    private let showGrowth: ((Listing) -> Void)?

    private var builder = ListingBuilder()
    private var taken: Set<UInt64> = []
    private var repeats: [UInt64: UInt64] = [:]
    private var batch: [(id: ImageID, known: UInt32?, sighting: Sighting)] = []
    private var nextRow: UInt32
    private var isNews = false
    private var nextShow: ContinuousClock.Instant

    /// - Parameters:
    ///   - previous: the listing of the last time, if its rows are in this index.
    ///   - showGrowth: called now and then with what there is so far; nil when the last listing is shown meanwhile.
    init(
        index: Index, identity: Identity, settled: [Snapshot.Part], previous: Listing?, growthInterval: Duration,
        nextRevision: @escaping () -> UInt64, showGrowth: ((Listing) -> Void)?
    ) throws {
        self.index = index
        self.identity = identity
        self.settled = settled
        self.previous = previous
        self.growthInterval = growthInterval
        self.nextRevision = nextRevision
        self.showGrowth = showGrowth
        nextRow = try index.counters().nextRow
        // The first look comes early: somebody may be waiting before an empty page.
        nextShow = .now + min(growthInterval, .milliseconds(30))
        taken.reserveCapacity(previous?.count ?? 0)
    }

    func add(_ sighting: Sighting) throws {
        let id = identity.id(of: sighting.location, repeats: &repeats) { id in
            taken.contains(id) || settled.contains { $0.position(of: ImageID(rawValue: id)) != nil }
        }
        taken.insert(id.rawValue)
        let known = previous.flatMap { listing in listing.position(of: id).map { listing[$0].row } }
        batch.append((id, known, sighting))
        let isDue = showGrowth != nil && ContinuousClock.now >= nextShow
        guard batch.count >= Self.batchSize || isDue else { return }
        try commit()
        if isDue {
            showGrowth?(builder.listing())
            nextShow = .now + growthInterval
        }
    }

    func finish() throws -> Outcome {
        try commit()
        let listing = builder.listing()
        guard let previous else { return Outcome(listing: listing, isNews: true, gone: []) }
        var gone: [(id: ImageID, row: UInt32, anchor: ImageID?)] = []
        var anchor: ImageID?
        for position in (0..<previous.count).reversed() {
            let (id, row) = previous[position]
            if taken.contains(id.rawValue) { anchor = id } else { gone.append((id, row, anchor)) }
        }
        return Outcome(listing: listing, isNews: isNews || !listing.hasOrder(of: previous), gone: gone)
    }

    private func commit() throws {
        guard !batch.isEmpty else { return }
        let written = try index.write(batch, nextRow: &nextRow, revision: nextRevision())
        for (seen, row) in zip(batch, written.rows) { builder.append(seen.id, row: row) }
        isNews = isNews || written.isNews
        batch.removeAll(keepingCapacity: true)
    }
}
