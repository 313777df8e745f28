import Dispatch

extension Catalog: ListingHearing {
    /// Has the source be read from this listing, unless all of it is known.
    public func heard(_ listing: SharedListing) {
        guard let source = sources.first(where: { $0.key == listing.source }) else { return }
        let begun = ContinuousClock.now - listing.age
        scanning.async { [weak self] in
            guard let self else { return }
            let record = records[source.ordinal]
            // What is known to be newer than the listing has another one be made in its time.
            let known = [record.listed, record.looks.forgotten].compactMap(\.self).max()
            guard record.digest != listing.digest, known.map({ $0 < begun }) ?? true else { return }
            rescan([source.ordinal], listedWithin: .now - begun + .seconds(1))
        }
    }
}
