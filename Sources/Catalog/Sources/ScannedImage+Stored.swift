import Images

extension SidecarVersion {
    /// - Parameter number: Nil without sidecars.
    init(stored number: Int64?) {
        self = number.map { SidecarVersion(rawValue: UInt64(bitPattern: $0)) } ?? .none
    }

    /// Nil without sidecars.
    var stored: Int64? { self == .none ? nil : Int64(bitPattern: rawValue) }
}

extension ScannedImage.Original {
    /// The columns of the table `image` that describe an original, in the order of reading and writing.
    static let columns = "size, seconds, nanoseconds, inode, objectVersion"

    /// - Parameter first: The index of the first of ``columns`` in the row.
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

    /// The values for ``columns``.
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
