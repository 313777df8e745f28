import CLinux
import Glibc

/// Identifies a folder regardless of the path by which it is reached.
struct FolderIdentity: Hashable, Sendable {
    private let device: dev_t
    private let number: ino_t

    init(_ status: stat) {
        device = status.st_dev
        number = status.st_ino
    }

    /// Nil if the folder's status cannot be read.
    init?(path: String) {
        var status = Glibc.stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
