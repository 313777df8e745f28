import GRDB
public import Images
import Locking
import Logging
import Synchronization

extension Catalog {
    /// The image with this id; nil if the catalog does not contain it.
    ///
    /// - Throws: `CatalogError.indexUnavailable`, `.closed`.
    public func image(_ id: ImageID) async throws -> GalleryImage? {
        if let image = recentImage(id) { return image }
        let revision = mutableState.withLock(\.snapshot.revision)
        return try await recent.lookUp(id, revision: revision) { [self] in
            try await reading(1) { moment in
                let places = [moment.snapshot.index(of: id)].compactMap(\.self)
                return (moment.snapshot.revision, try images(of: moment.snapshot, at: places).first)
            }
        }.value
    }

    /// The current state of an image if it is in the cache of recently read images. Callable on any thread; never
    /// waits.
    public func recentImage(_ id: ImageID) -> GalleryImage? {
        let revision = mutableState.withLock { $0.isClosed ? nil : $0.snapshot.revision }
        return revision.flatMap { recent.image(id, revision: $0) }
    }

    /// The images with these ids, as far as the catalog contains them, all at one revision.
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

    /// The images at these positions of a view, as far as they exist.
    ///
    /// - Throws: `CatalogError.limitOutOfRange` for more than `Page.maximumLimit`, `.offsetOutOfRange` for a negative
    ///   position, `.positionsOnly`, `.busy`, `.indexUnavailable`, `.closed`.
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

    /// Reads images of one revision in a read queue, which may have to wait for the disk. Small reads have a queue of
    /// their own, so that they never wait behind large ones.
    ///
    /// - Parameters:
    ///   - count: The number of images wanted.
    ///   - purpose: Selects the read queue.
    ///   - read: Returns nil if the index no longer has what the snapshot names.
    func reading<Value: Sendable>(
        _ count: Int, for purpose: ReadingPurpose = .program, _ read: @Sendable (ReadContext) async throws -> Value?
    ) async throws -> Value {
        try await (count <= 4 ? lookupQueue : purpose == .view ? viewerQueue : readQueue).serve {
            try await reading(read)
        }
    }

