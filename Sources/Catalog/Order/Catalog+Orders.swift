import GRDB
public import Images
import Dispatch
import Locking
import Logging
import Synchronization

extension Catalog {
    /// Orders unused for this long are dropped, and rebuilt when needed.
    private static let attention = Duration.seconds(60)

    /// Drops orders that have not been used for a while and are quickly rebuilt. Call it when no requests are pending.
    public func forgetIdleOrders(now: ContinuousClock.Instant = .now) {
        orders.forget(unusedSince: now - Self.attention)
        scopeOrders.forget(unusedSince: now - Self.attention)
    }

    private func orders(for view: View) -> OrderCache {
        view.scope != nil && view.within(nil).isPlain ? scopeOrders : orders
    }

    /// The current order of a view, or a recent one: while the gallery changes, an order is rebuilt at most once a
    /// second, and so rarely that rebuilding takes at most a tenth of the time.
    ///
    /// - Throws: `CatalogError.positionsOnly` if only the positions of the images are known; `.indexUnavailable`,
    ///   `.closed`.
    public func order(of view: View) async throws -> Order {
        try await order(of: view, at: try moment())
    }

    /// The image's position in a view; nil if the view does not contain it.
    ///
    /// - Throws: The same errors as ``order(of:)``.
    public func position(of id: ImageID, in view: View) async throws -> Int? {
        try await order(of: view).position(of: id)
    }

    /// Whether a part of the gallery contains an image.
    ///
    /// - Throws: The same errors as ``order(of:)``.
    public func contains(_ id: ImageID, in scope: View.Scope) async throws -> Bool {
        try await order(of: View.plain.within(scope)).contains(id)
    }

    /// Whether ``order(of:)`` returns at once, because nothing has to be built.
    public func hasOrder(of view: View) -> Bool {
        guard !view.isPlain else { return true }
        let snapshot = mutableState.withLock(\.snapshot)
        return presentOrder(of: view, snapshot) != nil
    }

    func moment() throws -> ReadContext {
        try mutableState.withLock { mutableState in
            guard !mutableState.isClosed else { throw CatalogError.closed }
            return ReadContext(
                snapshot: mutableState.snapshot, tombstones: mutableState.tombstones,
                isScanning: mutableState.isScanning)
        }
    }

    func order(of view: View, at moment: ReadContext, mustBeNew: Bool = false) async throws -> Order {
        if view.isPlain {
            return Order(
                view: view, revision: moment.snapshot.revision, snapshot: moment.snapshot, sequence: .whole)
        }
        guard canOrder(moment.snapshot, by: view) else { throw CatalogError.positionsOnly }
        if !mustBeNew, let order = presentOrder(of: view, moment.snapshot) { return order }
        return try await orderQueue.serve {
            // The client may have gone, or asked for another view, while this waited.
            try Task.checkCancellation()
            // An earlier caller in the queue may have built it.
            if !mustBeNew, let order = presentOrder(of: view, moment.snapshot) { return order }
            return try makeOrder(of: view, moment.snapshot)
        }
    }

    /// Only the positions of a template's images are known.
    private func canOrder(_ snapshot: Snapshot, by view: View) -> Bool {
        let isOfPositions = snapshot.parts.allSatisfy { if case .computed = $0 { true } else { false } }
        guard snapshot.total <= OrderBuilder.maximumImages else { return view.sort == .path && view.isEverything }
        return !isOfPositions || (!view.sort.traits.needsMetadata && view.isEverything)
    }

    private func presentOrder(of view: View, _ snapshot: Snapshot) -> Order? {
        let now = ContinuousClock.now
        guard let entry = orders(for: view).entry(of: view, now: now) else { return nil }
        let isSame =
            entry.order.snapshot.isSame(as: snapshot) && entry.order.basis?.generations == generations(of: snapshot)
        let patience = Duration.seconds(max(1, 10 * entry.cost))
        return isSame || now - entry.madeAt < patience ? entry.order : nil
    }

    func generations(of snapshot: Snapshot) -> [UInt64] {
        snapshot.parts.map { $0.listed?.index.columns.generation ?? 0 }
    }

    /// Blocking.
    private func makeOrder(of view: View, _ snapshot: Snapshot) throws -> Order {
        let began = ContinuousClock.now
        let former = orders(for: view).entry(of: view, now: began)
        var basis = try basis(of: snapshot)
        keepColumns()
        let maker = OrderBuilder(snapshot: snapshot, columns: basis.columns, prefixes: folderPrefixes)
        let sequence = maker.sequence(of: view)
        if view.sort.traits.hasMonths { basis.months = maker.months(of: sequence) }
        var revision =
            snapshot.revision << Self.generationBits | (basis.generations.reduce(0, &+) & Self.generationMask)
        if let former = former?.order, former.snapshot.revision == snapshot.revision, former.sequence == sequence,
            former.basis?.months == basis.months
        {
            revision = former.revision
        }
        let order = Order(view: view, revision: revision, snapshot: snapshot, sequence: sequence, basis: basis)
        let ended = ContinuousClock.now
        orders(for: view).keep(
            OrderCache.Entry(order: order, cost: (ended - began) / .seconds(1), madeAt: ended, lastUsedAt: ended))
        return order
    }

