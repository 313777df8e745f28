import CLinux
import Glibc

/// The names in a folder, without those that are always skipped.
final class FolderNames {
    /// The folder's descriptor.
    let descriptor: Int32
    /// The folder's status from before its names were read.
    let status: stat
    /// The device of the parent folder; for the root, its own.
    let parent: dev_t
    /// Whether the folder was reached through a link.
    let isLinked: Bool
    /// Whether no name was found, not even a skipped one.
    private(set) var isEmpty = true
    /// The markers among the names, in the order of `FolderMarker.allCases`.
    private(set) var markers: [FolderMarker] = []
    private let calls: FileSystemCalls
    private let stream: OpaquePointer
    /// All names, each terminated by a NUL.
    private var bytes: [UInt8] = []
    private var position = 0

    struct Name {
        let bytes: ArraySlice<UInt8>
        fileprivate let folder: FolderNames

        /// The status of the named file; does not follow links.
        func status() throws(FolderRoot.Failure) -> stat {
            var status = Glibc.stat()
            let result = folder.bytes.withUnsafeBytes { all in
                all.baseAddress.map {
                    let start = ($0 + bytes.startIndex).assumingMemoryBound(to: CChar.self)
                    return folder.calls.status(of: start, in: folder.descriptor, &status)
                }
            }
            guard result == 0 else { throw FolderRoot.Failure(code: errno) }
            return status
        }
    }

    /// - Parameter folder: The path beneath the root; empty for the root itself.
    init(of folder: [UInt8], in served: ServedFolders) throws(FolderRoot.Failure) {
        calls = served.root.calls
        (descriptor, isLinked) = try served.openFolder(folder)
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

    /// Reads all names: whether a name matters depends on the markers, which may come last.
    ///
    /// - Parameter isStopped: Called regularly; true ends the reading.
    func read(unless isStopped: () -> Bool) throws(FolderRoot.Failure) {
        var found: Set<FolderMarker> = []
        while !isStopped() {
            errno = 0
            guard let entry = calls.nextName(stream) else {
                guard errno == 0 else { throw FolderRoot.Failure(code: errno) }
                break
            }
            let name = name(of: entry)
            isEmpty = isEmpty && (name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8))
            if !SkippedName.contains(name) {
                bytes += name
                bytes.append(0)
            } else if let marker = FolderMarker(name) {
                found.insert(marker)
            }
        }
        markers = FolderMarker.allCases.filter(found.contains)
    }

    /// The next of the names that were read.
    func next() -> Name? {
        guard position < bytes.count, let end = bytes[position...].firstIndex(of: 0) else { return nil }
        defer { position = end + 1 }
        return Name(bytes: bytes[position..<end], folder: self)
    }

    /// The folder's present status; nil if it cannot be read.
    var statusNow: stat? {
        var status = Glibc.stat()
        return calls.status(of: descriptor, &status) == 0 ? status : nil
    }

    /// The status of a name in an open folder; does not follow links.
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
    private func name(of entry: UnsafeMutablePointer<dirent>) -> UnsafeBufferPointer<UInt8> {
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        let start = UnsafeRawPointer(entry).advanced(by: offset)
        return UnsafeBufferPointer(
            start: start.assumingMemoryBound(to: UInt8.self), count: strlen(start.assumingMemoryBound(to: CChar.self)))
    }
}

extension FolderFingerprint {
    /// A fingerprint to which the names are still to be added.
    init(_ names: FolderNames, _ rules: FolderRules) {
        self.init(names.status, parent: names.parent)
        self.rules = rules.digest
        for marker in names.markers { add(marker) }
    }

    /// Adds a name with its status.
    ///
    /// - Parameter target: The status of a link's target, if the name is a link.
    mutating func add(_ name: FolderNames.Name, _ status: stat, target: stat?) {
        // For a file with an image's name only the content counts. For any other, the scan reads the first bytes, which
        // takes permission, so a change of its rights counts too.
        add(name.bytes, status, target: target ?? status, includesPermissions: !ImageName.isImage(name.bytes))
    }
}
