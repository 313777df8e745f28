import GRDB
public import Images
import Dispatch
import Locking
import Logging
import Synchronization

extension Catalog {
    /// Orders that nobody has asked for so long are made again when somebody does.
    private static let attention = Duration.seconds(60)

    /// Lets go of what was asked for some time ago and is soon made again. For times at which nobody waits for anything.
    public func forgetIdleOrders(now: ContinuousClock.Instant = .now) {
        orders.forget(notAskedForSince: now - Self.attention)
    }

    /// The order of a view as it is now, or as it was a moment ago: while the gallery changes, an order is made anew only
    /// as often as costs a tenth of the time, and at most once a second.
    ///
    /// - Throws: `CatalogError.positionsOnly` when nothing but positions is known of the images; `.indexUnavailable`,
    ///   `.closed`.
    public func order(of view: View) async throws -> Order {
        try await order(of: view, at: try moment())
    }

    /// Where an image stands in a view; nil when it is not in it.
    ///
    /// - Throws: as ``order(of:)``.
    public func position(of id: ImageID, in view: View) async throws -> Int? {
        try await order(of: view).position(of: id)
    }

    func moment() throws -> Moment {
        try standing.withLock { standing in
            guard !standing.isClosed else { throw CatalogError.closed }
            return Moment(
                snapshot: standing.snapshot, departures: standing.departures, isScanning: standing.isScanning)
        }
    }

    func order(of view: View, at moment: Moment, mustBeNew: Bool = false) async throws -> Order {
        if view.isPlain {
            return Order(
                view: view, revision: moment.snapshot.revision, snapshot: moment.snapshot, sequence: .whole)
        }
        guard canOrder(moment.snapshot, by: view) else { throw CatalogError.positionsOnly }
        if !mustBeNew, let order = presentOrder(of: view, moment.snapshot) { return order }
        return try await ordersDesk.serve {
            // Another may have made it meanwhile.
            if !mustBeNew, let order = presentOrder(of: view, moment.snapshot) { return order }
            return try makeOrder(of: view, moment.snapshot)
        }
    }

    /// Of a template nothing is known but positions.
    private func canOrder(_ snapshot: Snapshot, by view: View) -> Bool {
        let isOfPositions = snapshot.parts.allSatisfy { if case .computed = $0 { true } else { false } }
        guard snapshot.total <= OrderMaker.most else { return view.sort == .path && view.isEverything }
        switch view.sort {
        case .path, .shuffle: return !isOfPositions || view.isEverything
        case .taken, .name, .size, .added: return !isOfPositions
        }
    }

    private func presentOrder(of view: View, _ snapshot: Snapshot) -> Order? {
        let now = ContinuousClock.now
        guard let entry = orders.entry(of: view, now: now) else { return nil }
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
        let former = orders.entry(of: view, now: began)
        var basis = try basis(of: snapshot)
        keepColumns()
        let maker = OrderMaker(snapshot: snapshot, columns: basis.columns, prefixes: folderPrefixes)
        let sequence = maker.sequence(of: view)
        if view.sort == .taken { basis.months = maker.months(of: sequence) }
        var revision =
            snapshot.revision << Self.generationBits | (basis.generations.reduce(0, &+) & Self.generationMask)
        if let former = former?.order, former.snapshot.revision == snapshot.revision, former.sequence == sequence,
            former.basis?.months == basis.months
        {
            revision = former.revision
        }
        let order = Order(view: view, revision: revision, snapshot: snapshot, sequence: sequence, basis: basis)
        let ended = ContinuousClock.now
        orders.keep(
            OrderBook.Entry(order: order, cost: (ended - began) / .seconds(1), madeAt: ended, askedAt: ended))
        return order
    }

    /// What images are ordered by changes more often than which images there are.
    private static let generationBits: UInt64 = 20
    private static let generationMask: UInt64 = 1 << generationBits - 1

    /// What is known of the images now. Blocking; at the desk of orders.
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
                let current = try index.columns.current(below: listing.rowsEnd, of: index.database)
                columns.append(current.0)
                generations.append(current.generation)
            } catch let error as DatabaseError {
                throw note(IndexFailure(index: index, error: error))
            }
        }
        return Order.Basis(columns: columns, generations: generations)
    }

    /// Reads what images are ordered and searched by, a little at a time between what others ask for, so that whoever is
    /// the first to ask for an order of a million need not wait for all of it.
    public func prepareOrders() async {
        do {
            while !isStopped.load(ordering: .relaxed), try await ordersDesk.serve({ try readSomeColumns() }) {}
            keepColumns()
        } catch {
            // Who asks for an order is told what is wrong.
            logger.debug("What images are sorted by is not read ahead.", metadata: ["error": "\(error)"])
        }
    }

    /// Blocking; at the desk of orders.
    ///
    /// - Returns: whether there is more to be read.
    private func readSomeColumns() throws -> Bool {
        for part in standing.withLock(\.snapshot.parts) {
            guard let (listing, index) = part.listed else { continue }
            if try index.columns.refresh(below: listing.rowsEnd, of: index.database, limit: 2) { return true }
        }
        return false
    }

    /// The rows that these images have in the index.
    func rows(of ids: some Sequence<ImageID>, in index: Index) -> [UInt32] {
        standing.withLock(\.snapshot.parts).flatMap { part -> [UInt32] in
            guard let (listing, its) = part.listed, its === index else { return [] }
            return ids.compactMap { id in listing.position(of: id).map { listing[$0].row } }
        }
    }

    /// Keeps what was read for orders, when nothing more is read for a while.
    private func keepColumns() {
        guard isKeeping.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
        probing.asyncAfter(deadline: .now() + .seconds(10)) { [weak self] in
            guard let self, !isStopped.load(ordering: .relaxed) else { return }
            isKeeping.store(false, ordering: .relaxed)
            let index = shelf.disk
            guard !index.isDamaged.load(ordering: .relaxed) else { return }
            do {
                // What is still being written is kept when it rests, or when the program ends.
                if try !index.columns.save(to: index.database) { keepColumns() }
            } catch {
                logger.warning("What images are sorted by cannot be kept.", metadata: ["error": "\(error)"])
            }
        }
    }

    /// The folder that the image lies in, as a view names it; nil where it is at the top of its source, or has none.
    public func folder(of image: GalleryImage) -> String? {
        let source: Int
        let path: String
        switch image.location {
        case .file(let folder, let its): (source, path) = (folder, its)
        case .object(let bucket, let its, _): (source, path) = (bucket, its)
        case .remote: return nil
        }
        let folder = FolderPath.full(FilePath.folder(of: path), beneath: folderPrefixes[source])
        return folder.isEmpty ? nil : folder
    }

    /// What stands before the paths of each source's folders: its name, where there are several folders.
    var folderPrefixes: [String] {
        guard sources.count(where: { $0.kind.folderName != nil }) > 1 else { return sources.map { _ in "" } }
        var namesakes: [String: Int] = [:]
        return sources.map { source in
            guard let name = source.kind.folderName else { return "" }
            namesakes[name, default: 0] += 1
            // Where the owner keeps them is nobody's business: the last part of the path tells them apart, or a number.
            return namesakes[name, default: 1] == 1 ? name : "\(name) (\(namesakes[name, default: 1]))"
        }
    }
}

extension View {
    /// Whether all images are in it.
    var isEverything: Bool { search.isEmpty && folder == nil }
}
