import CLinux
import Glibc

/// Which folder it is, by whatever name it is reached.
struct FolderIdentity: Hashable, Sendable {
    private let device: dev_t
    private let number: ino_t

    init(_ status: stat) {
        device = status.st_dev
        number = status.st_ino
    }

    /// Nil when the folder cannot be asked.
    init?(path: String) {
        var status = Glibc.stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
