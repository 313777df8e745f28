import Images

/// The order of all images in one revision. Immutable.
struct Snapshot: Sendable {
    var revision: UInt64
    /// One part per source, in the order of the sources.
    private(set) var parts: [Part]
    private(set) var total: Int

    enum Part: Sendable {
        /// Images with the index that has their rows.
        case listed(Listing, Index)
        /// Images whose index is being replaced: the order is unchanged, and the images already scanned again are in
        /// another index.
        case recovering(Listing, Index, found: Listing, Index)
        case computed(Series)

        var count: Int {
            switch self {
            case .listed(let listing, _), .recovering(let listing, _, _, _): listing.count
            case .computed(let series): series.count
            }
        }

        /// The listing, and the index that has its rows; nil for a computed part.
        var listed: (listing: Listing, index: Index)? {
            switch self {
            case .listed(let listing, let index), .recovering(let listing, let index, _, _): (listing, index)
            case .computed: nil
            }
        }

        /// Whether the index has rows of this part.
        func uses(_ index: Index) -> Bool {
            switch self {
            case .listed(_, let its): its === index
            case .recovering(_, let its, _, let other): its === index || other === index
            case .computed: false
            }
        }

        func position(of id: ImageID) -> Int? {
            switch self {
            case .listed(let listing, _), .recovering(let listing, _, _, _): listing.position(of: id)
            case .computed(let series): series.position(of: id)
            }
        }
    }

    init(revision: UInt64, parts: [Part]) {
        self.revision = revision
        self.parts = parts
        total = parts.reduce(0) { $0 + $1.count }
    }

    /// Whether both have the same images, read from the same indexes.
    func isSame(as other: Snapshot) -> Bool {
        revision == other.revision
            && zip(parts, other.parts).allSatisfy { part, other in
                switch (part, other) {
                case (.listed(_, let index), .listed(_, let other)): index === other
                case (.recovering(_, _, let found, let index), .recovering(_, _, let others, let other)):
                    index === other && found.count == others.count
                case (.computed, .computed): true
                default: false
                }
            }
    }

    /// The index of the image; nil if this revision does not contain it.
    func index(of id: ImageID) -> Int? {
        var start = 0
        for part in parts {
            if let position = part.position(of: id) { return start + position }
            start += part.count
        }
        return nil
    }

    /// The id at this index; nil beyond the end.
    func id(at index: Int) -> ImageID? {
        guard let (part, position) = place(of: index) else { return nil }
        switch parts[part] {
        case .listed(let listing, _), .recovering(let listing, _, _, _): return listing[position].id
        case .computed(let series): return series.id(at: position)
        }
    }

    /// The index of the first image of this part.
    func start(ofPart number: Int) -> Int {
        parts.prefix(number).reduce(0) { $0 + $1.count }
    }

    /// Groups indices by part: for each part, `place` is the offset among the requested indices, and `position` the
    /// position in the part.
    func members(at indices: some Sequence<Int>) -> [[(place: Int, position: Int)]] {
        var members = [[(place: Int, position: Int)]](repeating: [], count: parts.count)
        for (place, index) in indices.enumerated() {
            guard let (part, position) = self.place(of: index) else { continue }
            members[part].append((place, position))
        }
        return members
    }

    /// The series that contains this index, and the position in it; nil if the image is not a template's.
    func computed(at index: Int) -> (series: Series, position: Int)? {
        guard let (part, position) = place(of: index), case .computed(let series) = parts[part] else { return nil }
        return (series, position)
    }

    private func place(of index: Int) -> (part: Int, position: Int)? {
        guard index >= 0 else { return nil }
        var position = index
        for (number, part) in parts.enumerated() {
            if position < part.count { return (number, position) }
            position -= part.count
        }
        return nil
    }
}
