import Images

extension Catalog {
    /// At most `limit` images of a view from the position `offset`; an empty page beyond the end.
    ///
    /// - Throws: `CatalogError.offsetOutOfRange`, `.limitOutOfRange`, `.positionsOnly`, `.busy`, `.indexUnavailable`,
    ///   `.closed`.
    public func page(
        offset: Int, limit: Int, of view: View = .plain, for purpose: ReadingPurpose = .program
    ) async throws -> Page {
        guard offset >= 0 else { throw CatalogError.offsetOutOfRange }
        return try await page(limit: limit, of: view, for: purpose) { _, _ in offset }
    }

    /// At most `limit` images after the cursor. A client that follows `next` sees every image that exists throughout
    /// exactly once, whatever is added or removed meanwhile. (Reordered lines of a list are an exception.) In a
    /// searched or sorted view the positions of removed images are not remembered: there the client continues at the
    /// position that the image had when the cursor was issued.
    ///
    /// - Throws: `CatalogError.staleCursor`, `.limitOutOfRange`, `.positionsOnly`, `.busy`, `.indexUnavailable`,
    ///   `.closed`.
    public func page(after cursor: Cursor, limit: Int, of view: View = .plain) async throws -> Page {
        try await page(limit: limit, of: view) { order, moment in
            guard let index = moment.index(after: cursor, in: order) else { throw CatalogError.staleCursor }
            return index
        }
    }

    private func page(
        limit: Int, of view: View, for purpose: ReadingPurpose = .program,
        from start: @Sendable (Order, ReadContext) throws -> Int
    ) async throws -> Page {
        guard (1...Page.maximumLimit).contains(limit) else { throw CatalogError.limitOutOfRange }
        let read = try await read(limit, of: view, for: purpose) { order, moment in
            let start = try start(order, moment)
            return start..<start.addingReportingOverflow(limit).partialValue.clamped(to: start)
        }
        let end = read.range.lowerBound + read.images.count
        var next: Cursor?
        if let last = read.images.last {
            if end < read.order.count || read.isScanning { next = Cursor(after: last.id, hint: end - 1) }
        } else if read.isScanning, read.range.lowerBound >= read.order.count {
            // No further images yet: the next request continues after the last image known now.
            let last = read.order.count - 1
            next = Cursor(after: read.order.id(at: last), hint: last)
        }
        return Page(
            view: view, revision: read.order.revision, total: read.order.count, offset: read.range.lowerBound,
            images: read.images, next: next)
    }

    private struct Reading: Sendable {
        let order: Order
        let isScanning: Bool
        let range: Range<Int>
        let images: [GalleryImage]
    }

    /// Reads the images of a range that is computed from the same revision.
    private func read(
        _ count: Int, of view: View, for purpose: ReadingPurpose,
        _ choose: @Sendable (Order, ReadContext) throws -> Range<Int>
    ) async throws -> Reading {
        try await reading(count, of: view, for: purpose) { order, moment in
            let range = try choose(order, moment)
            let images = try images(of: order, at: range.clamped(to: 0..<order.count))
            return Reading(order: order, isScanning: moment.isScanning, range: range, images: images)
        }
    }
}

extension ReadContext {
    /// The index of the image after the cursor; nil if its position is forgotten.
    fileprivate func index(after cursor: Cursor, in order: Order) -> Int? {
        guard let last = cursor.last else { return 0 }
        let hint = Int(clamping: cursor.hint)
        guard order.view.isPlain else {
            if order.id(at: hint) == last { return hint + 1 }
            return order.position(of: last).map { $0 + 1 } ?? hint
        }
        if snapshot.id(at: hint) == last { return hint + 1 }
        return snapshot.index(of: last).map { $0 + 1 } ?? tombstones.index(after: last, in: snapshot)
    }
}

extension Int {
    /// `lowest` at least; `.max` if this sum has overflowed to less than that.
    fileprivate func clamped(to lowest: Int) -> Int { self < lowest ? .max : self }
}
