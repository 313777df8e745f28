import Glibc

/// Folders that belong to the caches alone. Every call blocks.
enum CacheFolder {
    /// - Throws: `LoadFailure` when the folder does not exist and cannot be created.
    static func make(_ path: String) throws(LoadFailure) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw LoadFailure(
                status: 500, publicMessage: "The cache cannot be opened.",
                logDetail: "mkdir \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// The names in the folder; empty if it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
