import CLinux
import Glibc
import Images

/// Reads a folder with all its sub-folders and reports every file that may be an image, in the gallery's order: the
/// images of a folder before those of its sub-folders, both in natural order.
///
/// Links to files and folders beneath the roots of the sources are followed (``ServedFolders``). A linked folder is shown
/// under the path of each link to it, and in its own place if that is beneath the source. On the way from the root to an
/// image each real folder comes once: a link to a folder that contains the link is not entered.
struct FolderWalk {
    let served: ServedFolders
    /// The operator's patterns of what to leave out.
    let excluded: SkipPatterns
    /// A folder that is skipped wherever it is found: the data folder.
    let avoided: FolderIdentity?
    /// Receives the results.
    let reading: FolderReading
    let cache = FolderRulesCache()
    /// Called regularly; true ends the walk.
    let isStopped: () -> Bool

    /// What exists at a path.
    enum Found {
        case picture(ScannedImage)
        case folder
        case nothing
    }

    /// The contents of a folder.
    enum Content {
        /// The names of its sub-folders, in order.
        case names(subfolders: [[UInt8]], isEmpty: Bool)
        /// The folder does not exist.
        case absent
        /// The contents are unknown, or this user may not read them.
        case unknown
    }

    /// - Parameter start: The folder to begin in.
    /// - Throws: `FolderRoot.Failure` if the root itself cannot be read. Then its contents are unknown, rather than
    ///   empty.
    /// - Returns: Whether the first folder contains any name.
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

    /// Reports the folder's own images. Reports none if its names could not all be read.
    ///
    /// - Throws: `FolderRoot.Failure` for the root only.
    func content(of folder: [UInt8]) throws -> Content {
        do {
            return try read(folder)
        } catch let failure as FolderRoot.Failure {
            if folder.isEmpty { throw failure }
            switch failure.code {
            // Removed since its name was read: treat it as absent.
            case ENOENT, ENOTDIR: return .absent
            case _ where failure.isAbsence:
                reading.refused(folder, "the folder cannot be read: \(failure.reason)")
                reading.isClosed(folder, nil)
                return .absent
            default:
                reading.unreadable(folder, failure)
                reading.isClosed(folder, reading.former(folder)?.outdated)
                return .unknown
            }
        }
    }

    /// Checks these names in one folder. `tell` is not called for names whose state cannot be determined.
    func inspect(_ names: [[UInt8]], in folder: [UInt8], report: ([UInt8], Found) -> Void) {
        let descriptor: Int32
        let scope: FolderRules.Scope
        do throws(FolderRoot.Failure) {
            scope = try rules(of: folder).scope(of: folder)
            descriptor = try served.openFolder(folder).descriptor
        } catch {
            guard error.isAbsence else { return reading.unreadable(folder, error) }
            for name in names { report(FilePath.join(folder, name), .nothing) }
            return
        }
        defer { close(descriptor) }
        for name in names {
            let path = FilePath.join(folder, name)
            do throws(FolderRoot.Failure) {
                let status = try FolderNames.status(of: name, in: descriptor, served.root.calls)
                switch try see(name, in: folder, status, scope).kind {
                case .picture(let status):
                    let sidecars = try sidecars(of: name, in: folder, descriptor)
                    report(path, .picture(ScannedImage(at: FilePath.text(of: path), status, sidecars)))
                case .folder: report(path, .folder)
                case .nothing, .unshown, .undecided: report(path, .nothing)
                }
            } catch {
                if error.isAbsence { report(path, .nothing) } else { reading.unreadable(path, error) }
            }
        }
    }

    /// Counts the files of one folder that are not shown, without looking at the others.
    func countUnshown(in folder: [UInt8]) {
        var unshown = UnshownCounts()
        do throws(FolderRoot.Failure) {
            let names = try FolderNames(of: folder, in: served)
            try names.read(unless: isStopped)
            let scope = try rules(of: folder, markers: names.markers).scope(of: folder)
            while let name = names.next(), !isStopped() {
                guard UnshownKind(fileName: name.bytes) != nil, let status = try? name.status(),
                    status.st_mode & S_IFMT == S_IFREG,
                    case .unshown(let kind)? = try? see(Array(name.bytes), in: folder, status, scope).kind
                else { continue }
                unshown.add(kind)
            }
        } catch {
            // The folder is gone, or a later scan reads it.
            return
        }
        reading.count(unshown, in: folder)
    }

