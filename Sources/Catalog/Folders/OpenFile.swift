import CLinux
import Glibc
public import Images

/// A regular file of a folder source, opened for reading. The value owns its descriptor and closes it at the end of its
/// lifetime, unless `release()` has handed it over.
public struct OpenFile: ~Copyable, Sendable {
    /// Seekable, close-on-exec. Borrowed: do not close it.
    public let descriptor: Int32
    public let stamp: FileStamp

    /// In bytes.
    public var size: Int64 { stamp.size }
    /// The content version, derived from the size and the modification time.
    public var version: ContentVersion { stamp.version }

    init(owning descriptor: Int32, stamp: FileStamp) {
        self.descriptor = descriptor
        self.stamp = stamp
    }

    deinit { close(descriptor) }

    /// Hands the descriptor to the caller, who must close it.
    public consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}

/// What the file system says about a file's content.
public struct FileStamp: Hashable, Sendable {
    /// In bytes.
    public let size: Int64
    /// When the content was last modified: seconds since 1970, and nanoseconds of that second.
    public let modifiedSeconds: Int64
    public let modifiedNanoseconds: Int64

    init(size: Int64, modifiedSeconds: Int64, modifiedNanoseconds: Int64) {
        self.size = size
        self.modifiedSeconds = modifiedSeconds
        self.modifiedNanoseconds = modifiedNanoseconds
    }

    init(_ status: stat) {
        self.init(
            size: Int64(status.st_size),
            modifiedSeconds: Int64(status.st_mtim.tv_sec),
            modifiedNanoseconds: Int64(status.st_mtim.tv_nsec))
    }

    public var version: ContentVersion {
        ContentVersion(fileSize: size, modifiedSeconds: modifiedSeconds, nanoseconds: modifiedNanoseconds)
    }
}
