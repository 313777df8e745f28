import Encodings
public import Images
import Locking
import Time

/// The months of a view, with their positions and counts.
public struct Timeline: Sendable, Hashable {
    public struct Month: Sendable, Hashable {
        /// Nil for images without a known date.
        public let year: Int?
        public let month: Int?
        /// The position of the month's first image.
        public let first: Int
        public let count: Int
    }

    public let revision: UInt64
    public let total: Int
    /// Sorted by first position.
    public let months: [Month]
}

/// A folder inside another, with everything beneath it.
public struct GalleryFolder: Sendable, Hashable {
    /// In the form of `View.folder`.
    public let path: String
    public let name: String
    /// The number of images in it and beneath it.
    public let count: Int
    /// Whether it contains folders.
    public let hasFolders: Bool
    /// An image that represents it: the first one directly in it, or else in the folders beneath it. Broken images come
    /// last.
    public let cover: GalleryImage?
}

/// The aspect ratios of a view's images in sums, for a layout before any image is known.
public struct Shape: Sendable, Hashable {
    /// The number of images in a block; the last block of a part may have fewer.
    public static let block = 256

    public let revision: UInt64
    public let total: Int
    /// The positions at which a new sequence of blocks begins: the first image of each month if the view is sorted by
    /// date, else the start of the view.
    public let parts: [Int]
    /// For each block, the total width of its slots at height 1. A slot has its image's aspect ratio, or the nearest
    /// from 1:2 to 3.2:1; that of an image of unknown size has `AspectRatio.assumed`.
    public let sums: [Double]
}

extension Catalog {
    /// - Throws: The same errors as ``order(of:)``.
    public func timeline(of view: View) async throws -> Timeline {
        try await survey(view, \.timeline) { order, maker in
            if let months = order.basis?.months {
                return Timeline(revision: order.revision, total: order.count, months: months)
            }
            // Keyed by the number of months since the year 0; nil if the date is unknown.
            var months: [Int?: (first: Int, count: Int)] = [:]
            var last: (range: ClosedRange<Int64>, key: Int)?
            maker.forEachPlace(of: order) { position, row in
                let taken = row.flatMap { $0.block.seconds(at: $0.offset) }
                let key: Int?
                if let last, let taken, last.range.contains(taken) {
                    key = last.key
                } else if let taken {
                    let day = CivilDay(ofSecond: taken)
                    let number = day.year * 12 + day.month - 1
                    key = number
                    last = (WallTime.month(of: day), number)
                } else {
                    key = nil
                }
                months[key, default: (position, 0)].count += 1
            }
            let sorted = months.sorted { $0.value.first < $1.value.first }
            return Timeline(
                revision: order.revision, total: order.count,
                months: sorted.map { key, value in
                    // No picture was taken before the year 0, so the remainders are not negative.
                    Timeline.Month(
                        year: key.map { $0 / 12 }, month: key.map { $0 % 12 + 1 }, first: value.first,
                        count: value.count)
                })
        }
    }

    /// The sums of aspect ratios per block.
    ///
    /// - Throws: The same errors as ``order(of:)``.
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

    /// The aspect ratios of the slots at these positions, one byte each (see `AspectRatio`).
    ///
    /// - Throws: The same errors as ``order(of:)``.
    public func ratios(of view: View, at range: Range<Int>) async throws -> (revision: UInt64, bytes: [UInt8]) {
        try await survey(view) { order, maker in
            var bytes: [UInt8] = []
            forEachRatio(of: order, maker, at: range.clamped(to: 0..<order.count)) { _, ratio in bytes.append(ratio) }
            return (order.revision, bytes)
        }
    }

