import Images

/// Applies the result of a partial scan to a source's listing; everything else in it stays.
struct FolderUpdate {
    /// The change can be determined only by a full scan.
    struct Unclear: Error {}

    /// A part of the source that was scanned.
    struct Scope {
        enum Extent {
            case file
            /// The images directly in a folder.
            case content
            /// A folder with everything beneath it.
            case tree
        }

        let path: [UInt8]
        let extent: Extent
        /// The images found there, in order.
        let scannedImages: [ScannedImage]
    }

    /// The replacement for a range of images.
    private struct Change {
        let range: Range<Int>
        var items: [Item]
    }

    private enum Item {
        /// An index into `seen`.
        case seen(Int)
        case kept(Listing.Entry)
    }

    private let listing: Listing
    private var changes: [Change] = []
    /// The images to write.
    private(set) var seen: [(id: ImageID, known: UInt32?, scannedImage: ScannedImage)] = []

    /// Blocking.
    ///
    /// - Parameters:
    ///   - scopes: Must not overlap.
    ///   - order: The sort order of the listing. A listing sorted by keys allows only scopes of files.
    ///   - others: Parts whose ids take precedence.
    ///   - unreadable: Paths whose present state is unknown; their images stay.
    /// - Throws: `Unclear`, `DatabaseError`.
    init(
        _ scopes: [Scope], of listing: Listing, in index: Index, order: PathKey.Order = .files,
        identity: ImageIDGenerator,
        others: [Snapshot.Part], unreadable: UnreadablePaths
    ) throws {
        self.listing = listing
        let ordered = scopes.map { (key: Self.key($0, in: order), scope: $0) }.sorted { $0.key < $1.key }
        var taken: Set<UInt64> = []
        try index.reading { row in
            var locator = Locator(listing: listing, order: order, row: row)
            for (key, scope) in ordered {
                guard let range = try locator.range(of: scope, key, identity) else { continue }
                // If the listing is not sorted as assumed, positions found by binary search are meaningless.
                guard range.lowerBound >= changes.last?.range.upperBound ?? 0 else { throw Unclear() }
                var items: [Item] = []
                var known: Set<UInt64> = []
                for scannedImage in scope.scannedImages {
                    let id = identity.firstID(of: scannedImage.location)
                    let position = listing.position(of: id)
                    guard position.map(range.contains) ?? true, taken.insert(id.rawValue).inserted,
                        position != nil || !others.contains(where: { $0.position(of: id) != nil })
                    else { throw Unclear() }
                    known.insert(id.rawValue)
                    items.append(.seen(seen.count))
                    seen.append((id, position.map { listing[$0].row }, scannedImage))
                }
                if !unreadable.isEmpty {
                    try keep(range, &items, known, &locator, unreadable)
                }
                changes.append(Change(range: range, items: items))
            }
        }
    }

    struct Outcome {
        /// The listing after the update.
        let listing: Listing
        /// The images that are no longer in it, each with the nearest following image that stayed.
        let gone: [(id: ImageID, anchor: ImageID?)]
        /// The same images with their rows.
        let dropped: [(id: ImageID, row: UInt32)]
    }

    /// - Parameter rows: The rows of the images in `seen`.
    func outcome(_ rows: [UInt32]) -> Outcome {
        var edits: [Listing.Edit] = []
        var dropped: [Listing.Entry] = []
        var positions: [Int] = []
        for change in changes {
            let entries = change.items.map { item -> Listing.Entry in
                switch item {
                case .seen(let number): (seen[number].id, rows[number])
                case .kept(let entry): entry
                }
            }
            let stays = Set(entries.map(\.id))
            for position in change.range where !stays.contains(listing[position].id) {
                dropped.append(listing[position])
                positions.append(position)
            }
            let isSame = entries.elementsEqual(change.range.lazy.map { listing[$0] }) { $0 == $1 }
            if !isSame { edits.append(Listing.Edit(range: change.range, entries: entries)) }
        }
        var gone: [(id: ImageID, anchor: ImageID?)] = []
        var next = listing.count
        var anchor: ImageID?
        for position in positions.reversed() {
            if position + 1 != next { anchor = position + 1 < listing.count ? listing[position + 1].id : nil }
            gone.append((listing[position].id, anchor))
            next = position
        }
        return Outcome(listing: edits.isEmpty ? listing : listing.applying(edits), gone: gone, dropped: dropped)
    }

    /// Inserts the images of unknown paths among the scanned ones.
    private func keep(
        _ range: Range<Int>, _ items: inout [Item], _ known: Set<UInt64>, _ locator: inout Locator,
        _ unreadable: UnreadablePaths
    ) throws {
        var keyed = items.map { item -> (key: PathKey, item: Item) in
            guard case .seen(let number) = item else { preconditionFailure("only what was seen comes so far") }
            return (PathKey(file: FilePath.bytes(of: seen[number].scannedImage.location)), item)
        }
        for position in range where !known.contains(listing[position].id.rawValue) {
            let location = try locator.location(at: position)
            guard unreadable.contains(location) else { continue }
            keyed.append((PathKey(file: FilePath.bytes(of: location)), .kept(listing[position])))
        }
        guard keyed.count > items.count else { return }
        items = keyed.sorted { $0.key < $1.key }.map(\.item)
    }

    private static func key(_ scope: Scope, in order: PathKey.Order) -> PathKey {
        switch scope.extent {
        case .file: PathKey(scope.path, in: order)
        case .content: PathKey.bounds(ofFilesIn: scope.path).lower
        case .tree: PathKey.bounds(ofFolder: scope.path).lower
        }
    }
}
