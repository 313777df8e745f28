import Glibc

/// Reads the files of a folder, at the start of a program.
enum Folder {
    /// The regular files beneath `root`, by their paths from it, each beginning with `/`. Hidden files and symbolic
    /// links are left out, so that nothing outside of the folder gets in by a mistake in it.
    static func read(_ root: String, limit: Int) throws(StaticFilesError) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        var total = 0
        var pending = [""]
        while let folder = pending.popLast() {
            for name in try names(in: root + folder) where !name.hasPrefix(".") {
                let path = folder + "/" + name
                var status = stat()
                guard lstat(root + path, &status) == 0 else { throw .unreadable(root + path, code: errno) }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: pending.append(path)
                case S_IFREG:
                    let bytes = try contents(of: root + path, limit: limit - total)
                    total += bytes.count
                    files[path] = bytes
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
