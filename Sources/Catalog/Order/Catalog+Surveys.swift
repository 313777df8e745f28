import Locking

/// The months of a view: where each begins and how many images it has.
public struct Timeline: Sendable, Hashable {
    public struct Month: Sendable, Hashable {
        /// Nil for the images of which it is not known when they were taken.
        public let year: Int?
        public let month: Int?
        /// The first position at which an image of the month stands.
        public let first: Int
        public let count: Int
    }

    public let revision: UInt64
    public let total: Int
    /// In the order of their first positions.
    public let months: [Month]
}

/// A folder beneath another one, with all that lies in it.
public struct GalleryFolder: Sendable, Hashable {
    /// As `View.folder` takes it.
    public let path: String
    public let name: String
    /// Images in it and beneath it.
    public let count: Int
    /// Whether there are folders in it.
    public let hasFolders: Bool
}

/// The proportions of a view's images, for laying them out before they are seen.
public struct Shape: Sendable, Hashable {
    /// Images of a block; the last one of a part may have fewer.
    public static let block = 256

    public let revision: UInt64
    public let total: Int
    /// The positions at which blocks begin anew: the first image of each month where the view is sorted by them, else of
    /// the view.
    public let parts: [Int]
    /// Of each block, what its images are wide together where each is one high. What is not known counts as
    /// `AspectRatio.assumed`.
    public let sums: [Double]
}

extension Catalog {
    /// - Throws: as ``order(of:)``.
    public func timeline(of view: View) async throws -> Timeline {
        try await survey(view, \.timeline) { order, maker in
            if let months = order.basis?.months {
                return Timeline(revision: order.revision, total: order.count, months: months)
            }
            // By the months since the year 0; nil where it is not known.
            var months: [Int?: (first: Int, count: Int)] = [:]
            var last: (range: ClosedRange<Int64>, key: Int)?
            maker.forEachPlace(of: order) { position, row in
                let taken = row.map { $0.block.taken[$0.place] } ?? ColumnBlock.unknownTime
                let key: Int?
                if let last, last.range.contains(taken) {
                    key = last.key
                } else if taken == ColumnBlock.unknownTime {
                    key = nil
                } else {
                    let (year, month) = WallTime.month(of: taken)
                    let number = year * 12 + month - 1
                    key = number
                    last = (WallTime.span(ofYear: year, month: month), number)
                }
                months[key, default: (position, 0)].count += 1
            }
            let sorted = months.sorted { $0.value.first < $1.value.first }
            return Timeline(
                revision: order.revision, total: order.count,
                months: sorted.map { key, value in
                    // No picture was taken before the year 0.
                    Timeline.Month(
                        year: key.map { $0 / 12 }, month: key.map { $0 % 12 + 1 }, first: value.first,
                        count: value.count)
                })
        }
    }

    /// What the images of the blocks look like together.
    ///
    /// - Throws: as ``order(of:)``.
    public func shape(of view: View) async throws -> Shape {
        try await survey(view, \.shape) { order, maker in
            let parts = order.count == 0 ? [] : order.basis?.months?.map(\.first) ?? [0]
            var sums: [Double] = []
            var next = parts.dropFirst()
            var left = 0
            forEachRatio(of: order, maker) { position, ratio in
                if left == 0 || position == next.first {
                    if position == next.first { next.removeFirst() }
                    sums.append(0)
                    left = Shape.block
                }
                sums[sums.count - 1] += AspectRatio.ratio(ratio)
                left -= 1
            }
            return Shape(revision: order.revision, total: order.count, parts: parts, sums: sums)
        }
    }

    /// The proportions of the images at these positions, a byte each (see `AspectRatio`).
    ///
    /// - Throws: as ``order(of:)``.
    public func ratios(of view: View, at range: Range<Int>) async throws -> (revision: UInt64, bytes: [UInt8]) {
        try await survey(view) { order, maker in
            var bytes: [UInt8] = []
            forEachRatio(of: order, maker, at: range.clamped(to: 0..<order.count)) { _, ratio in bytes.append(ratio) }
            return (order.revision, bytes)
        }
    }

    /// The folders in this one, by name; those at the top for an empty path.
    ///
    /// - Throws: as ``order(of:)``.
    public func folders(in parent: String) async throws -> [GalleryFolder] {
        let counts = try await survey(.plain, \.folders) { _, maker in maker.folderCounts() }
        var children: [String: (count: Int, hasFolders: Bool)] = [:]
        let beneath = parent.isEmpty ? "" : parent + "/"
        for (path, count) in counts where path.utf8.starts(with: beneath.utf8) && path.utf8.count > beneath.utf8.count {
            let rest = path.utf8.dropFirst(beneath.utf8.count)
            let name = rest.prefix { $0 != UInt8(ascii: "/") }
            guard let text = String(name) else { continue }
            children[text, default: (0, false)].count += count
            if name.count < rest.count { children[text]?.hasFolders = true }
        }
        let sorted = children.map { (key: NaturalKey(Array($0.key.utf8)), name: $0.key, value: $0.value) }
            .sorted { $0.key < $1.key }
        return sorted.map { child in
            GalleryFolder(
                path: beneath + child.name, name: FilePath.printable(child.name), count: child.value.count,
                hasFolders: child.value.hasFolders)
        }
    }

