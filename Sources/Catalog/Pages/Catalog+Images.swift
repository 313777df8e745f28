import GRDB
public import Images
import Locking
import Logging
import Synchronization

extension Catalog {
    /// The image with this id, or nil when the catalog has none.
    ///
    /// - Throws: `CatalogError.indexUnavailable`, `.closed`.
    public func image(_ id: ImageID) async throws -> GalleryImage? {
        if let image = recentImage(id) { return image }
        let revision = standing.withLock(\.snapshot.revision)
        return try await recent.lookUp(id, revision: revision) { [self] in
            try await reading(1) { moment in
                let places = [moment.snapshot.index(of: id)].compactMap(\.self)
                return (moment.snapshot.revision, try images(of: moment.snapshot, at: places).first)
            }
        }.value
    }

    /// The image with this id as it is now, where that is known without a look at the disk: it was asked for lately. Any
    /// thread, never waits.
    public func recentImage(_ id: ImageID) -> GalleryImage? {
        let revision = standing.withLock { $0.isClosed ? nil : $0.snapshot.revision }
        return revision.flatMap { recent.image(id, revision: $0) }
    }

    /// Those of the images with these ids that the catalog has, all of one revision.
    ///
    /// - Throws: `CatalogError.limitOutOfRange` for more than `Page.maximumLimit`, `.busy`, `.indexUnavailable`,
    ///   `.closed`.
    public func images(_ ids: [ImageID]) async throws -> [ImageID: GalleryImage] {
        guard ids.count <= Page.maximumLimit else { throw CatalogError.limitOutOfRange }
        return try await reading(ids.count) { moment in
            let places = Set(ids).compactMap { moment.snapshot.index(of: $0) }
            return try images(of: moment.snapshot, at: places).reduce(into: [:]) { $0[$1.id] = $1 }
        }
    }

    /// The images at these positions of a view, as far as there are any.
    ///
    /// - Throws: `CatalogError.limitOutOfRange` for more than `Page.maximumLimit`, `.offsetOutOfRange` for a negative
    ///   index, `.positionsOnly`, `.busy`, `.indexUnavailable`, `.closed`.
    public func images(at range: Range<Int>, of view: View = .plain) async throws -> [GalleryImage] {
        guard range.lowerBound >= 0 else { throw CatalogError.offsetOutOfRange }
        guard range.count <= Page.maximumLimit else { throw CatalogError.limitOutOfRange }
        return try await reading(range.count, of: view) { order, _ in
            try images(of: order, at: range.clamped(to: 0..<order.count))
        }
    }

    /// Blocking.
    func images(of order: Order, at range: Range<Int>) throws -> [GalleryImage] {
        try images(of: order.snapshot, at: range.map { order.sequence.index(at: $0, of: order.snapshot) })
    }

    /// Reads from one revision what was chosen in it, at a desk, which may be kept waiting by the disk. A small look is not
    /// kept waiting by large ones, whosever they are.
    ///
    /// - Parameters:
    ///   - count: how many images are asked for.
    ///   - purpose: at which desk.
    ///   - read: gives nil when the index has no longer what the snapshot names.
    func reading<Value: Sendable>(
        _ count: Int, for purpose: ReadingPurpose = .program, _ read: @Sendable (Moment) async throws -> Value?
    ) async throws -> Value {
        try await (count <= 4 ? findingDesk : purpose == .view ? viewersDesk : desk).serve { try await reading(read) }
    }

    /// The same of an order: from the one that there is, or where rows of it are gone from one made anew.
    func reading<Value: Sendable>(
        _ count: Int, of view: View, for purpose: ReadingPurpose = .program,
        _ read: @Sendable (Order, Moment) async throws -> Value?
    ) async throws -> Value {
        let tried = Guarded(false)
        return try await reading(count, for: purpose) { moment in
            let mustBeNew = tried.withLock { tried in
                defer { tried = true }
                return tried
            }
            return try await read(try await order(of: view, at: moment, mustBeNew: mustBeNew), moment)
        }
    }

    private func reading<Value: Sendable>(_ read: @Sendable (Moment) async throws -> Value?) async throws -> Value {
        // Rows go when their images have gone from the order; who held an older order looks again in the newer one. That
        // ends when the reader is faster than the changes are, which a bound must not judge too early.
        var isFirst = true
        for _ in 0..<50 {
            let moment = try moment()
            do {
                if let value = try await read(moment) { return value }
            } catch let failure as IndexFailure {
                // An order may be of an older snapshot than the moment.
                let isNewest = standing.withLock { $0.snapshot.isSame(as: moment.snapshot) }
                if isNewest, !isFirst { throw note(failure) }
                isFirst = false
            }
        }
        throw CatalogError.indexUnavailable
    }

    /// What the asker is told of an index that cannot be read; sees to it that it can be again.
    func note(_ failure: IndexFailure) -> CatalogError {
        guard !standing.withLock(\.isClosed) else { return .closed }
        // An index that is given up is known to be so.
        guard !failure.index.isDamaged.load(ordering: .relaxed) else { return .indexUnavailable }
        logger.error("The index cannot be read.", metadata: ["error": "\(failure.error)"])
        if failure.error.isDamage {
            repair(failure.index, because: failure.error)
        } else {
            noteUnreadable(failure.index)
        }
        return .indexUnavailable
    }

