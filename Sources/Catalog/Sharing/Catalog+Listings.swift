import Dispatch

extension Catalog: ListingHearing {
    /// Has the source be read from this listing, unless all of it is known.
    public func heard(_ listing: SharedListing) {
        guard let source = sources.first(where: { $0.key == listing.source }) else { return }
        let begun = ContinuousClock.now - listing.age
        scanning.async { [weak self] in
            guard let self, records[source.ordinal].digest != listing.digest else { return }
            // What was read since may be newer: then it is the other nodes' turn.
            guard records[source.ordinal].lookedAt.map({ $0 < begun }) ?? true else { return }
            rescan([source.ordinal], listedWithin: .now - begun + .seconds(1))
        }
    }
}
