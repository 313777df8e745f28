import CLinux
import Glibc

/// The system's calls by which sources are read and the index is kept in its place: each gives what the system gives,
/// and `errno` with it.
///
/// A class, so that a test can answer in the system's stead; where nothing overrides it, the compiler calls straight
/// through, and a walk over a million files pays nothing.
class FileSystemCalls: @unchecked Sendable {
    // Sendable because it has no state; a subclass that has some guards it.

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
    func open(_ path: UnsafePointer<CChar>, beneath root: Int32, _ flags: Int32, resolve: UInt64) -> Int32 {
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

    /// `fstatat(2)` that follows no link.
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

    /// `pread(2)` from the file's beginning.
    func readHead(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        pread(file, buffer.baseAddress, buffer.count, 0)
    }

    /// `inotify_init1(2)`, closed on exec and never waited for.
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

    /// `fstatfs(2)`: the type of the file system that a folder lies in; -1 where that cannot be told.
    func fileSystemType(of folder: Int32) -> Int64 {
        clinux_file_system_type(folder)
    }

    /// `rename(2)`.
    func rename(_ old: String, to new: String) -> Int32 {
        Glibc.rename(old, new)
    }
}
