import Foundation
import Glibc

extension LibraryMove {
    /// Reads the library in a file that no server uses at the moment. The file is only read, so a library on a read-only
    /// disk will do, and a backup remains as it is. Blocking.
    ///
    /// - Throws: ``Refusal/noFile(path:)``, ``Refusal/inUse(path:)``, ``Refusal/unusable(path:reason:)``.
    public init(file path: String) throws(Refusal) {
        let copy = try LibraryFileCopy(of: path)
        defer { copy.remove() }
        do {
            let library = try SQLiteLibrary(path: copy.path)
            defer { library.close() }
            try self.init(of: library)
            guard try !library.hasUnknownContent else {
                throw Refusal.unusable(path: path, reason: "it belongs to a newer version of Tessera")
            }
        } catch {
            // Not the name of the copy.
            let reason =
                switch error {
                case Refusal.unusable(_, let reason), AccountsError.library(_, let reason): reason
                default: "\(error)"
                }
            throw .unusable(path: path, reason: reason)
        }
    }
}

/// A private copy of a library's file. SQLite may write to a file even if it is only read: it moves what a server that was
/// killed has left in the write-ahead log.
private struct LibraryFileCopy {
    let path: String
    private let folder: String

    /// Copies the file and its write-ahead log while no server can start with it.
    init(of original: String) throws(LibraryMove.Refusal) {
        func unusable(_ code: Int32) -> LibraryMove.Refusal {
            .unusable(path: original, reason: String(cString: strerror(code)))
        }
        // SQLite looks for the log beside the file, not beside a link to it.
        guard let resolved = realpath(original, nil) else {
            throw [ENOENT, ENOTDIR].contains(errno) ? .noFile(path: original) : unusable(errno)
        }
        defer { free(resolved) }
        let file = open(resolved, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw unusable(errno) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unusable(path: original, reason: "it is not a file")
        }
        guard Self.lock(file) else {
            throw [EAGAIN, EACCES].contains(errno) ? .inUse(path: original) : unusable(errno)
        }
        var folder = Array((FileManager.default.temporaryDirectory.path + "/tessera-library-XXXXXX").utf8CString)
        guard mkdtemp(&folder) != nil else {
            throw .unusable(
                path: original, reason: "no folder for a copy can be made: \(String(cString: strerror(errno)))")
        }
        self.folder = String(decoding: folder.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = self.folder + "/library.sqlite"
        do {
            let source = String(cString: resolved)
            for suffix in ["", "-wal"] where suffix.isEmpty || access(source + suffix, F_OK) == 0 {
                try Data(contentsOf: URL(fileURLWithPath: source + suffix)).write(
                    to: URL(fileURLWithPath: path + suffix))
            }
        } catch {
            remove()
            throw .unusable(path: original, reason: "it cannot be copied: \(error.localizedDescription)")
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// `F_OFD_SETLK` (fcntl(2)), which Glibc's module lacks. Such a lock belongs to this descriptor alone; `F_SETLK` would be
    /// lost as soon as another one of the same file is closed.
    private static let setLockOfDescriptor: Int32 = 37

    /// Takes the lock that SQLite calls SHARED, until the descriptor is closed. A server holds the same bytes exclusively
    /// (SQLite Database File Format §1.4, "The Lock-Byte Page").
    ///
    /// - Returns: Whether it was free; otherwise `errno` says why not.
    private static func lock(_ file: Int32) -> Bool {
        let firstLockByte: off_t = 1 << 30
        var range = Glibc.flock()
        range.l_type = Int16(F_RDLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = firstLockByte + 2
        range.l_len = 510
        return fcntl(file, setLockOfDescriptor, &range) == 0
    }
}
