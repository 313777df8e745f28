import Images

/// What a look at some paths of a source makes of its listing: what is beside them stays as it is.
struct FolderUpdate {
    /// Something that only a reading of everything can tell.
    struct Unclear: Error {}

    /// A run of the order that was looked at.
    struct Scope {
        enum Extent {
            case file
            /// The pictures in a folder, without those of its sub-folders.
            case content
            /// A folder with all that lies beneath it.
            case tree
        }

        let path: [UInt8]
        let extent: Extent
        /// What lies there, in order.
        let sightings: [Sighting]
    }

    /// What takes the place of a run of images.
    private struct Change {
        let range: Range<Int>
        var items: [Item]
    }

    private enum Item {
        /// Of what is seen, the one with this number.
        case seen(Int)
        case kept(Listing.Entry)
    }

    private let listing: Listing
    private var changes: [Change] = []
    /// What is to be written.
    private(set) var seen: [(id: ImageID, known: UInt32?, sighting: Sighting)] = []

    /// Blocking.
    ///
    /// - Parameters:
    ///   - scopes: do not overlap.
    ///   - order: in which the listing is. Of one that is in that of keys, only files are looked at.
    ///   - others: parts whose ids are settled.
    ///   - untold: what lies there stays as it was.
    /// - Throws: `Unclear`, `DatabaseError`.
    init(
        _ scopes: [Scope], of listing: Listing, in index: Index, order: PathKey.Order = .files, identity: Identity,
        others: [Snapshot.Part], untold: UntoldPaths
    ) throws {
        self.listing = listing
        let ordered = scopes.map { (key: Self.key($0, in: order), scope: $0) }.sorted { $0.key < $1.key }
        var taken: Set<UInt64> = []
        try index.reading { row in
            var locator = Locator(listing: listing, order: order, row: row)
            for (key, scope) in ordered {
                guard let range = try locator.range(of: scope, key, identity) else { continue }
                // Where the images are in another order than was taken for theirs, places found by it mean nothing.
                guard range.lowerBound >= changes.last?.range.upperBound ?? 0 else { throw Unclear() }
                var items: [Item] = []
                var known: Set<UInt64> = []
                for sighting in scope.sightings {
                    let id = identity.firstID(of: sighting.location)
                    let position = listing.position(of: id)
                    guard position.map(range.contains) ?? true, taken.insert(id.rawValue).inserted,
                        position != nil || !others.contains(where: { $0.position(of: id) != nil })
                    else { throw Unclear() }
                    known.insert(id.rawValue)
                    items.append(.seen(seen.count))
                    seen.append((id, position.map { listing[$0].row }, sighting))
                }
                if !untold.isEmpty {
                    try keep(range, &items, known, &locator, untold)
                }
                changes.append(Change(range: range, items: items))
            }
        }
    }

    struct Outcome {
        /// As it is now.
        let listing: Listing
        /// What is no longer in it, each with the nearest image after it that stayed.
        let gone: [(id: ImageID, anchor: ImageID?)]
        /// The same, with the rows that they had.
        let dropped: [(id: ImageID, row: UInt32)]
    }

    /// - Parameter rows: of what was seen.
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

    /// Puts among what was seen what could not be told.
    private func keep(
        _ range: Range<Int>, _ items: inout [Item], _ known: Set<UInt64>, _ locator: inout Locator,
        _ untold: UntoldPaths
    ) throws {
        var keyed = items.map { item -> (key: PathKey, item: Item) in
            guard case .seen(let number) = item else { preconditionFailure("only what was seen comes so far") }
            return (PathKey(file: FilePath.bytes(of: seen[number].sighting.location)), item)
        }
        for position in range where !known.contains(listing[position].id.rawValue) {
            let location = try locator.location(at: position)
            guard untold.contains(location) else { continue }
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
