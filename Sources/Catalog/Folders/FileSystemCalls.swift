import CLinux
import Glibc

/// The system calls that read the sources and replace the index. Each returns what the system call returns, and sets
/// `errno`.
///
/// A class, so that tests can override calls. If nothing overrides them the compiler calls the system directly, so a
/// scan of a million files pays nothing.
class FileSystemCalls: @unchecked Sendable {
    // Sendable because it has no state; a subclass that has state must guard it.

    static let system = FileSystemCalls()

    /// `open(2)`.
    func open(_ path: String, _ flags: Int32) -> Int32 {
        Glibc.open(path, flags)
    }

    /// `openat(2)`.
    func open(_ name: UnsafePointer<CChar>, in folder: Int32, _ flags: Int32) -> Int32 {
        openat(folder, name, flags)
    }

    /// `openat2(2)`.
    func open(_ path: UnsafePointer<CChar>, under root: Int32, _ flags: Int32, resolve: UInt64) -> Int32 {
        clinux_openat2(root, path, UInt64(flags), resolve)
    }

    /// `stat(2)`.
    func status(_ path: String, _ status: inout stat) -> Int32 {
        stat(path, &status)
    }

    /// `fstat(2)`.
    func status(of file: Int32, _ status: inout stat) -> Int32 {
        fstat(file, &status)
    }

    /// `fstatat(2)` that does not follow links.
    func status(of name: UnsafePointer<CChar>, in folder: Int32, _ status: inout stat) -> Int32 {
        fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW)
    }

    /// `fdopendir(3)`.
    func openNames(of folder: Int32) -> OpaquePointer? {
        fdopendir(folder)
    }

    /// `readdir(3)`.
    func nextName(_ names: OpaquePointer) -> UnsafeMutablePointer<dirent>? {
        readdir(names)
    }

    /// `read(2)`.
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        Glibc.read(file, buffer.baseAddress, buffer.count)
    }

    /// `readlinkat(2)` of an open link.
    func readLink(_ link: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        buffer.withMemoryRebound(to: CChar.self) { text in
            text.baseAddress.map { readlinkat(link, "", $0, text.count) } ?? -1
        }
    }

    /// `pread(2)` from the file's beginning.
    func readHead(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        pread(file, buffer.baseAddress, buffer.count, 0)
    }

    /// `inotify_init1(2)`, close-on-exec and non-blocking.
    func openWatches() -> Int32 {
        inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    }

    /// `inotify_add_watch(2)`.
    func watch(_ watches: Int32, _ path: String, _ mask: UInt32) -> Int32 {
        inotify_add_watch(watches, path, mask)
    }

    /// `inotify_rm_watch(2)`.
    func unwatch(_ watches: Int32, _ watch: Int32) -> Int32 {
        inotify_rm_watch(watches, watch)
    }

    /// `fstatfs(2)`: the type of the file system that contains a folder; -1 if unknown.
    func fileSystemType(of folder: Int32) -> Int64 {
        clinux_file_system_type(folder)
    }

    /// `rename(2)`.
    func rename(_ old: String, to new: String) -> Int32 {
        Glibc.rename(old, new)
    }
}
