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
        let children = extent == .times ? Self.children(of: folders.keys) : [:]
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
                guard let subfolders = try look(at: names, in: folder, &print) else {
                    changed.insert(folder)
                    continue
                }
                if folder.isEmpty, names.isEmpty { return nil }
                let paths = subfolders.map { FilePath.join(folder, $0) }
                let known = paths.filter { folders[$0] != nil }
                if former?.isAlike(print) != true || known.count < paths.count { changed.insert(folder) }
                if let former, former.hasTimes(of: print), !former.hasNames(of: print) { record.timesTell = false }
                todo += known
            } catch {
                if folder.isEmpty { throw error }
                changed.insert(folder)
            }
        }
        return changed
    }

    /// The sub-folders among the names; nil when one of them was gone before it could be looked at.
    private func look(
        at names: FolderNames, in folder: [UInt8], _ print: inout FolderPrint
    ) throws(FolderRoot.Failure) -> [[UInt8]]? {
        var subfolders: [[UInt8]] = []
        while let name = try names.next() {
            guard !walk.isStopped(), let status = try? name.status() else { return nil }
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
        return subfolders
    }

    /// The names of each folder's sub-folders.
    static func children(of folders: some Sequence<[UInt8]>) -> [[UInt8]: [[UInt8]]] {
        Dictionary(grouping: folders.lazy.filter { !$0.isEmpty }) { FilePath.split($0).folder }
    }
}
