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
    /// Who is told.
    let reading: FolderReading
    /// Asked now and then; true ends the walk.
    let isStopped: () -> Bool

    /// What lies at a path.
    enum Found {
        case picture(Sighting)
        case folder
        case nothing
    }

    /// What a folder has in it.
    enum Content {
        /// The names of its sub-folders, in order.
        case names(subfolders: [[UInt8]], isEmpty: Bool)
        /// It is not there.
        case absent
        /// It is not known, or not this user's to know.
        case unknown
    }

    /// - Parameter start: the folder to begin in.
    /// - Throws: `FolderRoot.Failure` when the root itself cannot be read: nothing is known then, not "no picture".
    /// - Returns: whether the first folder has any name in it.
    @discardableResult func run(from start: [UInt8] = []) throws -> Bool {
        var hasNames = false
        var folders: [[UInt8]] = [start]
        while let folder = folders.popLast(), !isStopped() {
            guard case .names(let subfolders, let isEmpty) = try content(of: folder) else { continue }
            if folder == start { hasNames = !isEmpty }
            for name in subfolders.reversed() { folders.append(FilePath.join(folder, name)) }
        }
        return hasNames
    }

    /// Names the folder's own pictures. Nothing is named of a folder whose names could not all be read.
    ///
    /// - Throws: `FolderRoot.Failure` of the root.
    func content(of folder: [UInt8]) throws -> Content {
        do {
            return try read(folder)
        } catch let failure as FolderRoot.Failure {
            if folder.isEmpty { throw failure }
            switch failure.code {
            // Gone since it was named: as if it had not been.
            case ENOENT, ENOTDIR: return .absent
            case _ where failure.isAbsence:
                reading.refused(folder, "the folder cannot be read: \(failure.reason)")
                reading.isClosed(folder, nil)
                return .absent
            default:
                reading.untold(folder, failure)
                reading.isClosed(folder, reading.former(folder)?.outdated)
                return .unknown
            }
        }
    }

    /// Looks at these names in one folder. Nothing is told of one that cannot be looked at.
    func look(at names: [[UInt8]], in folder: [UInt8], tell: ([UInt8], Found) -> Void) {
        let descriptor: Int32
        do throws(FolderRoot.Failure) {
            descriptor = try root.openFolder(folder)
        } catch {
            guard error.isAbsence else { return reading.untold(folder, error) }
            for name in names { tell(FilePath.join(folder, name), .nothing) }
            return
        }
        defer { close(descriptor) }
        for name in names {
            let path = FilePath.join(folder, name)
            do throws(FolderRoot.Failure) {
                let status = try FolderNames.status(of: name, in: descriptor, root.calls)
                switch try see(name, in: folder, status).kind {
                case .picture(let status): tell(path, .picture(Sighting(at: FilePath.text(of: path), status)))
                case .folder: tell(path, .folder)
                case .nothing, .undecided: tell(path, .nothing)
                }
            } catch {
                if error.isAbsence { tell(path, .nothing) } else { reading.untold(path, error) }
            }
        }
    }

    /// What a name in a folder is the name of.
    private struct Seen {
        enum Kind {
            case picture(stat)
            case folder
            /// Not told now.
            case undecided
            case nothing
        }

        let kind: Kind
        /// What a link leads to.
        var target: stat?

        init(_ kind: Kind, target: stat? = nil) {
            self.kind = kind
            self.target = target
        }
    }

    private struct Entry {
        let key: NaturalKey
        let status: stat
    }

    private func read(_ folder: [UInt8]) throws -> Content {
        let names = try FolderNames(of: folder, in: root)
        reading.enters(folder, names.descriptor)
        var print = FolderPrint(names.status, parent: names.parent)
        var isCertain = true
        var entries: [Entry] = []
        var subfolders: [NaturalKey] = []
        while let name = try names.next() {
            guard !isStopped() else { break }
            do throws(FolderRoot.Failure) {
                let status = try name.status()
                let bytes = Array(name.bytes)
                let seen = try see(bytes, in: folder, status)
                print.add(name, status, target: seen.target)
                switch seen.kind {
                case .picture(let status): entries.append(Entry(key: NaturalKey(bytes), status: status))
                case .folder: subfolders.append(NaturalKey(bytes))
                case .undecided: isCertain = false
                case .nothing: break
                }
            } catch {
                isCertain = false
                if !error.isAbsence { reading.untold(FilePath.join(folder, Array(name.bytes)), error) }
            }
        }
        if names.isEmpty, !print.isMount, reading.former(folder)?.isMount == true {
            // The place where a disk is mounted is an empty folder while it is not.
            throw FolderRoot.Failure(code: ENODEV)
        }
        reading.leaves(folder, isCertain && !isStopped() ? print : nil)
        entries.sort { $0.key < $1.key }
        let prefix = folder.isEmpty ? "" : FilePath.text(of: folder) + "/"
        for entry in entries {
            guard !isStopped() else { break }
            try reading.found(Sighting(at: prefix + FilePath.text(of: entry.key.name), entry.status))
        }
        return .names(subfolders: subfolders.sorted().map(\.name), isEmpty: names.isEmpty)
    }

    private func see(_ name: [UInt8], in folder: [UInt8], _ status: stat) throws(FolderRoot.Failure) -> Seen {
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return Seen(avoided == FolderIdentity(status) ? .nothing : .folder)
        case S_IFREG:
            guard reading.isWhole(name, in: folder, status) else {
                reading.undecided(FilePath.join(folder, name))
                return Seen(.undecided)
            }
            return Seen(try kind(of: name, in: folder, status))
        case S_IFLNK:
            reading.linked(FilePath.join(folder, name))
            return try follow(folder, name)
        default:
            reading.refused(FilePath.join(folder, name), "a FIFO, socket or device is never opened")
            return Seen(.nothing)
        }
    }

    /// Of what a link leads to: it has nothing of its own by which its picture could be known.
    private func follow(_ folder: [UInt8], _ name: [UInt8]) throws(FolderRoot.Failure) -> Seen {
        let path = FilePath.join(folder, name)
        do throws(FolderRoot.Failure) {
            let target = try root.status(path)
            switch target.st_mode & S_IFMT {
            case S_IFREG: return Seen(try kind(of: name, in: folder, target), target: target)
            case S_IFDIR: return Seen(.nothing)
            default: throw FolderRoot.Failure(code: FolderRoot.EFTYPE)
            }
        } catch {
            guard error.isAbsence else { throw error }
            reading.refused(path, error.reason)
            return Seen(.nothing)
        }
    }

    /// Whether a file may be a picture, by its name or by its first bytes.
    private func kind(of name: [UInt8], in folder: [UInt8], _ status: stat) throws(FolderRoot.Failure) -> Seen.Kind {
        if ImageName.isImage(name) { return .picture(status) }
        let path = FilePath.join(folder, name)
        do throws(FolderRoot.Failure) {
            return ImageSignature.matches(try head(of: path)) ? .picture(status) : .nothing
        } catch {
            guard [EACCES, EPERM].contains(error.code) else { throw error }
            reading.undecided(path)
            return .undecided
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
}

extension Sighting {
    /// Of a file.
    fileprivate init(at location: String, _ status: stat) {
        self.init(location: location, original: .file(FileStamp(status), inode: UInt64(status.st_ino)))
    }
}