    /// Looks at all images of a view, at the desk of orders; once for all who ask for the same.
    private func survey<Value: Sendable>(
        _ view: View, _ kept: any WritableKeyPath<Findings, Value?> & Sendable,
        _ body: @Sendable (Order, OrderMaker) throws -> Value
    ) async throws -> Value {
        // Asked for before the columns are looked at, and again at the desk: another may have counted meanwhile.
        let order = try await order(of: view)
        @Sendable func known(at generations: [UInt64]) -> Value? {
            findings.withLock { $0[order.view, .init(of: order, generations)][keyPath: kept] }
        }
        if let known = known(at: order.basis?.generations ?? generations(of: order.snapshot)) { return known }
        return try await ordersDesk.serve {
            let basis = try order.basis ?? basis(of: order.snapshot)
            // Of the columns that are looked at: more may be learnt meanwhile.
            if let known = known(at: basis.generations) { return known }
            let found = try body(order, maker(for: order, basis))
            findings.withLock { $0.keep(found, as: kept, of: view, .init(of: order, basis.generations)) }
            return found
        }
    }

    /// Looks at some images of a view, at the desk of orders.
    private func survey<Value: Sendable>(
        _ view: View, _ body: @Sendable (Order, OrderMaker) throws -> Value
    ) async throws -> Value {
        let order = try await order(of: view)
        return try await ordersDesk.serve {
            try body(order, maker(for: order, order.basis ?? basis(of: order.snapshot)))
        }
    }

    /// Calls with each position of the order and the proportions of what stands there, as a byte.
    private func forEachRatio(
        of order: Order, _ maker: OrderMaker, at range: Range<Int>? = nil, _ body: (Int, UInt8) -> Void
    ) {
        maker.forEachPlace(of: order, at: range) { position, row in
            if let row { return body(position, row.block.ratios[row.place]) }
            let index = order.sequence.index(at: position, of: order.snapshot)
            guard let (series, own) = order.snapshot.computed(at: index),
                let size = configuration.templateSize(series.template, own)
            else { return body(position, 0) }
            body(position, AspectRatio.byte(width: size.width, height: size.height))
        }
    }

    /// An order that was made knows of its images what it was made by, however long ago that is.
    private func maker(for order: Order, _ basis: Order.Basis) throws -> OrderMaker {
        guard order.count <= OrderMaker.most else { throw CatalogError.positionsOnly }
        return OrderMaker(snapshot: order.snapshot, columns: basis.columns, prefixes: folderPrefixes)
    }
}

extension OrderMaker {
    /// The months of a sequence in which they stand one after the other: only where one ends is looked for.
    func months(of sequence: Order.Sequence) -> [Timeline.Month] {
        let count = sequence.count(in: snapshot)
        var months: [Timeline.Month] = []
        var first = 0
        while first < count {
            let taken = taken(at: first, of: sequence)
            let isKnown = taken != ColumnBlock.unknownTime
            let (year, month) = isKnown ? WallTime.month(of: taken) : (0, 0)
            let span = isKnown ? WallTime.span(ofYear: year, month: month) : taken...taken
            // By leaps of twice the length, then by halves.
            var (low, step) = (first, 1)
            while low + step < count, span.contains(self.taken(at: low + step, of: sequence)) {
                low += step
                step *= 2
            }
            var high = min(low + step, count)
            while low + 1 < high {
                let middle = (low + high) / 2
                if span.contains(self.taken(at: middle, of: sequence)) { low = middle } else { high = middle }
            }
            months.append(
                Timeline.Month(
                    year: isKnown ? year : nil, month: isKnown ? month : nil, first: first, count: high - first))
            first = high
        }
        return months
    }

    private func taken(at position: Int, of sequence: Order.Sequence) -> Int64 {
        var taken = ColumnBlock.unknownTime
        forEachPlace(of: [UInt32(sequence.index(at: position, of: snapshot))]) { _, row in
            if let row { taken = row.block.taken[row.place] }
        }
        return taken
    }

    /// Calls with each position of the order and the row of what stands there.
    func forEachPlace(
        of order: Order, at range: Range<Int>? = nil, _ body: (Int, (block: ColumnBlock, place: Int)?) -> Void
    ) {
        var position = range?.lowerBound ?? 0
        let indices = (range ?? 0..<order.count).lazy.map { UInt32(order.sequence.index(at: $0, of: snapshot)) }
        // In runs, so that a million indices are not made at once.
        for start in stride(from: 0, to: indices.count, by: 16_384) {
            let run = Array(indices.dropFirst(start).prefix(16_384))
            forEachPlace(of: run) { _, row in
                body(position, row)
                position += 1
            }
        }
    }

    /// The images that lie in each folder itself.
    func folderCounts() -> [String: Int] {
        var counts: [String: Int] = [:]
        for (number, part) in snapshot.parts.enumerated() {
            guard let columns = columns[number], let listing = part.listed?.listing else { continue }
            var ofNumbers = [Int](repeating: 0, count: columns.folders.paths.count)
            for block in listing.blocks {
                for row in block.rows {
                    guard let (block, place) = columns[row] else { continue }
                    ofNumbers[Int(block.folders[place])] += 1
                }
            }
            for (path, count) in zip(columns.folders.paths, ofNumbers) where count > 0 {
                counts[FolderPath.full(path, beneath: prefixes[number]), default: 0] += count
            }
        }
        return counts
    }
}
