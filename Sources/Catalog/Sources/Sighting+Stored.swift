import Images

extension Sighting.Original {
    /// The columns of the table `image` that tell an original, in the order in which they are read and written here.
    static let columns = "size, seconds, nanoseconds, inode, objectVersion"

    /// - Parameter first: where ``columns`` stand in the row.
    init(_ row: StoredRow, from first: Int32) {
        let stamp = FileStamp(row, from: first)
        if let version = row.integer(first + 4), let stamp {
            self = .object(
                ObjectStamp(
                    size: stamp.size, modified: stamp.modifiedSeconds,
                    version: ContentVersion(rawValue: UInt64(bitPattern: version))))
        } else if let stamp {
            self = .file(stamp, inode: row.integer(first + 3).map { UInt64(bitPattern: $0) })
        } else {
            self = .url
        }
    }

    /// What is written into ``columns``.
    var values: [Int64?] {
        switch self {
        case .file(let stamp, let inode):
            [
                stamp.size, stamp.modifiedSeconds, stamp.modifiedNanoseconds,
                inode.map { Int64(bitPattern: $0) }, nil,
            ]
        case .url: [nil, nil, nil, nil, nil]
        case .object(let stamp):
            [stamp.size, stamp.modified, 0, nil, Int64(bitPattern: stamp.version.rawValue)]
        }
    }
}
