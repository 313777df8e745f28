import GRDB
public import Images
import Logging
import Synchronization

extension Catalog {
    /// At most `limit` images from the one with the index `offset` on; beyond the end an empty page.
    ///
    /// - Throws: `CatalogError.offsetOutOfRange`, `.limitOutOfRange`, `.indexUnavailable`, `.closed`.
    public func page(offset: Int, limit: Int) async throws -> Page {
        guard offset >= 0 else { throw CatalogError.offsetOutOfRange }
        return try await page(limit: limit) { _ in offset }
    }

    /// At most `limit` images that follow the cursor's place. A reader that follows `next` sees each image that was
    /// there all along exactly once, whatever is added or removed meanwhile. (Lines of a list that change places do
    /// move their images past a reader.)
    ///
    /// - Throws: `CatalogError.staleCursor`, `.limitOutOfRange`, `.indexUnavailable`, `.closed`.
    public func page(after cursor: Cursor, limit: Int) async throws -> Page {
        try await page(limit: limit) { standing in
            guard let index = standing.index(after: cursor) else { throw CatalogError.staleCursor }
            return index
        }
    }

    /// The image with this id, or nil when the catalog has none.
    ///
    /// - Throws: `CatalogError.indexUnavailable`, `.closed`.
    public func image(_ id: ImageID) async throws -> GalleryImage? {
        try await read { standing in
            standing.snapshot.index(of: id).map { $0..<$0 + 1 } ?? 0..<0
        }.images.first
    }

    /// The images with these indices, as far as there are any.
    ///
    /// - Throws: `CatalogError.limitOutOfRange` for more than `Page.maximumLimit`, `.offsetOutOfRange` for a negative
    ///   index, `.indexUnavailable`, `.closed`.
    public func images(at range: Range<Int>) async throws -> [GalleryImage] {
        guard range.lowerBound >= 0 else { throw CatalogError.offsetOutOfRange }
        guard range.count <= Page.maximumLimit else { throw CatalogError.limitOutOfRange }
        return try await read { _ in range }.images
    }

    private func page(limit: Int, from start: @Sendable (Standing) throws -> Int) async throws -> Page {
        guard (1...Page.maximumLimit).contains(limit) else { throw CatalogError.limitOutOfRange }
        let read = try await read { standing in
            let start = try start(standing)
            return start..<start.addingReportingOverflow(limit).partialValue.clamped(to: start)
        }
        let end = read.range.lowerBound + read.images.count
        var next: Cursor?
        if let last = read.images.last {
            if end < read.snapshot.total || read.isScanning { next = Cursor(after: last.id, hint: last.index) }
        } else if read.isScanning, read.range.lowerBound >= read.snapshot.total {
            // Nothing yet: the place to ask from again is where the reader stands, after the last image known.
            let last = read.snapshot.total - 1
            next = Cursor(after: read.snapshot.id(at: last), hint: last)
        }
        return Page(
            revision: read.snapshot.revision, total: read.snapshot.total, offset: read.range.lowerBound,
            images: read.images, next: next)
    }

    private struct Reading {
        let snapshot: Snapshot
        let isScanning: Bool
        let range: Range<Int>
        let images: [GalleryImage]
    }

    /// Reads the images of a range that is chosen in the very revision that is read.
    private func read(_ choose: @Sendable (Standing) throws -> Range<Int>) async throws -> Reading {
        // Rows go when their images have gone from the order; who held an older order looks again in the newer one.
        for _ in 0..<5 {
            let (snapshot, isScanning, range) = try standing.withLock { standing in
                guard !standing.isClosed else { throw CatalogError.closed }
                return (standing.snapshot, standing.phase != .idle, try choose(standing))
            }
            let present = range.clamped(to: 0..<snapshot.total)
            do {
                if let images = try await images(of: snapshot, at: present) {
                    return Reading(snapshot: snapshot, isScanning: isScanning, range: range, images: images)
                }
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

    /// Nil when the index has no longer what the snapshot names.
    private func images(of snapshot: Snapshot, at range: Range<Int>) async throws -> [GalleryImage]? {
        var found: [(id: ImageID, location: ImageLocation, name: String, sighting: Sighting?)] = []
        found.reserveCapacity(range.count)
        for (ordinal, piece) in snapshot.pieces(of: range) {
            switch snapshot.parts[ordinal] {
            case .computed(let series):
                for position in piece {
                    let url = series.template.url(at: position)
                    found.append((series.id(at: position), .remote(url: url), series.template.name(at: position), nil))
                }
            case .listed(let listing, let index):
                let entries = piece.map { listing[$0] }
                for (entry, row) in zip(entries, try await index.images(entries.map(\.row))) {
                    guard let row, row.id == entry.id else { return nil }
                    found.append((row.id, row.location(source: ordinal), row.name, row.sighting))
                }
            }
        }
        let ids = found.map(\.id)
        // In this order: what is written while the index is read is in one of the two, or in both.
        let gathered = facts.gathered(of: ids)
        let learnt = try await shelf.disk.learnt(of: ids).merging(gathered) { $0.updated(with: $1) }
        return zip(range, found).map { index, image in
            var known = learnt[image.id]
            if let stamp = image.sighting?.stamp {
                // A file's version is what the disk says; what was learnt of an older content is no longer true.
                if known?.version != stamp.version { known = Learnt(facts: ImageFacts(), version: stamp.version) }
                known?.facts.byteCount = stamp.size
            }
            return GalleryImage(
                id: image.id, index: index, name: image.name, location: image.location, version: known?.version,
                facts: image.sighting?.stated.completing(known?.facts ?? ImageFacts()) ?? known?.facts ?? ImageFacts())
        }
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

extension Standing {
    /// The index of the image that follows the cursor's place; nil when that place is forgotten.
    fileprivate func index(after cursor: Cursor) -> Int? {
        guard let last = cursor.last else { return 0 }
        let hint = Int(clamping: cursor.hint)
        if snapshot.id(at: hint) == last { return hint + 1 }
        return snapshot.index(of: last).map { $0 + 1 } ?? departures.index(after: last, in: snapshot)
    }
}

extension Int {
    /// The greater of this and the bound; for a sum that may have overflowed.
    fileprivate func clamped(to lowest: Int) -> Int { self < lowest ? .max : self }
}
