import CLinux
import Glibc

/// Reads a folder with all its sub-folders and names every file that may be a picture, in the gallery's order: the
/// pictures of a folder before those of its sub-folders, both in natural order.
///
/// A link to a file beneath the root is followed. A link to a folder is not entered: if that folder lies beneath the
/// root, its pictures are in the gallery under their own name, and so links in a circle are no danger.
struct FolderWalk {
    let root: FolderRoot
    /// A folder that is passed over, wherever it is met.
    let avoided: FolderIdentity?
    /// Asked now and then; true ends the walk.
    let isStopped: () -> Bool
    /// Called with each folder, open, before its names are read.
    let entering: (_ folder: [UInt8], _ descriptor: Int32) -> Void
    /// Whether a file is whole, and not one that is still being written.
    let isWhole: (_ path: [UInt8], stat) -> Bool
    /// Called with each candidate, in order.
    let found: (Sighting) throws -> Void
    /// Called with a path of which the system could not tell what lies there, and beneath it: nothing that was known of
    /// it may be taken for gone.
    let untold: (_ path: String, FolderRoot.Failure) -> Void
    /// Called with the path of a file of which it is not told now whether it is a picture, for it is still being written,
    /// or is none by its name and closed to this user: no news, but if it was known as a picture it stays one.
    let undecided: (_ path: String) -> Void
    /// Called with the path of each link.
    var linked: (_ path: [UInt8]) -> Void = { _ in }
    /// Called with the path and the reason of what was refused.
    let refused: (_ path: String, _ reason: String) -> Void

    /// What a name in a folder is the name of.
    private enum Seen {
        case picture(FileStamp, inode: UInt64)
        case folder
        case nothing
    }

    private struct Entry {
        let key: NaturalKey
        let name: [UInt8]
        let stamp: FileStamp
        let inode: UInt64
    }

    /// What lies at a path.
    enum Found {
        case picture(Sighting)
        case folder
        case nothing
    }

    /// - Parameter start: the folder to begin in.
    /// - Throws: `FolderRoot.Failure` when the root itself cannot be read: nothing is known then, not "no picture".
    /// - Returns: whether the first folder has any name in it.
    @discardableResult func run(from start: [UInt8] = []) throws -> Bool {
        var isEmpty = true
        var folders: [[UInt8]] = [start]
        while let folder = folders.popLast(), !isStopped() {
            do {
                let read = try read(folder)
                if folder == start { isEmpty = read.isEmpty }
                for (_, name) in read.subfolders.sorted(by: { $0.key > $1.key }) {
                    folders.append(FilePath.join(folder, name))
                }
            } catch let failure as FolderRoot.Failure {
                if folder.isEmpty { throw failure }
                let path = FilePath.text(of: folder)
                switch failure.code {
                // Gone since it was named: as if it had not been.
                case ENOENT, ENOTDIR: break
                case _ where failure.isAbsence: refused(path, "the folder cannot be read: \(failure.reason)")
                default: untold(path, failure)
                }
            }
        }
        return !isEmpty
    }

    /// What people are told of what could not be read.
    static func untoldReason(_ failure: FolderRoot.Failure) -> String {
        "cannot be read now: \(failure.reason). What was known of it is kept"
    }

    /// Looks at these names in one folder. Nothing is told of one that cannot be looked at.
    func look(at names: [[UInt8]], in folder: [UInt8], tell: ([UInt8], Found) -> Void) {
        let descriptor: Int32
        do throws(FolderRoot.Failure) {
            descriptor = try root.openFolder(folder)
        } catch {
            guard error.isAbsence else { return untold(FilePath.text(of: folder), error) }
            for name in names { tell(FilePath.join(folder, name), .nothing) }
            return
        }
        defer { close(descriptor) }
        for name in names {
            let path = FilePath.join(folder, name)
            do throws(FolderRoot.Failure) {
                switch try see(name, in: folder, descriptor) {
                case .picture(let stamp, let inode):
                    var sighting = Sighting(location: FilePath.text(of: path), stamp: stamp)
                    sighting.inode = inode
                    tell(path, .picture(sighting))
                case .folder: tell(path, .folder)
                case .nothing: tell(path, .nothing)
                }
            } catch {
                if error.isAbsence { tell(path, .nothing) } else { untold(FilePath.text(of: path), error) }
            }
        }
    }

