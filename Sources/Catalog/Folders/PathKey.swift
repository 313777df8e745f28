/// The place of an image in the order of its source, as bytes: comparing bytes is comparing places. The files of a folder
/// stand before those of its sub-folders, both in natural order, as `FolderWalk` names them.
struct PathKey: Comparable {
    private var bytes: [UInt8] = []

    /// In which order a source names what lies in it.
    enum Order {
        /// As a walk through folders does.
        case files
        /// As stores list keys: by their bytes.
        case keys
    }

    init(_ path: [UInt8], in order: Order) {
        self.init()
        switch order {
        case .files: self = PathKey(file: path)
        case .keys: bytes = path
        }
    }

    /// Of a file with this path.
    init(file path: [UInt8]) {
        let (folder, name) = FilePath.split(path)
        append(folder: folder)
        bytes.append(1)
        NaturalKey(name).append(to: &bytes)
    }

    /// Where the files in a folder and beneath it begin, and where they end. Not for the root, which is everything.
    static func bounds(ofFolder path: [UInt8]) -> (lower: PathKey, upper: PathKey) {
        var lower = PathKey()
        lower.append(folder: path)
        var upper = lower
        upper.bytes.append(3)
        return (lower, upper)
    }

    /// Where the files in a folder begin, and where they end: those beneath it come after them.
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
