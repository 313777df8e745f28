import CLinux
import FoundationEssentials
import Glibc
import Images

/// What a folder looked like when its names were read. While it looks the same, nothing in it has been added, removed
/// or changed, so its names need not be compared one by one with the listing.
struct FolderFingerprint: Hashable, Sendable {
    /// A folder modified less than this many seconds before it was read may change again without getting another
    /// modification time: clocks of file systems are coarse (FAT has steps of two seconds).
    private static let tick = 3.0

    private let inode: UInt64
    /// When a name was last added or removed, and when that or the folder's rights changed, in nanoseconds since 1970.
    private var modified: Int64
    private let changed: Int64
    /// Whether the folder is a mount point.
    let isMount: Bool
    /// Whether any later change will give the folder another modification time.
    let hasSettled: Bool
    /// The digest of the rules by which the folder leaves out files; see `FolderRules`.
    var rules: UInt64 = 0
    /// Whether the folder has markers.
    private(set) var isMarked = false
    /// The files in the folder that are not shown, which is no part of what the folder looks like.
    var unshown = UnshownCounts()
    /// Order-independent sums over the folder's entries: of their names, and of the states of its files.
    private var names: UInt64 = 0
    private var files: UInt64 = 0

    /// - Parameters:
    ///   - status: The folder's status from before its names are read.
    ///   - parent: The device of the parent folder.
    ///   - time: The current time, in seconds since 1970.
    init(_ status: stat, parent: dev_t, time: Double = UnfinishedFiles.time) {
        inode = UInt64(status.st_ino)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        isMount = status.st_dev != parent
        hasSettled = abs(time - Double(modified) / 1e9) > Self.tick
    }

    /// Whether the folder itself has the same times.
    func hasTimes(of other: FolderFingerprint) -> Bool {
        (inode, modified, changed, isMount) == (other.inode, other.modified, other.changed, other.isMount)
    }

    /// Whether the same is left out of the folder.
    func hasRules(of other: FolderFingerprint) -> Bool { rules == other.rules }

    /// Whether both have the same names, each of the same kind.
    func hasNames(of other: FolderFingerprint) -> Bool { names == other.names }

    /// Whether everything is the same.
    func isAlike(_ other: FolderFingerprint) -> Bool {
        hasTimes(of: other) && hasRules(of: other) && hasNames(of: other) && files == other.files
    }

    /// The fingerprint of a folder that could not be read: it differs from the fingerprint of every real folder.
    var outdated: FolderFingerprint {
        var fingerprint = self
        fingerprint.modified = .min
        return fingerprint
    }

    /// Adds a name.
    ///
    /// - Parameters:
    ///   - status: The status of the name itself.
    ///   - target: The same, or the status of the link's target.
    ///   - includesPermissions: Whether the scan's result depends on more than the file's content.
    mutating func add(_ name: some Sequence<UInt8>, _ status: stat, target: stat, includesPermissions: Bool) {
        var hash = Self.hash(name)
        let kind = status.st_mode & S_IFMT
        names &+= SplitMix.mixed(hash ^ UInt64(kind) << 32)
        guard kind != S_IFDIR else { return }
        hash = SplitMix.mixed(hash &+ UInt64(bitPattern: Int64(target.st_size)))
        hash = SplitMix.mixed(hash &+ UInt64(bitPattern: Self.nanoseconds(target.st_mtim)))
        if includesPermissions { hash = SplitMix.mixed(hash &+ UInt64(bitPattern: Self.nanoseconds(target.st_ctim))) }
        files &+= SplitMix.mixed(hash &+ UInt64(target.st_ino))
    }

    /// Adds a marker. Its content counts by way of the rules.
    mutating func add(_ marker: FolderMarker) {
        isMarked = true
        names &+= SplitMix.mixed(Self.hash(marker.name))
    }

    private static func hash(_ name: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

extension FolderFingerprint {
    /// In bytes, without the counts at the end.
    private static let size = 1 + 6 * 8 + 1
    /// The format version, raised when the rules for skipped names, images or sidecars change. Then every folder is
    /// read again.
    private static let form: UInt8 = 3

    /// As stored in the index; little-endian.
    var data: Data {
        var data = Data([Self.form])
        for number in [inode, UInt64(bitPattern: modified), UInt64(bitPattern: changed), names, files, rules] {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        data.append((isMount ? 1 : 0) | (hasSettled ? 2 : 0) | (isMarked ? 4 : 0))
        return data + unshown.data
    }

    /// Nil if the data is not a fingerprint.
    init?(_ data: Data) {
        guard data.count >= Self.size, data.first == Self.form else { return nil }
        let bytes = [UInt8](data.dropFirst())
        guard let unshown = UnshownCounts(Array(bytes[(Self.size - 1)...])) else { return nil }
        func number(_ place: Int) -> UInt64 {
            bytes[place * 8..<place * 8 + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        (inode, names, files, rules) = (number(0), number(3), number(4), number(5))
        (modified, changed) = (Int64(bitPattern: number(1)), Int64(bitPattern: number(2)))
        let flags = bytes[48]
        (isMount, hasSettled, isMarked) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
        self.unshown = unshown
    }
}
