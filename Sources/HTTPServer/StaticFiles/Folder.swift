import CLinux
import Glibc

/// Reads the files of a folder.
enum Folder {
    /// The contents of the regular files below `root`, by path relative to it with a leading `/`. Hidden files and
    /// symbolic links are left out, so that no mistake in the folder exposes files outside of it.
    ///
    /// - Parameter limit: The most bytes of all files together.
    static func read(_ root: String, limit: Int) throws(StaticFilesError) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        var total = 0
        for (path, _) in try entries(of: root) {
            let bytes = try contents(of: root + path, limit: limit - total)
            total += bytes.count
            files[path] = bytes
        }
        return files
    }

    /// A number that changes when a file below `root` is written, added, removed or renamed. Valid only within one
    /// process, because `Hasher` is seeded per process.
    static func stamp(_ root: String) throws(StaticFilesError) -> Int {
        var hasher = Hasher()
        for (path, status) in try entries(of: root).sorted(by: { $0.path < $1.path }) {
            hasher.combine(path)
            hasher.combine(status.st_ino)
            hasher.combine(status.st_size)
            hasher.combine(status.st_mtim.tv_sec)
            hasher.combine(status.st_mtim.tv_nsec)
        }
        return hasher.finalize()
    }

    /// The regular files, in no particular sequence.
    private static func entries(of root: String) throws(StaticFilesError) -> [(path: String, status: stat)] {
        var files: [(path: String, status: stat)] = []
        var pending = [""]
        while let folder = pending.popLast() {
            for name in try names(in: root + folder) where !name.hasPrefix(".") {
                let path = folder + "/" + name
                var status = stat()
                guard lstat(root + path, &status) == 0 else { throw .unreadable(root + path, code: errno) }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: pending.append(path)
                case S_IFREG: files.append((path, status))
                default: continue
                }
            }
        }
        return files
    }

    private static func names(in folder: String) throws(StaticFilesError) -> [String] {
        guard let stream = opendir(folder) else { throw .unreadable(folder, code: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }

    private static func contents(of path: String, limit: Int) throws(StaticFilesError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw .unreadable(path, code: errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(path, code: errno) }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: piece[..<count])
            guard bytes.count <= limit else { throw .tooLarge(path) }
        }
    }
}