    /// The images at these indices of the snapshot, in this order. Each index is read once. Blocking.
    ///
    /// - Throws: `IndexFailure`.
    func images(of snapshot: Snapshot, at indices: some Collection<Int>) throws -> [GalleryImage] {
        guard !indices.isEmpty else { return [] }
        var found = [Found?](repeating: nil, count: indices.count)
        var listed: [ListedRows] = []
        for (ordinal, members) in snapshot.members(at: indices).enumerated() where !members.isEmpty {
            switch snapshot.parts[ordinal] {
            case .computed(let series):
                for (place, position) in members {
                    let url = series.template.url(at: position)
                    let size = configuration.templateSize(series.template, position)
                    found[place] = Found(
                        id: series.id(at: position), location: .remote(url: url),
                        name: series.template.name(at: position),
                        sighting: Sighting(
                            location: url, original: .url, stated: .init(width: size?.width, height: size?.height)))
                }
            case .listed(let listing, let index):
                let entries: [ListedRows.Wanted] = members.map { ($0.place, ordinal, listing[$0.position]) }
                ListedRows.add(entries, of: index, to: &listed)
            case .recovering(let listing, let old, let again, let new):
                for (place, position) in members {
                    let entry = listing[position]
                    let position = again.position(of: entry.id)
                    ListedRows.add(
                        [(place, ordinal, position.map { again[$0] } ?? entry)], of: position == nil ? old : new,
                        to: &listed)
                }
            }
        }
        // In this order: what is written while the index is read is in one of the two, or in both.
        var ids = found.map { $0?.id }
        for row in listed.lazy.flatMap(\.entries) { ids[row.place] = row.entry.id }
        let gathered = facts.gathered(of: ids.compactMap(\.self))
        let disk = shelf.disk
        var learnt: Result<[Learnt?], any Error>?
        for rows in listed {
            let read = try rows.read(learning: rows.index === disk ? ids : [])
            if rows.index === disk { learnt = read.learnt }
            for (entry, row) in zip(rows.entries, read.rows) {
                found[entry.place] = Found(row, of: sources[entry.ordinal])
            }
        }
        if learnt == nil { learnt = disk.learnt(of: ids) }
        let known = told(learnt, by: disk)
        return found.indices.compactMap { place in
            found[place].map { found in
                guard let newer = gathered[found.id] else { return found.image(known?[place]) }
                return found.image(known?[place]?.updated(with: newer) ?? newer)
            }
        }
    }

    /// What was learnt of images, as far as it can be told now: without it they can be shown all the same.
    private func told(_ learnt: Result<[Learnt?], any Error>?, by index: Index) -> [Learnt?]? {
        do {
            return try learnt?.get()
        } catch {
            if let error = error as? DatabaseError { _ = note(IndexFailure(index: index, error: error)) }
            return nil
        }
    }
}

/// Images whose rows are in one index.
private struct ListedRows {
    typealias Wanted = (place: Int, ordinal: Int, entry: Listing.Entry)

    let index: Index
    private(set) var entries: [Wanted]

    /// Puts entries among those of their index.
    static func add(_ entries: [Wanted], of index: Index, to listed: inout [ListedRows]) {
        if let place = listed.firstIndex(where: { $0.index === index }) {
            listed[place].entries += entries
        } else {
            listed.append(ListedRows(index: index, entries: entries))
        }
    }

    /// - Parameter ids: of images, what was learnt of which is read with them.
    /// - Throws: `IndexFailure`.
    func read(learning ids: [ImageID?]) throws -> (rows: [ImageRow], learnt: Result<[Learnt?], any Error>) {
        do {
            let read = try index.read(entries.map(\.entry.row), learning: ids)
            let rows = try zip(entries, read.rows).map { wanted, row in
                guard let row, row.id == wanted.entry.id else { throw DatabaseError.missingRows }
                return row
            }
            return (rows, read.learnt)
        } catch let error as DatabaseError {
            throw IndexFailure(index: index, error: error)
        }
    }
}

/// What is true at one moment, for a reader to keep to.
struct Moment: Sendable {
    let snapshot: Snapshot
    let departures: Departures
    let isScanning: Bool
}

/// An index did not tell what it was asked.
struct IndexFailure: Error {
    let index: Index
    let error: DatabaseError
}

/// What order and row tell of an image.
private struct Found {
    let id: ImageID
    let location: ImageLocation
    let name: String
    let sighting: Sighting

    init(id: ImageID, location: ImageLocation, name: String, sighting: Sighting) {
        self.id = id
        self.location = location
        self.name = name
        self.sighting = sighting
    }

    init(_ row: ImageRow, of source: NamedSource) {
        let sighting = row.sighting
        self.init(
            id: row.id, location: source.kind.place(of: sighting, in: source.ordinal),
            name: sighting.stated.name ?? sighting.original.name(at: sighting.location), sighting: sighting)
    }

    func image(_ learnt: Learnt?) -> GalleryImage {
        var known = learnt
        if let version = sighting.original.version {
            // It is what the disk or the bucket says; what was learnt of an older content is no longer true.
            if known?.version != version { known = Learnt(facts: ImageFacts(), version: version) }
            known?.facts.byteCount = sighting.original.size
        }
        let facts = known?.facts ?? ImageFacts()
        return GalleryImage(
            id: id, name: name, location: location, version: known?.version,
            facts: sighting.stated.completing(facts))
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
