import CLinux
import Glibc
import Synchronization

/// The root of a folder source, held open. Everything is opened beneath it, and nothing outside it can be.
///
/// The kernel resolves each path (`openat2` with `RESOLVE_BENEATH`), so there is no moment between a check and a use in
/// which a folder could be swapped for a link. If the kernel or a sandbox lacks that call, the path is walked component
/// by component without following any link. ``ServedFolders`` follows links that lead beneath this root, or another one,
/// by absolute or relative paths.
final class FolderRoot: Sendable {
    /// Why something beneath the root could not be opened: an `errno`.
    struct Failure: Error, Hashable {
        let code: Int32

        /// The disk does not answer. Network file systems report it by the same code when they give up.
        static let hangs = Failure(code: ETIMEDOUT)

        /// Whether the system says for certain that the path does not lead to the expected file within the folder.
        /// After any other failure, that is unknown.
        var isAbsence: Bool {
            [ENOENT, ENOTDIR, ELOOP, EXDEV, EINVAL, ENAMETOOLONG, FolderRoot.EFTYPE].contains(code)
        }

        /// For people; does not contain the path.
        var reason: String {
            switch code {
            case EXDEV: "a link that points outside the served folders"
            case ELOOP: "a link that is not followed, or a cycle of links"
            case ENOENT: "it is gone, or is a dangling link"
            case EINVAL: "not a plain path inside the folder"
            case EFTYPE: "not a regular file"
            case ETIMEDOUT: "the disk does not answer"
            default: String(cString: strerror(code))
            }
        }
    }

    /// A code that no Linux call returns: the opened file is not a regular file.
    static let EFTYPE: Int32 = 4079

    /// Which links are followed when a path is opened.
    enum Links {
        /// Those that stay beneath the root, if the kernel has `openat2`.
        case beneath
        case none

        fileprivate var resolve: UInt64 {
            switch self {
            case .beneath: UInt64(RESOLVE_BENEATH)
            case .none: UInt64(RESOLVE_BENEATH) | UInt64(RESOLVE_NO_SYMLINKS)
            }
        }
    }

    let calls: FileSystemCalls
    /// The device of the file system that contains the root.
    let device: dev_t
    /// The identity of the root folder.
    let identity: FolderIdentity
    /// Where the root is.
    let place: FolderPlace
    private let descriptor: Int32
    private let usesOpenAt2: Atomic<Bool>

    /// - Parameter usesOpenAt2: False to walk component by component, as on a kernel without the call.
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
        place = FolderPlace(of: path)
        descriptor = root
        self.usesOpenAt2 = Atomic(usesOpenAt2)
    }

    deinit { close(descriptor) }

    /// Opens a regular file for reading.
    func openFile(_ path: [UInt8], following links: Links = .beneath) throws(Failure) -> OpenFile {
        // Without O_NONBLOCK, opening a FIFO would wait for its writer; without O_NOCTTY, a terminal could become this
        // process's controlling terminal.
        let file = try open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, following: links)
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

    /// Opens a folder for reading its names; does not follow links. The empty path is the root itself.
    func openFolder(_ path: [UInt8]) throws(Failure) -> Int32 {
        if path.isEmpty {
            let root = calls.open(".", in: descriptor, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard root >= 0 else { throw Failure(code: errno) }
            return root
        }
        return try open(path, O_RDONLY | O_DIRECTORY, following: .none)
    }

    /// The status of what a path leads to; the empty path is the root itself. Does not open the file for reading,
    /// because opening a device can have side effects.
    func status(_ path: [UInt8], following links: Links = .beneath) throws(Failure) -> Glibc.stat {
        guard !path.isEmpty else { return try status(of: descriptor) }
        let handle = try open(path, CLINUX_O_PATH, following: links)
        defer { close(handle) }
        let status = try status(of: handle)
        guard status.st_mode & S_IFMT != S_IFLNK else { throw Failure(code: ELOOP) }
        return status
    }

    /// The text of a link; nil if the path leads to anything else. No link on the way to it is followed.
    func link(_ path: [UInt8]) throws(Failure) -> [UInt8]? {
        let handle = try open(path, CLINUX_O_PATH | O_NOFOLLOW, following: .none)
        defer { close(handle) }
        guard try status(of: handle).st_mode & S_IFMT == S_IFLNK else { return nil }
        var code: Int32 = 0
        let text = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            let read = calls.readLink(handle, into: UnsafeMutableRawBufferPointer(buffer))
            if read < 0 { code = errno }
            count = max(0, read)
        }
        guard code == 0 else { throw Failure(code: code) }
        return text
    }

    private func status(of file: Int32) throws(Failure) -> Glibc.stat {
        var status = Glibc.stat()
        guard calls.status(of: file, &status) == 0 else { throw Failure(code: errno) }
        return status
    }

    private func open(_ path: [UInt8], _ flags: Int32, following links: Links) throws(Failure) -> Int32 {
        guard FolderRoot.isPlain(path) else { throw Failure(code: EINVAL) }
        if usesOpenAt2.load(ordering: .relaxed) {
            let resolve = links.resolve | UInt64(RESOLVE_NO_MAGICLINKS)
            if let opened = try openAt2(path, flags, resolve: resolve) { return opened }
            usesOpenAt2.store(false, ordering: .relaxed)
        }
        return try walk(path, flags)
    }

    /// Nil if the kernel or a sandbox lacks the call.
    private func openAt2(_ path: [UInt8], _ flags: Int32, resolve: UInt64) throws(Failure) -> Int32? {
        // EAGAIN: a rename during the lookup kept the kernel from deciding; openat2(2) says to try again.
        for _ in 0..<16 {
            let opened = (path + [0]).withUnsafeBytes { bytes in
                bytes.assumingMemoryBound(to: CChar.self).baseAddress.map {
                    calls.open($0, under: descriptor, flags | O_CLOEXEC, resolve: resolve)
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

    /// Whether the path is relative, without empty components, `.` or `..`, and without a NUL that would end it early.
    static func isPlain(_ path: [UInt8]) -> Bool {
        !path.isEmpty && !path.contains(0)
            && path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
            }
    }
}
