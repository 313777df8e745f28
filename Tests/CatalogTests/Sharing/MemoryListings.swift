import Catalog

/// Shares listings between nodes in memory.
actor MemoryListings: ListingSharing {
    private struct Entry {
        var number: Int64
        var begun = ContinuousClock.now
        var touched: ContinuousClock.Instant? = .now
        var ended: ContinuousClock.Instant?
        var parts: [String] = []
        var digest: String?
    }

    struct Away: Error {}

    private let turn: Duration
    private var entries: [String: Entry] = [:]
    private var isAway = false
    private var hearers: [any ListingReceiving] = []

    init(turn: Duration) { self.turn = turn }

    func setAway(_ isAway: Bool) { self.isAway = isAway }

    /// Makes the listing look as if it had begun this much earlier.
    func backdate(_ listing: SharedListing, by time: Duration) { entries[listing.source]?.begun -= time }

    func tell(_ hearer: any ListingReceiving) { hearers.append(hearer) }

    func begin(_ source: String, orReadBegunWithin age: Duration) throws -> SharedListing {
        try check()
        let now = ContinuousClock.now
        if let entry = entries[source] {
            let isFree =
                entry.ended == nil
                ? entry.touched.map { $0 < now - turn } ?? true
                : entry.begun < now - age
            guard isFree else { return listing(source, entry) }
        }
        entries[source] = Entry(number: (entries[source]?.number ?? 0) + 1)
        return listing(source, entries[source]!, isOwn: true)
    }

    func state(of source: String) throws -> SharedListing? {
        try check()
        return entries[source].map { listing(source, $0) }
    }

    func parts(of listing: SharedListing, from first: Int) throws -> [String] {
        try check()
        guard let entry = entries[listing.source], entry.number == listing.number else { return [] }
        return Array(entry.parts.dropFirst(first).prefix(2))
    }

    func add(_ part: String, at number: Int, to listing: SharedListing) throws {
        try change(listing) { $0.parts.append(part) }
    }

    func renew(_ listing: SharedListing) throws { try change(listing) { _ in } }

    func end(_ listing: SharedListing, digest: String) throws {
        try change(listing) { ($0.ended, $0.digest) = (.now, digest) }
        let whole = self.listing(listing.source, entries[listing.source]!)
        for hearer in hearers { hearer.received(whole) }
    }

    func giveUp(_ listing: SharedListing) {
        guard entries[listing.source]?.number == listing.number else { return }
        entries[listing.source] = Entry(number: listing.number + 1, touched: nil)
    }

    private func change(_ listing: SharedListing, _ body: (inout Entry) -> Void) throws {
        try check()
        guard var entry = entries[listing.source], entry.number == listing.number, entry.ended == nil else {
            throw ListingLost()
        }
        entry.touched = .now
        body(&entry)
        entries[listing.source] = entry
    }

    private func check() throws { if isAway { throw Away() } }

    private func listing(_ source: String, _ entry: Entry, isOwn: Bool = false) -> SharedListing {
        let now = ContinuousClock.now
        return SharedListing(
            source: source, number: entry.number, isOwn: isOwn, parts: entry.parts.count, isWhole: entry.ended != nil,
            isAbandoned: entry.ended == nil && (entry.touched.map { $0 < now - turn } ?? true),
            age: now - entry.begun, time: (entry.ended ?? now) - entry.begun, digest: entry.digest)
    }
}
