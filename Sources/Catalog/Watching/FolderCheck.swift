import CLinux
import Glibc

/// Finds the folders of a source that look different from when they were read: by their own times, or by the sizes,
/// times and inode numbers of everything in them.
struct FolderCheck {
    let walk: FolderWalk
    /// The known folders with their fingerprints.
    let folders: [[UInt8]: FolderFingerprint?]

    /// - Parameter extent: `.times` or `.everything`.
    /// - Returns: The folders whose names must be read again; nil if the root is empty, as it is when a disk is not
    ///   mounted.
    /// - Throws: `FolderRoot.Failure` if the root cannot be read.
    func changed(_ extent: DirtySet.Extent) throws -> Set<[UInt8]>? {
        var changed: Set<[UInt8]> = []
        var todo: [[UInt8]] = [[]]
        lazy var children = Self.children(of: folders.keys)
        while let folder = todo.popLast(), !walk.isStopped() {
            do throws(FolderRoot.Failure) {
                let names = try FolderNames(of: folder, in: walk.served)
                guard walk.reading.enters(folder, names) else { continue }
                let former = folders[folder] ?? nil
                if extent == .times, let former, try isUnchanged(folder, names, former) {
                    todo += children[folder] ?? []
                    continue
                }
                guard let (contents, fingerprint) = try inspect(names, in: folder) else {
                    // As far as is known, the folders beneath still exist.
                    changed.insert(folder)
                    todo += children[folder] ?? []
                    continue
                }
                if folder.isEmpty, names.isEmpty { return nil }
                let paths = contents.subfolders.map { FilePath.join(folder, $0) }
                let known = paths.filter { folders[$0] != nil }
                let isAlike = contents.isCertain && former?.isAlike(fingerprint) == true
                if !isAlike || known.count < paths.count { changed.insert(folder) }
                if let former, contents.isCertain { checkFolderTimes(former, fingerprint, names) }
                todo += known
            } catch {
                if folder.isEmpty { throw error }
                changed.insert(folder)
            }
        }
        return changed
    }

    /// Learns whether this file system changes a folder's times when names are added or removed: if the names have
    /// changed and the times have not, then it does not.
    private func checkFolderTimes(_ former: FolderFingerprint, _ fingerprint: FolderFingerprint, _ names: FolderNames) {
        // With other rules, other names count.
        guard !former.hasNames(of: fingerprint), former.hasRules(of: fingerprint) else { return }
        if !former.hasTimes(of: fingerprint) {
            walk.reading.hasReliableFolderTimes = true
        } else if former.hasSettled, let after = names.statusNow,
            FolderFingerprint(after, parent: names.parent).hasTimes(of: fingerprint)
        {
            // Nor have the times changed while the names were read.
            walk.reading.hasReliableFolderTimes = false
        }
    }

    /// Whether neither the folder's times nor what is left out of it have changed.
    private func isUnchanged(
        _ folder: [UInt8], _ names: FolderNames, _ former: FolderFingerprint
    ) throws(FolderRoot.Failure) -> Bool {
        guard walk.reading.hasReliableFolderTimes, former.hasSettled,
            former.hasTimes(of: FolderFingerprint(names.status, parent: names.parent))
        else { return false }
        // A folder with the same times has the same markers, though their contents may have changed.
        return former.rules == (try walk.rules(of: folder).digest)
    }

    /// The sub-folders among the names, whether all names could be checked, and the folder's fingerprint; nil if not all
    /// names could be read.
    private func inspect(
        _ names: FolderNames, in folder: [UInt8]
    ) throws(FolderRoot.Failure) -> (
        contents: (subfolders: [[UInt8]], isCertain: Bool), fingerprint: FolderFingerprint
    )? {
        let rules: FolderRules
        do throws(FolderRoot.Failure) {
            try names.read(unless: walk.isStopped)
            rules = try walk.rules(of: folder, markers: names.markers)
        } catch {
            if folder.isEmpty { throw error }
            return nil
        }
        var fingerprint = FolderFingerprint(names, rules)
        guard !rules.leavesOutAll else { return (([], true), fingerprint) }
        let scope = rules.scope(of: folder)
        var subfolders: [[UInt8]] = []
        var isCertain = true
        while let name = names.next() {
            guard !walk.isStopped() else { return nil }
            guard let status = try? name.status() else {
                isCertain = false
                continue
            }
            var target: stat?
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                if walk.avoided != FolderIdentity(status), !scope.leavesOut(name.bytes, isFolder: true) {
                    subfolders.append(Array(name.bytes))
                }
            case S_IFLNK where !scope.leavesOut(name.bytes, isFolder: false):
                let path = FilePath.join(folder, Array(name.bytes))
                walk.reading.linked(path)
                target = try? walk.served.status(path)
                if let found = target, found.st_mode & S_IFMT != S_IFREG {
                    target = nil
                    let isFolder = found.st_mode & S_IFMT == S_IFDIR && !scope.leavesOut(name.bytes, isFolder: true)
                    if isFolder, (try? walk.isEntered(path)) == true { subfolders.append(Array(name.bytes)) }
                }
            default: break
            }
            fingerprint.add(name, status, target: target)
        }
        return ((subfolders, isCertain), fingerprint)
    }

    /// The paths of each folder's sub-folders.
    static func children(of folders: some Sequence<[UInt8]>) -> [[UInt8]: [[UInt8]]] {
        Dictionary(grouping: folders.lazy.filter { !$0.isEmpty }) { FilePath.split($0).folder }
    }
}
