import Images

extension Catalog {
    /// At most `limit` images from the one with the index `offset` on; beyond the end an empty page.
    ///
    /// - Throws: `CatalogError.offsetOutOfRange`, `.limitOutOfRange`, `.busy`, `.indexUnavailable`, `.closed`.
    public func page(
        offset: Int, limit: Int, for purpose: ReadingPurpose = .program
    ) async throws -> Page {
        guard offset >= 0 else { throw CatalogError.offsetOutOfRange }
        return try await page(limit: limit, for: purpose) { _ in offset }
    }

    /// At most `limit` images that follow the cursor's place. A reader that follows `next` sees each image that was
    /// there all along exactly once, whatever is added or removed meanwhile. (Lines of a list that change places do
    /// move their images past a reader.)
    ///
    /// - Throws: `CatalogError.staleCursor`, `.limitOutOfRange`, `.busy`, `.indexUnavailable`, `.closed`.
    public func page(after cursor: Cursor, limit: Int) async throws -> Page {
        try await page(limit: limit) { moment in
            guard let index = moment.index(after: cursor) else { throw CatalogError.staleCursor }
            return index
        }
    }

    private func page(
        limit: Int, for purpose: ReadingPurpose = .program, from start: @Sendable (Moment) throws -> Int
    ) async throws -> Page {
        guard (1...Page.maximumLimit).contains(limit) else { throw CatalogError.limitOutOfRange }
        let read = try await read(limit, for: purpose) { moment in
            let start = try start(moment)
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

    private struct Reading: Sendable {
        let snapshot: Snapshot
        let isScanning: Bool
        let range: Range<Int>
        let images: [GalleryImage]
    }

    /// Reads the images of a range that is chosen in the very revision that is read.
    private func read(
        _ count: Int, for purpose: ReadingPurpose, _ choose: @Sendable (Moment) throws -> Range<Int>
    ) async throws -> Reading {
        try await reading(count, for: purpose) { moment in
            let range = try choose(moment)
            let images = try await images(of: moment.snapshot, at: range.clamped(to: 0..<moment.snapshot.total))
            return Reading(snapshot: moment.snapshot, isScanning: moment.isScanning, range: range, images: images)
        }
    }
}

extension Moment {
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