    /// Names the folder's own pictures and returns its sub-folders. Nothing is named of a folder whose names could not
    /// all be read.
    private func read(_ folder: [UInt8]) throws -> (subfolders: [NaturalKey: [UInt8]], isEmpty: Bool) {
        let descriptor = try root.openFolder(folder)
        entering(folder, descriptor)
        guard let names = root.calls.openNames(of: descriptor) else {
            let code = errno
            close(descriptor)
            throw FolderRoot.Failure(code: code)
        }
        defer { closedir(names) }
        var entries: [Entry] = []
        var subfolders: [NaturalKey: [UInt8]] = [:]
        var isEmpty = true
        while true {
            errno = 0
            guard let entry = root.calls.nextName(names) else {
                guard errno == 0 else { throw FolderRoot.Failure(code: errno) }
                break
            }
            let name = FolderWalk.name(of: entry)
            isEmpty = isEmpty && (name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8))
            guard !ImageName.isSkipped(name), !isStopped() else { continue }
            do throws(FolderRoot.Failure) {
                switch try see(name, in: folder, descriptor) {
                case .picture(let stamp, let inode):
                    entries.append(Entry(key: NaturalKey(name), name: name, stamp: stamp, inode: inode))
                case .folder: subfolders[NaturalKey(name)] = name
                case .nothing: break
                }
            } catch {
                if !error.isAbsence { untold(FilePath.text(of: FilePath.join(folder, name)), error) }
            }
        }
        entries.sort { $0.key < $1.key }
        for entry in entries {
            guard !isStopped() else { break }
            var sighting = Sighting(location: FilePath.text(of: FilePath.join(folder, entry.name)), stamp: entry.stamp)
            sighting.inode = entry.inode
            try found(sighting)
        }
        return (subfolders, isEmpty)
    }

    private func see(_ name: [UInt8], in folder: [UInt8], _ descriptor: Int32) throws(FolderRoot.Failure) -> Seen {
        let status = try status(of: name, in: descriptor)
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return avoided == FolderIdentity(status) ? .nothing : .folder
        case S_IFREG:
            let path = FilePath.join(folder, name)
            guard isWhole(path, status) else {
                undecided(FilePath.text(of: path))
                return .nothing
            }
            return try isCandidate(folder, name)
                ? .picture(FileStamp(status), inode: UInt64(status.st_ino)) : .nothing
        case S_IFLNK:
            linked(FilePath.join(folder, name))
            // Of what it leads to: a link has nothing of its own by which its picture could be known.
            return try follow(folder, name).map { .picture(FileStamp($0), inode: UInt64($0.st_ino)) } ?? .nothing
        default:
            refused(FilePath.text(of: FilePath.join(folder, name)), "a FIFO, socket or device is never opened")
            return .nothing
        }
    }

    private func status(of name: [UInt8], in folder: Int32) throws(FolderRoot.Failure) -> stat {
        var status = Glibc.stat()
        let code = (name + [0]).withUnsafeBytes { bytes in
            bytes.assumingMemoryBound(to: CChar.self).baseAddress.map {
                root.calls.status(of: $0, in: folder, &status)
            } ?? -1
        }
        guard code == 0 else { throw FolderRoot.Failure(code: errno) }
        return status
    }

    /// The file that the link leads to; nil when it leads to no picture beneath the root.
    private func follow(_ folder: [UInt8], _ name: [UInt8]) throws(FolderRoot.Failure) -> stat? {
        let path = FilePath.join(folder, name)
        do throws(FolderRoot.Failure) {
            let status = try root.status(path)
            switch status.st_mode & S_IFMT {
            case S_IFREG: return try isCandidate(folder, name) ? status : nil
            case S_IFDIR: return nil
            default: throw FolderRoot.Failure(code: FolderRoot.EFTYPE)
            }
        } catch {
            guard error.isAbsence else { throw error }
            refused(FilePath.text(of: path), error.reason)
            return nil
        }
    }

    private func isCandidate(_ folder: [UInt8], _ name: [UInt8]) throws(FolderRoot.Failure) -> Bool {
        if ImageName.isImage(name) { return true }
        let path = FilePath.join(folder, name)
        do throws(FolderRoot.Failure) {
            return ImageSignature.matches(try head(of: path))
        } catch {
            guard [EACCES, EPERM].contains(error.code) else { throw error }
            undecided(FilePath.text(of: path))
            return false
        }
    }

    /// The file's first bytes.
    private func head(of path: [UInt8]) throws(FolderRoot.Failure) -> [UInt8] {
        let file = try root.openFile(path)
        var code: Int32 = 0
        let head = [UInt8](unsafeUninitializedCapacity: ImageSignature.length) { buffer, count in
            let read = root.calls.readHead(file.descriptor, into: UnsafeMutableRawBufferPointer(buffer))
            if read < 0 { code = errno }
            count = max(0, read)
        }
        guard code == 0 else { throw FolderRoot.Failure(code: code) }
        return head
    }

    /// The name's bytes, without copying the 256 bytes that Swift sees the field as.
    private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        let start = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: UInt8.self)
        return Array(UnsafeBufferPointer(start: start, count: strlen(UnsafePointer<CChar>(OpaquePointer(start)))))
    }
}
