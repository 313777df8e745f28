import Images
import Locking

/// The objects of a bucket whose keys end like image names.
struct BucketSource: SourceReading {
    let address: BucketAddress

    var name: String { address.name }
    var folderName: String? { address.shortName }
    var emptyMessage: String {
        "no pictures found: no key ends in an image extension such as .jpg. Check the bucket and prefix."
    }

    func identity(among namesakes: inout Namesakes) -> SourceIdentity {
        SourceIdentity(
            key: namesakes.key("bucket:\(address.endpoint)/\(address.bucket)/\(address.prefix)"),
            images: ImageIDGenerator(bucket: address.bucket, prefix: address.prefix))
    }

    /// Sends no request: an unreachable store must not keep the other sources from opening.
    func open(_ configuration: Catalog.Configuration) throws(CatalogError) -> FolderRoot? {
        guard configuration.objectStore != nil else { throw .badSource(word: name, reason: "no store is configured.") }
        return nil
    }

    func path(of hint: ObjectHint) -> [UInt8]? {
        hint.bucket == address.bucket ? ScannedImage.path(ofPicture: hint.key, under: address.prefix) : nil
    }

    /// Looks up the objects that hints have named. Everything else takes a listing.
    func update(_ source: NamedSource, _ context: ScanContext) throws -> Bool? {
        let catalog = context.catalog
        let record = catalog.records[source.ordinal]
        let named = catalog.hints.take(of: source.ordinal)
        // Also before a full scan, because the scan may have to wait for another node's listing to end.
        if context.dirtySet.extent == .paths || !named.paths.isEmpty, let store = catalog.configuration.objectStore {
            let hasFailed = try catalog.follow(
                named, in: source, of: context.index, lookUp: objectLookup(at: store, for: catalog).scopes)
            if context.dirtySet.extent == .paths, let hasFailed { return hasFailed }
        }
        record.isOverrun = false
        // Hinted paths that were dropped are covered only by a listing that begins from now on.
        if named.isTooMany { record.lookups.forget() }
        return nil
    }

    func read(_ source: NamedSource, _ context: ScanContext, into scan: SourceScan) throws -> SourceReport? {
        let catalog = context.catalog
        guard let store = catalog.configuration.objectStore else { return nil }
        let record = catalog.records[source.ordinal]
        // No event source reports every change in a bucket.
        record.needsPeriodicScans = true
        let listing = BucketListing(
            address: address, store: store, pace: catalog.configuration.pageRetrying,
            retries: catalog.configuration.pageRetries, isStopped: { catalog.isEnding }
        ) { refusal in
            var problems = CatalogState.Problems()
            if let refusal { problems.add(.init(source: name, reason: refusal.reason)) }
            catalog.settle(source, problems)
        }
        let (began, isFirstOfRun) = (ContinuousClock.now, record.listed == nil)
        let inTurn = LeasedListing(
            listing: listing, sharing: catalog.configuration.listings, source: source.key,
            since: max(context.listedSince, record.lookups.forgotten ?? context.listedSince),
            isFirst: context.former == nil,
            digest: context.former?.index === context.index ? record.digest : nil,
            stallLimit: catalog.configuration.listingStallLimit)
        var corrections = ListingCorrections()
        let excluded = catalog.configuration.excluded
        var unshown = UnshownCounts()
        let outcome = try inTurn.read { begun in
            let scopes = try objectLookup(at: store, for: catalog).scopes(of: record.lookups.paths(since: begun))
            corrections = ListingCorrections(scopes, under: address.prefix)
        } take: { objects in
            record.digest = nil
            for object in objects {
                for scannedImage in corrections.next(before: object.key) { try scan.add(scannedImage) }
                guard !corrections.isOf(object.key), let path = address.path(of: object.key, excluded) else { continue }
                if let scannedImage = ScannedImage(object, under: address.prefix) {
                    try scan.add(scannedImage)
                } else if let kind = UnshownKind(fileName: path) {
                    unshown.add(kind)
                }
            }
            try scan.rest()
        }
        switch outcome {
        case .stopped: return nil
        case .later:
            catalog.rescanLater(source, listedSince: inTurn.since)
            return nil
        case .known(let listed):
            record.note(listed)
            catalog.settle(source, catalog.mutableState.withLock { $0.problemsWhenRead[source.ordinal] })
            return nil
        case .read(let listed):
            for scannedImage in corrections.next() { try scan.add(scannedImage) }
            record.note(listed)
            if isFirstOfRun, listed.begun < began - Self.leeway {
                // This node heard nothing of the changes between the beginning of that listing and now.
                record.lookups.forget(until: began)
                record.durations[.everything] = nil
            }
            return SourceReport(unshown: unshown, digest: corrections.isEmpty ? listed.digest : nil)
        }
    }

    private func objectLookup(at store: any ObjectStoreRequesting, for catalog: Catalog) -> ObjectLookup {
        ObjectLookup(address: address, store: store, excluded: catalog.configuration.excluded) { catalog.isEnding }
    }

    /// The largest difference between the start times of nodes that are started together.
    private static let leeway = Duration.seconds(2)

    func location(of scannedImage: ScannedImage, in ordinal: Int) -> ImageLocation {
        .object(
            bucket: ordinal, path: scannedImage.location,
            url: address.url(of: FilePath.bytes(of: scannedImage.location)))
    }
}

extension BucketRefusal: SourceFailure {}

extension ScannedImage {
    /// In bytes. S3 keys have at most 1,024 bytes; some stores allow longer ones.
    private static let longestKey = 4096

    /// For an object that may be an image; nil for any other.
    init?(_ object: BucketObject, under prefix: String) {
        guard let path = Self.path(ofPicture: object.key, under: prefix) else { return nil }
        self.init(location: FilePath.text(of: path), original: .object(ObjectStamp(object)))
    }

    /// The part of the key after the prefix if the object may be an image; nil for any other.
    fileprivate static func path(ofPicture key: [UInt8], under prefix: String) -> [UInt8]? {
        guard ImageName.isImage(key) else { return nil }
        return path(of: key, under: prefix)
    }

    /// The part of the key after the prefix; nil for keys that no gallery shows. Skips the same names as a scan of a
    /// folder does.
    fileprivate static func path(of key: [UInt8], under prefix: String) -> [UInt8]? {
        guard key.starts(with: prefix.utf8), key.count <= longestKey else { return nil }
        let path = key.dropFirst(prefix.utf8.count)
        let isSkipped = path.split(separator: UInt8(ascii: "/")).contains { SkippedName.contains($0) }
        return isSkipped ? nil : Array(path)
    }
}

extension BucketAddress {
    /// The part of an object's key after the prefix; nil if the object is left out, or is a folder.
    func path(of key: [UInt8], _ excluded: SkipPatterns) -> [UInt8]? {
        guard let path = ScannedImage.path(of: key, under: prefix), path.last != UInt8(ascii: "/"),
            !excluded.leavesOut(file: path)
        else { return nil }
        return path
    }

    /// Whether an object is an image, or of a kind that is not shown but counted.
    func counts(_ key: [UInt8]) -> Bool {
        guard let path = ScannedImage.path(of: key, under: prefix) else { return false }
        return ImageName.isImage(path) || UnshownKind(fileName: path) != nil
    }
}
