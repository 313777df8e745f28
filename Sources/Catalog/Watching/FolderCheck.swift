import CLinux
import Glibc

/// Finds the folders of a source that do not look as they did when they were read: by their own times, or by the size,
/// times and number of everything in them.
struct FolderCheck {
    let walk: FolderWalk
    let record: SourceRecord
    /// The folders that are known.
    let folders: [[UInt8]: FolderPrint?]

    /// - Parameter extent: `.times` or `.everything`.
    /// - Returns: the folders whose names are to be read again; nil when the first has none, as where a disk is not
    ///   mounted.
    /// - Throws: `FolderRoot.Failure` when the root cannot be read.
    func changed(_ extent: Dirt.Extent) throws -> Set<[UInt8]>? {
        var changed: Set<[UInt8]> = []
        var todo: [[UInt8]] = [[]]
        lazy var children = Self.children(of: folders.keys)
        while let folder = todo.popLast(), !walk.isStopped() {
            do throws(FolderRoot.Failure) {
                let names = try FolderNames(of: folder, in: walk.root)
                walk.reading.enters(folder, names.descriptor)
                var print = FolderPrint(names.status, parent: names.parent)
                let former = folders[folder] ?? nil
                if extent == .times, record.timesTell, let former, former.hasSettled, former.hasTimes(of: print) {
                    todo += children[folder] ?? []
                    continue
                }
                guard let look = try look(at: names, in: folder, &print) else {
                    // What lies beneath is there all the same, as far as is known.
                    changed.insert(folder)
                    todo += children[folder] ?? []
                    continue
                }
                if folder.isEmpty, names.isEmpty { return nil }
                let paths = look.subfolders.map { FilePath.join(folder, $0) }
                let known = paths.filter { folders[$0] != nil }
                let isAlike = look.isCertain && former?.isAlike(print) == true
                if !isAlike || known.count < paths.count { changed.insert(folder) }
                if let former, look.isCertain { learn(former, print, names) }
                todo += known
            } catch {
                if folder.isEmpty { throw error }
                changed.insert(folder)
            }
        }
        return changed
    }

    /// Whether the times of folders tell that names came or went: not where they are the same and the names are not.
    private func learn(_ former: FolderPrint, _ print: FolderPrint, _ names: FolderNames) {
        guard !former.hasNames(of: print) else { return }
        if !former.hasTimes(of: print) {
            record.timesTell = true
        } else if former.hasSettled, let after = names.statusNow,
            FolderPrint(after, parent: names.parent).hasTimes(of: print)
        {
            // Nor have they changed while the names were read.
            record.timesTell = false
        }
    }

    /// The sub-folders among the names, and whether all names could be looked at; nil when they could not all be read.
    private func look(
        at names: FolderNames, in folder: [UInt8], _ print: inout FolderPrint
    ) throws(FolderRoot.Failure) -> (subfolders: [[UInt8]], isCertain: Bool)? {
        var subfolders: [[UInt8]] = []
        var isCertain = true
        while true {
            let name: FolderNames.Name
            do throws(FolderRoot.Failure) {
                guard let next = try names.next() else { return (subfolders, isCertain) }
                name = next
            } catch {
                if folder.isEmpty { throw error }
                return nil
            }
            guard !walk.isStopped() else { return nil }
            guard let status = try? name.status() else {
                isCertain = false
                continue
            }
            var target: stat?
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                if walk.avoided != FolderIdentity(status) { subfolders.append(Array(name.bytes)) }
            case S_IFLNK:
                let path = FilePath.join(folder, Array(name.bytes))
                walk.reading.linked(path)
                target = try? walk.root.status(path)
                if let found = target, found.st_mode & S_IFMT != S_IFREG { target = nil }
            default: break
            }
            print.add(name, status, target: target)
        }
    }

    /// The names of each folder's sub-folders.
    static func children(of folders: some Sequence<[UInt8]>) -> [[UInt8]: [[UInt8]]] {
        Dictionary(grouping: folders.lazy.filter { !$0.isEmpty }) { FilePath.split($0).folder }
    }
}
