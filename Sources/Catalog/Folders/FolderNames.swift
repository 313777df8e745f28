import CLinux
import Glibc

/// The names in a folder, one after the other, without those that are never looked at.
final class FolderNames {
    /// Of the folder.
    let descriptor: Int32
    /// The folder as it was before its names were read.
    let status: stat
    /// The device of the folder that it lies in; of the root, its own.
    let parent: dev_t
    /// Whether no name was met, not even one that is passed over.
    private(set) var isEmpty = true
    private let calls: FileSystemCalls
    private let stream: OpaquePointer

    /// A name, until the next one is asked for.
    struct Name {
        /// Ends with a NUL that `bytes` does not count.
        fileprivate let start: UnsafePointer<CChar>
        let bytes: UnsafeBufferPointer<UInt8>
        fileprivate let folder: Int32
        fileprivate let calls: FileSystemCalls

        /// What it is the name of; links are not followed.
        func status() throws(FolderRoot.Failure) -> stat {
            try FolderNames.status(start, in: folder, calls)
        }
    }

    /// - Parameter folder: beneath the root; an empty path is the root itself.
    init(of folder: [UInt8], in root: FolderRoot) throws(FolderRoot.Failure) {
        calls = root.calls
        descriptor = try root.openFolder(folder)
        var status = Glibc.stat()
        do throws(FolderRoot.Failure) {
            guard calls.status(of: descriptor, &status) == 0 else { throw FolderRoot.Failure(code: errno) }
            parent = folder.isEmpty ? status.st_dev : try Self.status("..", in: descriptor, calls).st_dev
            guard let stream = calls.openNames(of: descriptor) else { throw FolderRoot.Failure(code: errno) }
            self.stream = stream
        } catch {
            close(descriptor)
            throw error
        }
        self.status = status
    }

    deinit { closedir(stream) }

    func next() throws(FolderRoot.Failure) -> Name? {
        while true {
            errno = 0
            guard let entry = calls.nextName(stream) else {
                guard errno == 0 else { throw FolderRoot.Failure(code: errno) }
                return nil
            }
            let name = name(of: entry)
            isEmpty = isEmpty && (name.bytes.elementsEqual(".".utf8) || name.bytes.elementsEqual("..".utf8))
            if !ImageName.isSkipped(name.bytes) { return name }
        }
    }

    /// The folder as it is now; nil when that cannot be told.
    var statusNow: stat? {
        var status = Glibc.stat()
        return calls.status(of: descriptor, &status) == 0 ? status : nil
    }

    /// What lies under a name in an open folder; links are not followed.
    static func status(
        of name: [UInt8], in folder: Int32, _ calls: FileSystemCalls
    ) throws(FolderRoot.Failure) -> stat {
        let text = (name + [0]).map(CChar.init(bitPattern:))
        return try text.withUnsafeBufferPointer { text throws(FolderRoot.Failure) in
            guard let start = text.baseAddress else { throw FolderRoot.Failure(code: EINVAL) }
            return try status(start, in: folder, calls)
        }
    }

    private static func status(
        _ name: UnsafePointer<CChar>, in folder: Int32, _ calls: FileSystemCalls
    ) throws(FolderRoot.Failure) -> stat {
        var status = Glibc.stat()
        guard calls.status(of: name, in: folder, &status) == 0 else { throw FolderRoot.Failure(code: errno) }
        return status
    }

    /// The name's bytes, without copying the 256 bytes that Swift sees the field as.
    private func name(of entry: UnsafeMutablePointer<dirent>) -> Name {
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        let start = UnsafeRawPointer(entry).advanced(by: offset)
        let bytes = start.assumingMemoryBound(to: UInt8.self)
        let name = start.assumingMemoryBound(to: CChar.self)
        return Name(
            start: name, bytes: UnsafeBufferPointer(start: bytes, count: strlen(name)), folder: descriptor, calls: calls
        )
    }
}

extension FolderPrint {
    /// Adds a name, and what it is the name of.
    ///
    /// - Parameter target: what it leads to when it is a link.
    mutating func add(_ name: FolderNames.Name, _ status: stat, target: stat?) {
        // Of a file that is named as a picture only the content counts; any other is looked into, where that is allowed.
        add(name.bytes, status, target: target ?? status, heedsRights: !ImageName.isImage(name.bytes))
    }
}
