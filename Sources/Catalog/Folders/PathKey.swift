/// An image's sort key in the order of its source; comparing the bytes compares positions. The files of a folder sort
/// before those of its sub-folders, both in natural order, as `FolderWalk` reports them.
struct PathKey: Comparable {
    private var bytes: [UInt8] = []

    /// The order in which a source lists its images.
    enum Order {
        /// The order of a walk through folders.
        case files
        /// The order in which object stores list keys: by their bytes.
        case keys
    }

    init(_ path: [UInt8], in order: Order) {
        self.init()
        switch order {
        case .files: self = PathKey(file: path)
        case .keys: bytes = path
        }
    }

    /// The key of a file with this path.
    init(file path: [UInt8]) {
        let (folder, name) = FilePath.split(path)
        append(folder: folder)
        bytes.append(1)
        NaturalKey(name).append(to: &bytes)
    }

    /// The range of all files in a folder and beneath it. Not for the root, which contains everything.
    static func bounds(ofFolder path: [UInt8]) -> (lower: PathKey, upper: PathKey) {
        var lower = PathKey()
        lower.append(folder: path)
        var upper = lower
        upper.bytes.append(3)
        return (lower, upper)
    }

    /// The range of the files directly in a folder; files beneath its sub-folders sort after them.
    static func bounds(ofFilesIn path: [UInt8]) -> (lower: PathKey, upper: PathKey) {
        var lower = PathKey()
        lower.append(folder: path)
        var upper = lower
        lower.bytes.append(1)
        upper.bytes.append(2)
        return (lower, upper)
    }

    private init() {}

    private mutating func append(folder: [UInt8]) {
        for part in folder.split(separator: UInt8(ascii: "/")) {
            bytes.append(2)
            NaturalKey(Array(part)).append(to: &bytes)
        }
    }

    static func < (left: PathKey, right: PathKey) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}