    /// The sidecars beside one picture.
    ///
    /// - Parameter descriptor: That of the folder.
    private func sidecars(
        of name: [UInt8], in folder: [UInt8], _ descriptor: Int32
    ) throws(FolderRoot.Failure) -> SidecarVersion {
        try SidecarVersion(name) { _, sidecar throws(FolderRoot.Failure) in
            do throws(FolderRoot.Failure) {
                var status = try FolderNames.status(of: sidecar, in: descriptor, served.root.calls)
                if status.st_mode & S_IFMT == S_IFLNK { status = try served.status(FilePath.join(folder, sidecar)) }
                return status.st_mode & S_IFMT == S_IFREG ? FileStamp(status).version : nil
            } catch {
                guard error.isAbsence else { throw error }
                return nil
            }
        }
    }

    /// The pictures in a folder, by their names, of which one of these files may be a sidecar.
    ///
    /// - Parameter sidecars: Names of sidecars, which may exist no longer.
    func pictures(with sidecars: [[UInt8]], in folder: [UInt8]) throws(FolderRoot.Failure) -> [[UInt8]] {
        let names = try FolderNames(of: folder, in: served)
        try names.read(unless: isStopped)
        var pictures: [[UInt8]] = []
        while let name = names.next(), !isStopped() {
            let name = Array(name.bytes)
            let start = SidecarName.commonStart(of: name)
            let mayBeOwn = sidecars.filter { $0.starts(with: start) }
            let isFound = mayBeOwn.contains { sidecar in
                SidecarName.format(of: sidecar).flatMap { format in
                    SidecarName.first(format, of: name) { $0 == sidecar ? true : nil }
                } ?? false
            }
            if isFound { pictures.append(FilePath.join(folder, name)) }
        }
        return pictures
    }

    /// What a name turned out to be.
    private struct Seen {
        enum Kind {
            case picture(stat)
            case folder
            case unshown(UnshownKind)
            /// Not known yet.
            case undecided
            case nothing
        }

        let kind: Kind
        /// The status of a link's target.
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
        let names = try FolderNames(of: folder, in: served)
        guard reading.enters(folder, names) else { return .absent }
        try names.read(unless: isStopped)
        let rules = try rules(of: folder, markers: names.markers)
        var fingerprint = FolderFingerprint(names, rules)
        if names.isEmpty, !fingerprint.isMount, reading.former(folder)?.isMount == true {
            // A mount point is an empty folder while nothing is mounted there. The images must not be taken as gone.
            throw FolderRoot.Failure(code: ENODEV)
        }
        guard !rules.leavesOutAll else {
            if folder.isEmpty, let marker = names.markers.first { reading.leavesOutAll(marker) }
            reading.leaves(folder, isStopped() ? nil : fingerprint)
            return .names(subfolders: [], isEmpty: false)
        }
        let scope = rules.scope(of: folder)
        var isCertain = true
        var entries: [Entry] = []
        var subfolders: [NaturalKey] = []
        var sidecars = FolderSidecars()
        while let name = names.next(), !isStopped() {
            let bytes = Array(name.bytes)
            do throws(FolderRoot.Failure) {
                let status = try name.status()
                let seen = try see(bytes, in: folder, status, scope)
                fingerprint.add(name, status, target: seen.target)
                sidecars.add(bytes, seen.target ?? status)
                switch seen.kind {
                case .picture(let status): entries.append(Entry(key: NaturalKey(bytes), status: status))
                case .folder: subfolders.append(NaturalKey(bytes))
                case .unshown(let kind): fingerprint.unshown.add(kind)
                case .undecided: isCertain = false
                case .nothing: break
                }
            } catch {
                isCertain = false
                if !error.isAbsence { reading.unreadable(FilePath.join(folder, bytes), error) }
            }
        }
        reading.leaves(folder, isCertain && !isStopped() ? fingerprint : nil, fingerprint.unshown)
        entries.sort { $0.key < $1.key }
        let prefix = folder.isEmpty ? "" : FilePath.text(of: folder) + "/"
        for entry in entries {
            guard !isStopped() else { break }
            let name = entry.key.name
            try reading.found(
                ScannedImage(at: prefix + FilePath.text(of: name), entry.status, sidecars.version(of: name)))
        }
        return .names(subfolders: subfolders.sorted().map(\.name), isEmpty: names.isEmpty)
    }