    /// The folders inside this one, sorted by name; the top-level folders for an empty path.
    ///
    /// - Throws: The same errors as ``order(of:)``.
    public func folders(in parent: String) async throws -> [GalleryFolder] {
        let contents = try await survey(.plain, \.folders) { _, maker in maker.folderContents() }
        let children = Self.children(of: parent, in: contents)
        var covers: [ImageID: GalleryImage] = [:]
        var ids = children.map(\.contents.cover)[...]
        while !ids.isEmpty {
            covers.merge(try await images(Array(ids.prefix(Page.maximumLimit)))) { $1 }
            ids = ids.dropFirst(Page.maximumLimit)
        }
        return children.map { child in
            GalleryFolder(
                path: parent.isEmpty ? child.name : "\(parent)/\(child.name)", name: FilePath.printable(child.name),
                count: child.contents.count, hasFolders: child.hasFolders, cover: covers[child.contents.cover])
        }
    }

    /// The folders inside one, sorted by name, each with what is in it and beneath it.
    private static func children(
        of parent: String, in contents: [ExactText: FolderContents]
    ) -> [(name: String, contents: FolderContents, hasFolders: Bool)] {
        var children: [ExactText: (contents: FolderContents, hasFolders: Bool)] = [:]
        let under = parent.isEmpty ? "" : parent + "/"
        for (path, own) in contents {
            let path = path.text.utf8
            guard path.starts(with: under.utf8), path.count > under.utf8.count else { continue }
            let rest = path.dropFirst(under.utf8.count)
            let name = rest.prefix { $0 != UInt8(ascii: "/") }
            guard let text = String(name).map(ExactText.init) else { continue }
            let hasFolders = name.count < rest.count
            if children[text] == nil {
                children[text] = (own, hasFolders)
            } else {
                children[text]?.contents.add(own)
                if hasFolders { children[text]?.hasFolders = true }
            }
        }
        return children.map { (key: NaturalKey(Array($0.key.text.utf8)), name: $0.key.text, child: $0.value) }
            .sorted { $0.key < $1.key }
            .map { ($0.name, $0.child.contents, $0.child.hasFolders) }
    }

    /// Computes a value from all images of a view, in the read queue for orders, and caches it. Concurrent callers
    /// share one computation.
    private func survey<Value: Sendable>(
        _ view: View, _ kept: any WritableKeyPath<SurveyResults, Value?> & Sendable,
        _ body: @Sendable (Order, OrderBuilder) throws -> Value
    ) async throws -> Value {
        // Checked before reading the columns and again inside the queue: an earlier caller may have computed it.
        let order = try await order(of: view)
        @Sendable func known(at generations: [UInt64]) -> Value? {
            surveys.withLock { $0[order.view, .init(of: order, generations)][keyPath: kept] }
        }
        if let known = known(at: order.basis?.generations ?? generations(of: order.snapshot)) { return known }
        return try await orderQueue.serve {
            try Task.checkCancellation()
            let basis = try order.basis ?? basis(of: order.snapshot)
            // Keyed by the generations of the columns used, because newer metadata may have arrived.
            if let known = known(at: basis.generations) { return known }
            let found = try body(order, maker(for: order, basis))
            surveys.withLock { $0.keep(found, as: kept, of: view, .init(of: order, basis.generations)) }
            return found
        }
    }

    /// Computes a value from some images of a view, in the read queue for orders.
    private func survey<Value: Sendable>(
        _ view: View, _ body: @Sendable (Order, OrderBuilder) throws -> Value
    ) async throws -> Value {
        let order = try await order(of: view)
        return try await orderQueue.serve {
            try body(order, maker(for: order, order.basis ?? basis(of: order.snapshot)))
        }
    }

    /// Calls `body` with each position of the order and the aspect ratio of its slot, as a byte.
    private func forEachRatio(
        of order: Order, _ maker: OrderBuilder, at range: Range<Int>? = nil, _ body: (Int, UInt8) -> Void
    ) {
        maker.forEachPlace(of: order, at: range) { position, row in
            if let row { return body(position, AspectRatio.ofSlot(row.block.ratios[row.offset])) }
            let index = order.sequence.index(at: position, of: order.snapshot)
            guard let (series, own) = order.snapshot.computed(at: index),
                let size = configuration.templateSize(series.template, own)
            else { return body(position, 0) }
            body(position, AspectRatio.ofSlot(AspectRatio.byte(width: size.width, height: size.height)))
        }
    }

