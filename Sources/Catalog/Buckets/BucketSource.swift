import Images
import Locking

/// The objects of a bucket whose keys look like names of pictures.
struct BucketSource: SourceReading {
    let address: BucketAddress

    var name: String { address.name }
    var folderName: String? { address.shortName }
    var emptiness: String {
        "holds no picture: no key in it ends like a picture's name (.jpg and the like). Check bucket and prefix."
    }

    func identity(among namesakes: inout Namesakes) -> SourceIdentity {
        SourceIdentity(
            key: namesakes.key("bucket:\(address.endpoint)/\(address.bucket)/\(address.prefix)"),
            images: Identity(bucket: address.bucket, prefix: address.prefix))
    }

    /// The store is asked when it is listed, and not before: a network that is away must not keep the other sources.
    func open(_ configuration: Catalog.Configuration) throws(CatalogError) -> FolderRoot? {
        guard configuration.objectStore != nil else { throw .badSource(word: name, reason: "no store is configured.") }
        return nil
    }

    func path(of hint: ObjectHint) -> [UInt8]? {
        hint.bucket == address.bucket ? Sighting.path(ofPicture: hint.key, beneath: address.prefix) : nil
    }

    /// Whatever else is to be looked at, only a listing tells.
    func update(_ source: NamedSource, _ visit: SourceVisit) throws -> Bool? {
        let catalog = visit.catalog
        let record = catalog.records[source.ordinal]
        let named = catalog.hints.take(of: source.ordinal)
        // Also where all is to be read: another node may have to come to its end first.
        if visit.dirt.extent == .paths || !named.paths.isEmpty, let store = catalog.configuration.objectStore {
            let isTroubled = try catalog.follow(
                named, in: source, of: visit.index, look: look(at: store, for: catalog).scopes)
            if visit.dirt.extent == .paths, let isTroubled { return isTroubled }
        }
        record.isOverrun = false
        // What was named and not looked at, a listing that is begun now tells.
        if named.isTooMany { record.looks.forget() }
        return nil
    }

    func read(_ source: NamedSource, _ visit: SourceVisit, into scan: SourceScan) throws -> SourceReport? {
        let catalog = visit.catalog
        guard let store = catalog.configuration.objectStore else { return nil }
        let record = catalog.records[source.ordinal]
        // Nobody tells of all that comes and goes there.
        record.isBlind = true
        let listing = BucketListing(
            address: address, store: store, pace: catalog.configuration.pageRetrying,
            retries: catalog.configuration.pageRetries, isStopped: { catalog.isEnding }
        ) { refusal in
            var problems = CatalogState.Problems()
            if let refusal { problems.add(.init(source: name, reason: refusal.reason)) }
            catalog.settle(source, problems)
        }
        let (began, isFirstOfRun) = (ContinuousClock.now, record.listed == nil)
        let inTurn = ListingInTurn(
            listing: listing, sharing: catalog.configuration.listings, source: source.key,
            since: max(visit.listedSince, record.looks.forgotten ?? visit.listedSince), isFirst: visit.former == nil,
            digest: visit.former?.index === visit.index ? record.digest : nil)
        var corrections = Corrections()
        let outcome = try inTurn.read { begun in
            let scopes = try look(at: store, for: catalog).scopes(of: record.looks.paths(since: begun))
            corrections = Corrections(scopes, beneath: address.prefix)
        } take: { objects in
            record.digest = nil
            for object in objects {
                for sighting in corrections.next(before: object.key) { try scan.add(sighting) }
                guard !corrections.isOf(object.key) else { continue }
                if let sighting = Sighting(object, beneath: address.prefix) { try scan.add(sighting) }
            }
            try scan.rest()
        }
        switch outcome {
        case .stopped: return nil
        case .later:
            catalog.comeBack(to: source, listedSince: inTurn.since)
            return nil
        case .known(let listed):
            record.note(listed)
            catalog.settle(source, catalog.standing.withLock { $0.problemsWhenRead[source.ordinal] })
            return nil
        case .read(let listed):
            for sighting in corrections.next() { try scan.add(sighting) }
            record.note(listed)
            if isFirstOfRun, listed.begun < began - Self.leeway {
                // Of what has come and gone in the meantime nobody told this node.
                record.looks.forget(until: began)
                record.durations[.everything] = nil
            }
            return SourceReport(digest: corrections.isEmpty ? listed.digest : nil)
        }
    }

    private func look(at store: any ObjectStoreAsking, for catalog: Catalog) -> KeyLook {
        KeyLook(address: address, store: store) { catalog.isEnding }
    }

    /// Nodes that are started together are so far apart.
    private static let leeway = Duration.seconds(2)

    func place(of sighting: Sighting, in ordinal: Int) -> ImageLocation {
        .object(
            bucket: ordinal, path: sighting.location, url: address.url(of: FilePath.bytes(of: sighting.location)))
    }
}

extension BucketRefusal: SourceTrouble {}

extension Sighting {
    /// Bytes of the longest key that S3 has are 1,024; some stores have longer ones.
    private static let longestKey = 4096

    /// Of an object that may be a picture; nil for any other.
    init?(_ object: BucketObject, beneath prefix: String) {
        guard let path = Self.path(ofPicture: object.key, beneath: prefix) else { return nil }
        self.init(location: FilePath.text(of: path), original: .object(ObjectStamp(object)))
    }

    /// What follows the prefix in the key of what may be a picture; nil for any other. What a folder passes over, a bucket
    /// does, too.
    fileprivate static func path(ofPicture key: [UInt8], beneath prefix: String) -> [UInt8]? {
        guard key.starts(with: prefix.utf8), key.count <= longestKey else { return nil }
        let path = key.dropFirst(prefix.utf8.count)
        let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path
        guard ImageName.isImage(name),
            !path.split(separator: UInt8(ascii: "/")).contains(where: { ImageName.isSkipped($0) })
        else { return nil }
        return Array(path)
    }
}
