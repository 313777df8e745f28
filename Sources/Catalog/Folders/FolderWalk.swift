import Glibc

/// Reads a folder with all its sub-folders and names every file that may be a picture, in the gallery's order: the
/// pictures of a folder before those of its sub-folders, both in natural order.
///
/// A link to a file beneath the root is followed. A link to a folder is not entered: if that folder lies beneath the
/// root, its pictures are in the gallery under their own name, and so links in a circle are no danger.
struct FolderWalk {
    let root: FolderRoot
    /// Asked now and then; true ends the walk.
    let isStopped: () -> Bool
    /// Called with each candidate, in order.
    let found: (Sighting) throws -> Void
    /// Called with the path and the reason of what was refused or could not be read.
    let refused: (_ path: String, _ reason: String) -> Void

    private struct Entry {
        let key: NaturalKey
        let name: [UInt8]
        let stamp: FileStamp
    }

    func run() throws {
        var folders: [[UInt8]] = [[]]
        while let folder = folders.popLast(), !isStopped() {
            let subfolders: [NaturalKey: [UInt8]]
            do {
                subfolders = try read(folder)
            } catch let failure as FolderRoot.Failure {
                // The root itself being unreadable is the caller's affair: nothing is known then, not "no picture".
                if folder.isEmpty { throw failure }
                refused(FilePath.text(of: folder), "the folder cannot be read: \(failure.reason)")
                continue
            }
            for (_, name) in subfolders.sorted(by: { $0.key > $1.key }) { folders.append(join(folder, name)) }
        }
    }

    /// Names the folder's own pictures and returns its sub-folders.
    private func read(_ folder: [UInt8]) throws -> [NaturalKey: [UInt8]] {
        let descriptor = try root.openFolder(folder)
        guard let stream = fdopendir(descriptor) else {
            let code = errno
            close(descriptor)
            throw FolderRoot.Failure(code: code)
        }
        defer { closedir(stream) }
        var entries: [Entry] = []
        var subfolders: [NaturalKey: [UInt8]] = [:]
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw FolderRoot.Failure(code: errno) }
                break
            }
            let name = FolderWalk.name(of: entry)
            guard !ImageName.isSkipped(name), !isStopped() else { continue }
            var status = Glibc.stat()
            let isKnown =
                fstatat(descriptor, name.map(CChar.init(bitPattern:)) + [0], &status, AT_SYMLINK_NOFOLLOW) == 0
            guard isKnown else { continue }  // Gone since it was named.
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                subfolders[NaturalKey(name)] = name
            case S_IFREG:
                if isCandidate(folder, name) {
                    entries.append(Entry(key: NaturalKey(name), name: name, stamp: FileStamp(status)))
                }
            case S_IFLNK:
                if let stamp = follow(folder, name) {
                    entries.append(Entry(key: NaturalKey(name), name: name, stamp: stamp))
                }
            default:
                refused(FilePath.text(of: join(folder, name)), "a FIFO, socket or device is never opened")
            }
        }
        entries.sort { $0.key < $1.key }
        for entry in entries {
            guard !isStopped() else { break }
            try found(Sighting(location: FilePath.text(of: join(folder, entry.name)), stamp: entry.stamp))
        }
        return subfolders
    }

    /// The stamp of the file that the link leads to; nil when it leads to no picture beneath the root.
    private func follow(_ folder: [UInt8], _ name: [UInt8]) -> FileStamp? {
        let path = join(folder, name)
        do throws(FolderRoot.Failure) {
            let status = try root.status(path)
            switch status.st_mode & S_IFMT {
            case S_IFREG: return isCandidate(folder, name) ? FileStamp(status) : nil
            case S_IFDIR: return nil
            default: throw FolderRoot.Failure(code: FolderRoot.EFTYPE)
            }
        } catch {
            refused(FilePath.text(of: path), error.reason)
            return nil
        }
    }

    private func isCandidate(_ folder: [UInt8], _ name: [UInt8]) -> Bool {
        if ImageName.isImage(name) { return true }
        guard let file = try? root.openFile(join(folder, name)) else { return false }
        let descriptor = file.descriptor
        let head = [UInt8](unsafeUninitializedCapacity: ImageSignature.length) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, ImageSignature.length, 0))
        }
        return ImageSignature.matches(head)
    }

    private func join(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
        folder.isEmpty ? name : folder + [UInt8(ascii: "/")] + name
    }

    /// The name's bytes, without copying the 256 bytes that Swift sees the field as.
    private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        let start = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: UInt8.self)
        return Array(UnsafeBufferPointer(start: start, count: strlen(UnsafePointer<CChar>(OpaquePointer(start)))))
    }
}