    private func see(
        _ name: [UInt8], in folder: [UInt8], _ status: stat, _ scope: FolderRules.Scope
    ) throws(FolderRoot.Failure) -> Seen {
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        guard !scope.leavesOut(name, isFolder: isFolder) else { return Seen(.nothing) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return Seen(avoided == FolderIdentity(status) ? .nothing : .folder)
        case S_IFREG:
            // A file that is not shown need not be whole.
            if UnshownKind(fileName: name) != nil, case .unshown(let unshown) = try kind(of: name, in: folder, status) {
                return Seen(.unshown(unshown))
            }
            // A sidecar that is still being written has another version later.
            guard SidecarName.format(of: name) != nil || reading.isWhole(name, in: folder, status) else {
                reading.undecided(FilePath.join(folder, name))
                return Seen(.undecided)
            }
            return Seen(try kind(of: name, in: folder, status))
        case S_IFLNK:
            reading.linked(FilePath.join(folder, name))
            return try follow(folder, name, scope)
        default:
            reading.refused(FilePath.join(folder, name), "a FIFO, socket or device is never opened")
            return Seen(.nothing)
        }
    }

    /// The target of a link. A link itself has nothing that would identify an image.
    private func follow(
        _ folder: [UInt8], _ name: [UInt8], _ scope: FolderRules.Scope
    ) throws(FolderRoot.Failure) -> Seen {
        let path = FilePath.join(folder, name)
        do throws(FolderRoot.Failure) {
            let target = try served.status(path)
            switch target.st_mode & S_IFMT {
            case S_IFREG: return Seen(try kind(of: name, in: folder, target), target: target)
            case S_IFDIR:
                guard !scope.leavesOut(name, isFolder: true), try isEntered(path) else { return Seen(.nothing) }
                return Seen(.folder)
            default: throw FolderRoot.Failure(code: FolderRoot.EFTYPE)
            }
        } catch {
            guard error.isAbsence else { throw error }
            reading.refused(path, error.reason)
            return Seen(.nothing)
        }
    }

    /// Whether a link to a folder is entered: the link does not lie in that folder, nor the folder in the avoided one.
    func isEntered(_ link: [UInt8]) throws(FolderRoot.Failure) -> Bool {
        let place = try served.place(of: link)
        guard !place.isCycle else { return false }
        guard let avoided else { return true }
        var path = place.path
        while true {
            let status = try place.root.status(path, following: .none)
            if FolderIdentity(status) == avoided { return false }
            guard !path.isEmpty else { return true }
            path = FilePath.split(path).folder
        }
    }

    /// Whether a file may be an image, by its name or its first bytes.
    private func kind(of name: [UInt8], in folder: [UInt8], _ status: stat) throws(FolderRoot.Failure) -> Seen.Kind {
        if ImageName.isImage(name) { return .picture(status) }
        let path = FilePath.join(folder, name)
        do throws(FolderRoot.Failure) {
            let unshown = UnshownKind(fileName: name)
            if let format = ImageFormat(firstBytes: try head(of: path)), unshown?.includes(format) != true {
                return .picture(status)
            }
            return unshown.map(Seen.Kind.unshown) ?? .nothing
        } catch {
            guard [EACCES, EPERM].contains(error.code) else { throw error }
            reading.undecided(path)
            return .undecided
        }
    }

    /// The file's first bytes.
    private func head(of path: [UInt8]) throws(FolderRoot.Failure) -> [UInt8] {
        let file = try served.openFile(path)
        var code: Int32 = 0
        let head = [UInt8](unsafeUninitializedCapacity: ImageFormat.signatureLength) { buffer, count in
            let read = served.root.calls.readHead(file.descriptor, into: UnsafeMutableRawBufferPointer(buffer))
            if read < 0 { code = errno }
            count = max(0, read)
        }
        guard code == 0 else { throw FolderRoot.Failure(code: code) }
        return head
    }
}

extension ScannedImage {
    /// A file found by the scan.
    fileprivate init(at location: String, _ status: stat, _ sidecars: SidecarVersion) {
        self.init(
            location: location, original: .file(FileStamp(status), inode: UInt64(status.st_ino)), sidecars: sidecars)
    }
}
