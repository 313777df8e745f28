import CLinux
import Glibc

/// A file descriptor with shared ownership: it is closed with the last reference, so a file that a cache evicts can
/// still be read to its end.
public final class OwnedDescriptor: Sendable {
    public let number: Int32
    /// The share of a byte quota that limits the size of the file.
    private let share: ByteQuota.Share?

    /// Takes ownership of an open descriptor.
    public init(_ number: Int32) {
        self.number = number
        share = nil
    }

    init(_ number: Int32, within share: ByteQuota.Share?) {
        self.number = number
        self.share = share
    }

    deinit {
        close(number)
    }

    /// Opens the same file for reading only. Blocks.
    func forReading() throws(DescriptorError) -> OwnedDescriptor {
        let number = open("/proc/self/fd/\(number)", O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw DescriptorError(operation: "open", code: errno) }
        return OwnedDescriptor(number, within: share)
    }

    /// Reserves room in the quota for a file of this size.
    ///
    /// - Throws: `DescriptorError` with the code of a full disk if the quota has not enough bytes left.
    func reserve(_ size: Int64) throws(DescriptorError) {
        guard share?.grow(to: size) != false else { throw DescriptorError(operation: "reserve", code: ENOSPC) }
    }

    /// Reads up to `count` bytes at `offset`: fewer at the end of the file. Blocks.
    ///
    /// - Throws: `DescriptorError` with the operation that failed.
    func read(_ count: Int, at offset: Int64) throws(DescriptorError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
            while filled < buffer.count {
                let got = pread(number, buffer.baseAddress! + filled, buffer.count - filled, off_t(offset) + filled)
                if got > 0 {
                    filled += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else { throw DescriptorError(operation: "pread", code: failure) }
        return bytes
    }

    /// Reads up to `count` bytes at `offset` if they are in the page cache. Returns no bytes if they are not, at the
    /// end of the file, and on any error. Never waits for a disk.
    func readCached(_ count: Int, at offset: Int64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
            filled = max(0, clinux_pread_cached(number, buffer.baseAddress, buffer.count, offset))
        }
    }

    /// Writes all of `bytes` at `offset`. Blocks.
    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(DescriptorError) {
        try reserve(offset + Int64(bytes.count))
        var failure: Int32 = 0
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let put = pwrite(number, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + done)
                if put >= 0 {
                    done += put
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else { throw DescriptorError(operation: "pwrite", code: failure) }
    }

    /// The present status of the file. Blocks.
    func status() throws(DescriptorError) -> FileStatus {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw DescriptorError(operation: "fstat", code: errno) }
        return FileStatus(
            size: Int64(status.st_size), modifiedSeconds: Int64(status.st_mtim.tv_sec),
            nanoseconds: Int64(status.st_mtim.tv_nsec), isRegular: status.st_mode & S_IFMT == S_IFREG)
    }
}

/// The attributes that decide the version of a local file.
struct FileStatus: Hashable, Sendable {
    /// Bytes.
    let size: Int64
    let modifiedSeconds: Int64
    let nanoseconds: Int64
    let isRegular: Bool
}

/// A system call on a descriptor failed.
struct DescriptorError: Error, Hashable, CustomStringConvertible {
    let operation: String
    /// The `errno`.
    let code: Int32

    var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }
    var description: String { "\(operation): \(String(cString: strerror(code)))" }
}
