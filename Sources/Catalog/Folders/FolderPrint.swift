import CLinux
import FoundationEssentials
import Glibc
import Images

/// How a folder looked when its names were read. While it looks the same, nothing in it has come, gone or changed: it
/// need not be compared name by name with what is known.
struct FolderPrint: Hashable, Sendable {
    /// A folder whose time is younger than this when it is read may change once more within the same tick of its clock
    /// (FAT counts in twos). Seconds.
    private static let tick = 3.0

    private let inode: UInt64
    /// When a name came or went last, and when that or its rights changed: nanoseconds since 1970.
    private var modified: Int64
    private let changed: Int64
    /// Whether another file system begins here than that of the folder it lies in.
    let isMount: Bool
    /// Whether any later change gives the folder another time.
    let hasSettled: Bool
    /// Sums over what is in it, in whatever order the system tells: of names, and of what files are.
    private var names: UInt64 = 0
    private var files: UInt64 = 0

    /// - Parameters:
    ///   - status: of the folder, from before its names are read.
    ///   - parent: the device of the folder that it lies in.
    ///   - time: seconds since 1970.
    init(_ status: stat, parent: dev_t, time: Double = UnfinishedFiles.time) {
        inode = UInt64(status.st_ino)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        isMount = status.st_dev != parent
        hasSettled = abs(time - Double(modified) / 1e9) > Self.tick
    }

    /// Whether by its times alone it is as it was.
    func hasTimes(of other: FolderPrint) -> Bool {
        (inode, modified, changed, isMount) == (other.inode, other.modified, other.changed, other.isMount)
    }

    /// Whether it has the same names, and of the same kinds.
    func hasNames(of other: FolderPrint) -> Bool { names == other.names }

    /// Whether everything in it is the same.
    func isAlike(_ other: FolderPrint) -> Bool { hasTimes(of: other) && hasNames(of: other) && files == other.files }

    /// That of a folder which could not be read since: it looks like none.
    var outdated: FolderPrint {
        var print = self
        print.modified = .min
        return print
    }

    /// Adds a name.
    ///
    /// - Parameters:
    ///   - status: what it is the name of.
    ///   - target: the same, or what that leads to.
    ///   - heedsRights: whether what is made of it depends on more than its content.
    mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ status: stat, target: stat, heedsRights: Bool) {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let kind = status.st_mode & S_IFMT
        names &+= SplitMix.mixed(hash ^ UInt64(kind) << 32)
        guard kind != S_IFDIR else { return }
        hash = SplitMix.mixed(hash &+ UInt64(bitPattern: Int64(target.st_size)))
        hash = SplitMix.mixed(hash &+ UInt64(bitPattern: Self.nanoseconds(target.st_mtim)))
        if heedsRights { hash = SplitMix.mixed(hash &+ UInt64(bitPattern: Self.nanoseconds(target.st_ctim))) }
        files &+= SplitMix.mixed(hash &+ UInt64(target.st_ino))
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

extension FolderPrint {
    private static let size = 1 + 5 * 8 + 1
    /// Raised when other names are passed over or other files are taken for pictures: then every folder is read anew.
    private static let form: UInt8 = 1

    /// As the index keeps it; little-endian.
    var data: Data {
        var data = Data([Self.form])
        for number in [inode, UInt64(bitPattern: modified), UInt64(bitPattern: changed), names, files] {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        data.append((isMount ? 1 : 0) | (hasSettled ? 2 : 0))
        return data
    }

    /// Nil for what is none.
    init?(_ data: Data) {
        guard data.count == Self.size, data.first == Self.form else { return nil }
        let bytes = [UInt8](data.dropFirst())
        func number(_ place: Int) -> UInt64 {
            bytes[place * 8..<place * 8 + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        (inode, names, files) = (number(0), number(3), number(4))
        (modified, changed) = (Int64(bitPattern: number(1)), Int64(bitPattern: number(2)))
        (isMount, hasSettled) = (bytes[40] & 1 != 0, bytes[40] & 2 != 0)
    }
}
