import Images

/// Finds positions in a listing that is sorted by path.
struct Locator {
    let listing: Listing
    private let order: PathKey.Order
    private let row: (UInt32) throws -> ImageRow?
    private var locations: [Int: String] = [:]
    private var last = 0

    init(listing: Listing, order: PathKey.Order = .files, row: @escaping (UInt32) throws -> ImageRow?) {
        self.listing = listing
        self.order = order
        self.row = row
    }

    mutating func location(at position: Int) throws -> String {
        if let known = locations[position] { return known }
        guard let row = try row(listing[position].row), row.id == listing[position].id else {
            throw FolderUpdate.Unclear()
        }
        locations[position] = row.scannedImage.location
        return row.scannedImage.location
    }

    /// The range of images in this scope; nil if the scope is a file that the listing lacks and the update doesn't add.
    mutating func range(of scope: FolderUpdate.Scope, _ key: PathKey, _ identity: ImageIDGenerator) throws -> Range<
        Int
    >? {
        if scope.extent != .file {
            let lower = try position(of: key)
            let upper =
                scope.extent == .tree
                ? PathKey.bounds(ofFolder: scope.path).upper : PathKey.bounds(ofFilesIn: scope.path).upper
            return lower..<(try position(of: upper))
        }
        let path = FilePath.text(of: scope.path)
        if let position = listing.position(of: identity.firstID(of: path)) {
            guard Array(try location(at: position).utf8) == Array(path.utf8) else { throw FolderUpdate.Unclear() }
            last = position
            return position..<position + 1
        }
        let position = try position(of: key)
        // The image has an id that is not its first choice.
        if position < listing.count, try self.key(at: position) == key { throw FolderUpdate.Unclear() }
        return scope.scannedImages.isEmpty ? nil : position..<position
    }

    private mutating func key(at position: Int) throws -> PathKey {
        PathKey(FilePath.bytes(of: try location(at: position)), in: order)
    }

    /// The position of the first image that does not sort before the key. Keys must come in ascending order;
    /// consecutive ones are often close, so the search gallops from the last position.
    mutating func position(of key: PathKey) throws -> Int {
        var low = last
        var high = listing.count
        var step = 1
        while low + step < high, try self.key(at: low + step - 1) < key {
            low += step
            step *= 2
        }
        high = min(high, low + step)
        while low < high {
            let middle = (low + high) / 2
            if try self.key(at: middle) < key { low = middle + 1 } else { high = middle }
        }
        last = low
        return low
    }
}
