import Dispatch

extension Catalog: ListingReceiving {
    /// Scans the source from this listing, unless its content is already known.
    public func received(_ listing: SharedListing) {
        guard let source = sources.first(where: { $0.key == listing.source }) else { return }
        let begun = ContinuousClock.now - listing.age
        scanning.async { [weak self] in
            guard let self else { return }
            let record = records[source.ordinal]
            // If newer changes are already known than this listing has, a later listing will bring them.
            let known = [record.listed, record.lookups.forgotten].compactMap(\.self).max()
            guard record.digest != listing.digest, known.map({ $0 < begun }) ?? true else { return }
            rescan([source.ordinal], listedWithin: .now - begun + .seconds(1))
        }
    }
}
