import Glibc

/// Locks the data folder against other processes for as long as this object lives. The kernel releases the lock when
/// the process ends, however it ends.
final class FolderLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `CatalogError.dataFolderInUse`, `.dataFolderUnusable`.
    init(folder: String) throws(CatalogError) {
        let descriptor = open(folder + "/catalog.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else {
            throw .dataFolderUnusable(path: folder, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            if code == EWOULDBLOCK { throw .dataFolderInUse(path: folder) }
            throw .dataFolderUnusable(path: folder, reason: String(cString: strerror(code)))
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
