import GRDB
public import Images
import Logging
import Synchronization

extension Catalog {
    /// The image with this id, or nil when the catalog has none.
    ///
    /// - Throws: `CatalogError.indexUnavailable`, `.closed`.
    public func image(_ id: ImageID) async throws -> GalleryImage? {
        try await images([id])[id]
    }

    /// Those of the images with these ids that the catalog has, all of one revision.
    ///
    /// - Throws: `CatalogError.limitOutOfRange` for more than `Page.maximumLimit`, `.indexUnavailable`, `.closed`.
    public func images(_ ids: [ImageID]) async throws -> [ImageID: GalleryImage] {
        guard ids.count <= Page.maximumLimit else { throw CatalogError.limitOutOfRange }
        return try await reading { _ in
        } from: { snapshot, _ in
            // Here and not under the lock: in a great catalog a look takes microseconds.
            let places = Set(ids).compactMap { snapshot.index(of: $0) }
            return try await images(of: snapshot, at: places).map { images in
                images.reduce(into: [:]) { $0[$1.id] = $1 }
            }
        }
    }

    /// The images with these indices, as far as there are any.
    ///
    /// - Throws: `CatalogError.limitOutOfRange` for more than `Page.maximumLimit`, `.offsetOutOfRange` for a negative
    ///   index, `.indexUnavailable`, `.closed`.
    public func images(at range: Range<Int>) async throws -> [GalleryImage] {
        guard range.lowerBound >= 0 else { throw CatalogError.offsetOutOfRange }
        guard range.count <= Page.maximumLimit else { throw CatalogError.limitOutOfRange }
        return try await reading { _ in
        } from: { snapshot, _ in
            try await images(of: snapshot, at: range.clamped(to: 0..<snapshot.total))
        }
    }

    /// Reads from one revision what was chosen in it.
    ///
    /// - Parameters:
    ///   - choose: under the lock, so in short.
    ///   - read: gives nil when the index has no longer what the snapshot names.
    func reading<Chosen: Sendable, Value: Sendable>(
        _ choose: @Sendable (Standing) throws -> Chosen,
        from read: @Sendable (Snapshot, Chosen) async throws -> Value?
    ) async throws -> Value {
        // Rows go when their images have gone from the order; who held an older order looks again in the newer one. That
        // ends when the reader is faster than the changes are, which a bound must not judge too early.
        for _ in 0..<50 {
            let (snapshot, chosen) = try standing.withLock { standing in
                guard !standing.isClosed else { throw CatalogError.closed }
                return (standing.snapshot, try choose(standing))
            }
            do {
                if let value = try await read(snapshot, chosen) { return value }
                let isNewest = standing.withLock { $0.snapshot.revision == snapshot.revision }
                if isNewest { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "rows are missing") }
            } catch let error as DatabaseError {
                try noteFailure(error)
            }
        }
        throw CatalogError.indexUnavailable
    }

    private func noteFailure(_ error: DatabaseError) throws {
        guard !standing.withLock(\.isClosed) else { throw CatalogError.closed }
        logger.error("The index cannot be read.", metadata: ["error": "\(error)"])
        if error.isDamage { repair(shelf.disk, because: error) }
        throw CatalogError.indexUnavailable
    }

    /// The images at these indices of the snapshot, in this order; nil when the index has no longer what it names. Each
    /// of the sources is read once.
    func images(of snapshot: Snapshot, at indices: some Collection<Int>) async throws -> [GalleryImage]? {
        guard !indices.isEmpty else { return [] }
        var found = [Found?](repeating: nil, count: indices.count)
        for (ordinal, members) in snapshot.members(at: indices).enumerated() where !members.isEmpty {
            switch snapshot.parts[ordinal] {
            case .computed(let series):
                for (place, position) in members {
                    found[place] = Found(
                        id: series.id(at: position), location: .remote(url: series.template.url(at: position)),
                        name: series.template.name(at: position), sighting: nil)
                }
            case .listed(let listing, let index):
                let entries = members.map { listing[$0.position] }
                for (number, row) in try await index.images(entries.map(\.row)).enumerated() {
                    guard let row, row.id == entries[number].id else { return nil }
                    found[members[number].place] = Found(
                        id: row.id, location: row.location(source: ordinal), name: row.name, sighting: row.sighting)
                }
            }
        }
        let ids = found.compactMap { $0?.id }
        // In this order: what is written while the index is read is in one of the two, or in both.
        let gathered = facts.gathered(of: ids)
        let learnt = try await shelf.disk.learnt(of: ids).merging(gathered) { $0.updated(with: $1) }
        return zip(indices, found).compactMap { index, found in found.map { $0.image(at: index, learnt[$0.id]) } }
    }
}

/// What order and row tell of an image.
private struct Found {
    let id: ImageID
    let location: ImageLocation
    let name: String
    /// Nil for an image of a template, of which there is no row.
    let sighting: Sighting?

    func image(at index: Int, _ learnt: Learnt?) -> GalleryImage {
        var known = learnt
        if let stamp = sighting?.stamp {
            // A file's version is what the disk says; what was learnt of an older content is no longer true.
            if known?.version != stamp.version { known = Learnt(facts: ImageFacts(), version: stamp.version) }
            known?.facts.byteCount = stamp.size
        }
        let facts = known?.facts ?? ImageFacts()
        return GalleryImage(
            id: id, index: index, name: name, location: location, version: known?.version,
            facts: sighting?.stated.completing(facts) ?? facts)
    }
}

extension ImageRow {
    fileprivate func location(source: Int) -> ImageLocation {
        sighting.stamp == nil ? .remote(url: sighting.location) : .file(folder: source, path: sighting.location)
    }

    fileprivate var name: String {
        if let name = sighting.stated.name { return name }
        return sighting.stamp == nil ? WebAddress.name(of: sighting.location) : FilePath.name(of: sighting.location)
    }
}

extension Sighting.Stated {
    /// What was learnt, and where nothing was, what the list states. Sides are taken as a pair: a stated width beside a
    /// learnt height would be no picture's.
    fileprivate func completing(_ facts: ImageFacts) -> ImageFacts {
        var facts = facts
        if facts.width == nil, facts.height == nil {
            facts.width = width
            facts.height = height
        }
        facts.takenAt = facts.takenAt ?? takenAt
        return facts
    }
}
