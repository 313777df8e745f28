/// The current state of some keys, which replaces what an older listing says about them.
struct ListingCorrections {
    /// In descending order of the keys.
    private var left: [(key: [UInt8], scannedImage: ScannedImage?)]
    private let keys: Set<[UInt8]>

    init(_ scopes: [FolderUpdate.Scope] = [], under prefix: String = "") {
        let prefix = Array(prefix.utf8)
        left = scopes.map { (prefix + $0.path, $0.scannedImages.first) }
            .sorted { $1.key.lexicographicallyPrecedes($0.key) }
        keys = Set(left.map(\.key))
    }

    var isEmpty: Bool { keys.isEmpty }

    func isOf(_ key: [UInt8]) -> Bool { keys.contains(key) }

    /// The corrections for keys before this one, or all that remain.
    mutating func next(before key: [UInt8]? = nil) -> [ScannedImage] {
        var scannedImages: [ScannedImage] = []
        while let last = left.last, key.map({ last.key.lexicographicallyPrecedes($0) }) ?? true {
            left.removeLast()
            if let scannedImage = last.scannedImage { scannedImages.append(scannedImage) }
        }
        return scannedImages
    }
}