    /// The metadata by which images are ordered changes more often than the set of images, so its generation gets the
    /// lower bits of the revision.
    private static let generationBits: UInt64 = 20
    private static let generationMask: UInt64 = 1 << generationBits - 1

    /// The current columns and generations. Blocking; runs in the read queue for orders.
    func basis(of snapshot: Snapshot) throws -> Order.Basis {
        var columns: [Columns?] = []
        var generations: [UInt64] = []
        for part in snapshot.parts {
            guard let (listing, index) = part.listed else {
                columns.append(nil)
                generations.append(0)
                continue
            }
            do {
                let current = try index.columns.current(below: listing.rowsEnd, of: index)
                columns.append(current.0)
                generations.append(current.generation)
            } catch let error as DatabaseError {
                throw note(IndexFailure(index: index, error: error))
            }
        }
        return Order.Basis(columns: columns, generations: generations)
    }

    /// Reads the columns in small steps between other requests, so that the first caller for an order of a million
    /// images need not wait for all of them.
    public func prepareOrders() async {
        do {
            while !isStopped.load(ordering: .relaxed), try await orderQueue.serve({ try readSomeColumns() }) {}
            try await orderQueue.serve { decideDefaultView() }
            keepColumns()
        } catch {
            // Callers that request an order get the error.
            logger.debug("The catalog's columns could not be read ahead.", metadata: ["error": "\(error)"])
        }
    }

    /// Blocking; runs in the read queue for orders.
    ///
    /// - Returns: Whether there is more to read.
    private func readSomeColumns() throws -> Bool {
        for part in mutableState.withLock(\.snapshot.parts) {
            guard let (listing, index) = part.listed else { continue }
            if try index.columns.refresh(below: listing.rowsEnd, of: index, limit: 2) { return true }
        }
        return false
    }

    /// The rows of these images in the index.
    func rows(of ids: some Sequence<ImageID>, in index: Index) -> [UInt32] {
        mutableState.withLock(\.snapshot.parts).flatMap { part -> [UInt32] in
            guard let (listing, its) = part.listed, its === index else { return [] }
            return ids.compactMap { id in listing.position(of: id).map { listing[$0].row } }
        }
    }

    /// Saves the columns after a while without reads.
    private func keepColumns() {
        guard isKeeping.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
        probing.asyncAfter(deadline: .now() + .seconds(10)) { [weak self] in
            guard let self, !isStopped.load(ordering: .relaxed) else { return }
            isKeeping.store(false, ordering: .relaxed)
            let index = indexStore.disk
            guard !index.isDamaged.load(ordering: .relaxed) else { return }
            do {
                // Blocks that are still changing are saved later, or when the program ends.
                if try !index.columns.save(to: index.database) { keepColumns() }
            } catch {
                logger.warning("The catalog's columns cannot be saved.", metadata: ["error": "\(error)"])
            }
        }
    }

    /// The folder of the image, in the form of `View.folder`; nil if the image is at the top of its source, or has no
    /// folder.
    public func folder(of image: GalleryImage) -> String? {
        let source: Int
        let path: String
        switch image.location {
        case .file(let folder, let its): (source, path) = (folder, its)
        case .object(let bucket, let its, _): (source, path) = (bucket, its)
        case .remote: return nil
        }
        let folder = FolderPath.full(FilePath.folder(of: path), under: folderPrefixes[source])
        return folder.isEmpty ? nil : folder
    }

    /// The prefix of each source's folder paths: the source's name if there are several folders, else empty.
    var folderPrefixes: [String] {
        guard sources.count(where: { $0.kind.folderName != nil }) > 1 else { return sources.map { _ in "" } }
        var namesakes: [String: Int] = [:]
        return sources.map { source in
            guard let name = source.kind.folderName else { return "" }
            namesakes[name, default: 0] += 1
            // Clients must not learn where the owner keeps the folders, so only the last path component is used, with a
            // number if needed.
            return namesakes[name, default: 1] == 1 ? name : "\(name) (\(namesakes[name, default: 1]))"
        }
    }
}

extension View {
    /// Whether the view contains all images.
    var isEverything: Bool { search.isEmpty && folder == nil && scope == nil }
}
