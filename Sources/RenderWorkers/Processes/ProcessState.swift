import Glibc

/// What `/proc` says about a running process.
enum ProcessState {
    /// Whether one of its threads is in an uninterruptible system call, such as a read from a disk that hangs: state D
    /// in proc_pid_stat(5). Each thread counts, because the main one may have ended before the others. Without `/proc`
    /// nothing is known, and the answer is yes.
    static func isUninterruptible(_ process: pid_t) -> Bool {
        let path = "/proc/\(process)/task"
        guard let folder = opendir(path) else { return true }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix("."), state(ofThread: "\(path)/\(name)/stat") == UInt8(ascii: "D") { return true }
        }
        return false
    }

    /// The letter after the name, which stands in parentheses and may contain some itself. Nil once the thread is gone.
    private static func state(ofThread path: String) -> UInt8? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = read(file, &buffer, buffer.count)
        let text = buffer.prefix(max(0, count))
        guard let end = text.lastIndex(of: UInt8(ascii: ")")), text.indices.contains(end + 2) else { return nil }
        return text[end + 2]
    }
}