    /// Uses the columns that the order was built from, however old they are.
    private func maker(for order: Order, _ basis: Order.Basis) throws -> OrderBuilder {
        guard order.count <= OrderBuilder.maximumImages else { throw CatalogError.positionsOnly }
        return OrderBuilder(snapshot: order.snapshot, columns: basis.columns, prefixes: folderPrefixes)
    }
}

extension OrderBuilder {
    /// The months of a sequence that is sorted by month: only the ends of the months are searched for.
    func months(of sequence: Order.Sequence) -> [Timeline.Month] {
        let count = sequence.count(in: snapshot)
        var months: [Timeline.Month] = []
        var first = 0
        while first < count {
            let taken = taken(at: first, of: sequence)
            let day = taken.map { CivilDay(ofSecond: $0) }
            let span = day.map { WallTime.month(of: $0) }
            let isInMonth = { (time: Int64?) in time.map { span?.contains($0) == true } ?? (span == nil) }
            // Galloping search: double the step, then bisect.
            var (low, step) = (first, 1)
            while low + step < count, isInMonth(self.taken(at: low + step, of: sequence)) {
                low += step
                step *= 2
            }
            var high = min(low + step, count)
            while low + 1 < high {
                let middle = (low + high) / 2
                if isInMonth(self.taken(at: middle, of: sequence)) { low = middle } else { high = middle }
            }
            months.append(
                Timeline.Month(year: day?.year, month: day?.month, first: first, count: high - first))
            first = high
        }
        return months
    }

    /// In seconds; nil if unknown.
    private func taken(at position: Int, of sequence: Order.Sequence) -> Int64? {
        var taken: Int64?
        forEachPlace(of: [UInt32(sequence.index(at: position, of: snapshot))]) { _, row in
            taken = row.flatMap { $0.block.seconds(at: $0.offset) }
        }
        return taken
    }

    /// Calls `body` with each position of the order and the row of its image.
    func forEachPlace(
        of order: Order, at range: Range<Int>? = nil, _ body: (Int, (block: ColumnBlock, offset: Int)?) -> Void
    ) {
        var position = range?.lowerBound ?? 0
        let indices = (range ?? 0..<order.count).lazy.map { UInt32(order.sequence.index(at: $0, of: snapshot)) }
        // In runs, so that a million indices are never in memory at once.
        for start in stride(from: 0, to: indices.count, by: 16_384) {
            let run = Array(indices.dropFirst(start).prefix(16_384))
            forEachPlace(of: run) { _, row in
                body(position, row)
                position += 1
            }
        }
    }

    /// The images directly in each folder.
    func folderContents() -> [ExactText: FolderContents] {
        var contents: [ExactText: FolderContents] = [:]
        for (number, part) in snapshot.parts.enumerated() {
            guard let columns = columns[number], let listing = part.listed?.listing else { continue }
            var ofNumbers = [FolderContents?](repeating: nil, count: columns.folders.paths.count)
            for entries in listing.blocks {
                for (place, row) in entries.rows.enumerated() {
                    guard let (block, offset) = columns[row] else { continue }
                    let folder = Int(block.folders[offset])
                    let one = FolderContents(
                        cover: ImageID(rawValue: entries.ids[place]), coverPath: columns.folders.paths[folder],
                        isCoverBroken: block.broken[offset] == 1)
                    if ofNumbers[folder]?.add(one) == nil { ofNumbers[folder] = one }
                }
            }
            for case (let path, let own?) in zip(columns.folders.paths, ofNumbers) {
                let path = ExactText(FolderPath.full(path, under: prefixes[number]))
                if contents[path]?.add(own) == nil { contents[path] = own }
            }
        }
        return contents
    }
}