    /// The same for an order: the cached one, or, if rows of it are gone, a new one.
    func reading<Value: Sendable>(
        _ count: Int, of view: View, for purpose: ReadingPurpose = .program,
        _ read: @Sendable (Order, ReadContext) async throws -> Value?
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

    private func reading<Value: Sendable>(_ read: @Sendable (ReadContext) async throws -> Value?) async throws -> Value
    {
        // Rows are deleted once their images have left the order, so a reader with an older order tries again with the
        // newer one. That ends when no change overtakes the reader; the bound is generous, so as not to give up too
        // early.
        var isFirst = true
        for _ in 0..<50 {
            let moment = try moment()
            do {
                if let value = try await read(moment) { return value }
            } catch let failure as IndexFailure {
                // An order may belong to an older snapshot than the one read here.
                let isNewest = mutableState.withLock { $0.snapshot.isSame(as: moment.snapshot) }
                if isNewest, !isFirst { throw note(failure) }
                isFirst = false
            }
        }
        throw CatalogError.indexUnavailable
    }

    /// The error for the caller when an index cannot be read. Also starts a repair, or a check for recovery.
    func note(_ failure: IndexFailure) -> CatalogError {
        guard !mutableState.withLock(\.isClosed) else { return .closed }
        // A damaged index has been reported already.
        guard !failure.index.isDamaged.load(ordering: .relaxed) else { return .indexUnavailable }
        logger.error("The index cannot be read.", metadata: ["error": "\(failure.error)"])
        if failure.error.isDamage {
            repair(failure.index, because: failure.error)
        } else {
            noteUnreadable(failure.index)
        }
        return .indexUnavailable
    }

    /// The images at these indices of the snapshot, in this order. Reads each index of the catalog once. Blocking.
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
                        scannedImage: ScannedImage(
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
        // Buffered metadata is read before the index. Metadata written to the index meanwhile is then in one of the
        // two, or in both.
        var ids = found.map { $0?.id }
        for row in listed.lazy.flatMap(\.entries) { ids[row.place] = row.entry.id }
        let gathered = metadata.gathered(of: ids.compactMap(\.self))
        let disk = indexStore.disk
        var learned: Result<[LearnedMetadata?], any Error>?
        for rows in listed {
            let read = try rows.read(learning: rows.index === disk ? ids : [])
            if rows.index === disk { learned = read.learned }
            for (entry, row) in zip(rows.entries, read.rows) {
                found[entry.place] = Found(row, of: sources[entry.ordinal])
            }
        }
        if learned == nil { learned = disk.learned(of: ids) }
        let known = readableMetadata(learned, by: disk)
        let names = NameDates(isOn: configuration.datesFromNames)
        return found.indices.compactMap { place in
            found[place].map { found in
                guard let newer = gathered[found.id] else { return found.image(known?[place], names) }
                return found.image(known?[place]?.updated(with: newer) ?? newer, names)
            }
        }
    }

    /// The metadata of images, if it can be read; images can be displayed without it.
    private func readableMetadata(_ learned: Result<[LearnedMetadata?], any Error>?, by index: Index)
        -> [LearnedMetadata?]?
    {
        do {
            return try learned?.get()
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

    /// Adds entries to those of the same index.
    static func add(_ entries: [Wanted], of index: Index, to listed: inout [ListedRows]) {
        if let place = listed.firstIndex(where: { $0.index === index }) {
            listed[place].entries += entries
        } else {
            listed.append(ListedRows(index: index, entries: entries))
        }
    }

    /// - Parameter ids: Images whose metadata is read as well.
    /// - Throws: `IndexFailure`.
    func read(learning ids: [ImageID?]) throws -> (rows: [ImageRow], learned: Result<[LearnedMetadata?], any Error>) {
        do {
            let read = try index.read(entries.map(\.entry.row), learning: ids)
            let rows = try zip(entries, read.rows).map { wanted, row in
                guard let row, row.id == wanted.entry.id else { throw DatabaseError.missingRows }
                return row
            }
            return (rows, read.learned)
        } catch let error as DatabaseError {
            throw IndexFailure(index: index, error: error)
        }
    }
}

/// The state that one read works with.
struct ReadContext: Sendable {
    let snapshot: Snapshot
    let tombstones: Tombstones
    let isScanning: Bool
}

/// A read of an index failed.
struct IndexFailure: Error {
    let index: Index
    let error: DatabaseError
}

/// The data of an image from its order and its row.
private struct Found {
    let id: ImageID
    let location: ImageLocation
    let name: String
    let scannedImage: ScannedImage
    /// Whether the name may contain a date.
    let isNamed: Bool

    init(id: ImageID, location: ImageLocation, name: String, scannedImage: ScannedImage, isNamed: Bool = false) {
        self.id = id
        self.location = location
        self.name = name
        self.scannedImage = scannedImage
        self.isNamed = isNamed
    }

    init(_ row: ImageRow, of source: NamedSource) {
        let scannedImage = row.scannedImage
        self.init(
            id: row.id, location: source.kind.location(of: scannedImage, in: source.ordinal),
            name: scannedImage.stated.name ?? scannedImage.original.name(at: scannedImage.location),
            scannedImage: scannedImage, isNamed: true)
    }

    func image(_ learned: LearnedMetadata?, _ names: NameDates) -> GalleryImage {
        var known = learned
        if let version = scannedImage.original.version {
            // The version comes from the disk or the bucket; metadata of an older version is out of date.
            if known?.version != version { known = LearnedMetadata(metadata: ImageMetadata(), version: version) }
            known?.metadata.byteCount = scannedImage.original.size
        }
        var metadata = scannedImage.stated.completing(known?.metadata ?? ImageMetadata())
        let namedDate = isNamed && metadata.takenAt == nil ? names.takenAt(in: name) : nil
        metadata.takenAt = metadata.takenAt ?? namedDate
        return GalleryImage(
            id: id, name: name, location: location, version: known?.version, metadata: metadata,
            isDateFromName: namedDate != nil)
    }
}

extension ScannedImage.Stated {
    /// Completes metadata with values stated in the list. Width and height are taken as a pair: a stated width with a
    /// measured height would fit no image.
    fileprivate func completing(_ metadata: ImageMetadata) -> ImageMetadata {
        var metadata = metadata
        if metadata.width == nil, metadata.height == nil {
            metadata.width = width
            metadata.height = height
        }
        metadata.takenAt = metadata.takenAt ?? takenAt
        return metadata
    }
}
