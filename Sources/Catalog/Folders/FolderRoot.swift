import CLinux
import Glibc
import Synchronization

/// The root of a folder source, held open: everything is opened beneath it, and nothing outside it can be.
///
/// The kernel resolves each path (`openat2` with `RESOLVE_BENEATH`), so there is no moment between a check and a use in
/// which a folder could be swapped for a link. Where the kernel or a sandbox lacks that call, the path is walked part
/// by part without following any link.
final class FolderRoot: Sendable {
    /// Why something beneath the root could not be opened; an `errno`.
    struct Failure: Error, Hashable {
        let code: Int32

        /// Whether the system says for certain that the path does not lead, within the folder, to what was looked for.
        /// Any other failure says that it cannot tell now.
        var isAbsence: Bool {
            [ENOENT, ENOTDIR, ELOOP, EXDEV, EINVAL, ENAMETOOLONG, FolderRoot.EFTYPE].contains(code)
        }

        /// For people; says nothing of the path.
        var reason: String {
            switch code {
            case EXDEV: "a link that leaves the folder"
            case ELOOP: "a link that is not followed, or links in a circle"
            case ENOENT: "it is gone, or a link that points at nothing"
            case EINVAL: "not a plain path beneath the folder"
            case EFTYPE: "not a regular file"
            default: String(cString: strerror(code))
            }
        }
    }

    /// Of no Linux call: something was opened, and it is not a regular file.
    static let EFTYPE: Int32 = 4079

    let calls: FileSystemCalls
    /// Of the file system that the root lies in.
    let device: dev_t
    /// Which folder it is.
    let identity: FolderIdentity
    private let descriptor: Int32
    private let usesOpenAt2: Atomic<Bool>

    /// - Parameter usesOpenAt2: false to walk part by part, as on a kernel without the call.
    init(path: String, calls: FileSystemCalls = .system, usesOpenAt2: Bool = true) throws(Failure) {
        let root = calls.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { throw Failure(code: errno) }
        var status = Glibc.stat()
        guard calls.status(of: root, &status) == 0 else {
            let code = errno
            close(root)
            throw Failure(code: code)
        }
        self.calls = calls
        device = status.st_dev
        identity = FolderIdentity(status)
        descriptor = root
        self.usesOpenAt2 = Atomic(usesOpenAt2)
    }

    deinit { close(descriptor) }

    /// Opens a regular file for reading. Links that stay beneath the root are followed where the kernel can tell.
    func openFile(_ path: [UInt8]) throws(Failure) -> OpenFile {
        // A FIFO opened without O_NONBLOCK would wait for its writer; a terminal could become ours without O_NOCTTY.
        let file = try open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, resolve: UInt64(RESOLVE_BENEATH))
        var status = Glibc.stat()
        guard calls.status(of: file, &status) == 0 else {
            let code = errno
            close(file)
            throw Failure(code: code)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw Failure(code: Self.EFTYPE)
        }
        return OpenFile(owning: file, stamp: FileStamp(status))
    }

    /// Opens a folder for reading its names; links are not followed. An empty path is the root itself.
    func openFolder(_ path: [UInt8]) throws(Failure) -> Int32 {
        if path.isEmpty {
            let root = calls.open(".", in: descriptor, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard root >= 0 else { throw Failure(code: errno) }
            return root
        }
        let resolve = UInt64(RESOLVE_BENEATH) | UInt64(RESOLVE_NO_SYMLINKS)
        return try open(path, O_RDONLY | O_DIRECTORY, resolve: resolve)
    }

    /// What lies at the path, after links, without opening it for reading (opening a device can have effects).
    func status(_ path: [UInt8]) throws(Failure) -> Glibc.stat {
        let handle = try open(path, CLINUX_O_PATH, resolve: UInt64(RESOLVE_BENEATH))
        defer { close(handle) }
        var status = Glibc.stat()
        guard calls.status(of: handle, &status) == 0 else { throw Failure(code: errno) }
        return status
    }

    private func open(_ path: [UInt8], _ flags: Int32, resolve: UInt64) throws(Failure) -> Int32 {
        guard FolderRoot.isPlain(path) else { throw Failure(code: EINVAL) }
        if usesOpenAt2.load(ordering: .relaxed) {
            if let opened = try openAt2(path, flags, resolve: resolve | UInt64(RESOLVE_NO_MAGICLINKS)) { return opened }
            usesOpenAt2.store(false, ordering: .relaxed)
        }
        return try walk(path, flags)
    }

    /// Nil when the kernel or a sandbox does not have the call.
    private func openAt2(_ path: [UInt8], _ flags: Int32, resolve: UInt64) throws(Failure) -> Int32? {
        // EAGAIN: something was renamed while the kernel looked, and it cannot be sure; openat2(2) says to try again.
        for _ in 0..<16 {
            let opened = (path + [0]).withUnsafeBytes { bytes in
                bytes.assumingMemoryBound(to: CChar.self).baseAddress.map {
                    calls.open($0, beneath: descriptor, flags | O_CLOEXEC, resolve: resolve)
                } ?? -1
            }
            if opened >= 0 { return opened }
            switch errno {
            case EAGAIN, EINTR: continue
            case ENOSYS, EPERM: return nil
            default: throw Failure(code: errno)
            }
        }
        throw Failure(code: EAGAIN)
    }

    private func walk(_ path: [UInt8], _ flags: Int32) throws(Failure) -> Int32 {
        let parts = path.split(separator: UInt8(ascii: "/"))
        var folder = descriptor
        defer { if folder != descriptor { close(folder) } }
        for (position, part) in parts.enumerated() {
            let isLast = position == parts.count - 1
            let how = isLast ? flags : CLINUX_O_PATH | O_DIRECTORY
            let next = (Array(part) + [0]).withUnsafeBytes { bytes in
                bytes.assumingMemoryBound(to: CChar.self).baseAddress.map {
                    calls.open($0, in: folder, how | O_NOFOLLOW | O_CLOEXEC)
                } ?? -1
            }
            guard next >= 0 else { throw Failure(code: errno) }
            if isLast { return next }
            if folder != descriptor { close(folder) }
            folder = next
        }
        throw Failure(code: EINVAL)
    }

    /// Relative, without empty parts, `.` or `..`, and without a NUL that would end it early.
    private static func isPlain(_ path: [UInt8]) -> Bool {
        !path.isEmpty && !path.contains(0)
            && path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
            }
    }
}
