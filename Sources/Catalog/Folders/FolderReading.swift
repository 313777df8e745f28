import CLinux
import Glibc

/// What is met in a folder source while it, or a part of it, is read.
///
/// Belongs to the scanning queue.
final class FolderReading {
    /// Whether files are taken as they are, and not left until they are whole.
    var takesUnfinished = false
    /// Called with each picture, in order.
    var found: (Sighting) throws -> Void = { _ in }
    /// The folders that were read, and how they looked; nil where not everything in one could be told.
    private(set) var folders: [[UInt8]: FolderPrint?] = [:]
    /// Folders that could not be read.
    private(set) var closed: Set<[UInt8]> = []
    private(set) var links: Set<[UInt8]> = []
    /// Paths of which it is not known what lies there and beneath them: what was known of it stays.
    private(set) var untold = UntoldPaths()
    /// Whether something could not be told that may be told later.
    private(set) var isTroubled = false
    private(set) var problems: [CatalogState.Problem] = []
    /// Why folders could not be watched.
    private(set) var refusals: Set<FolderWatch.Refusal> = []
    /// Whether something may change here and the system does not say so.
    private(set) var isSilent = false
    /// Files that are not whole.
    private(set) var unfinished: Set<[UInt8]> = []

    private let source: NamedSource
    private let record: SourceRecord
    private let signs: [[UInt8]: Dirt.Sign]
    private let calls: FileSystemCalls

    /// - Parameter signs: what is known of paths.
    init(_ source: NamedSource, _ record: SourceRecord, signs: [[UInt8]: Dirt.Sign], calls: FileSystemCalls) {
        self.source = source
        self.record = record
        self.signs = signs
        self.calls = calls
    }

    /// A folder is open, and its names will be read.
    func enters(_ path: [UInt8], _ descriptor: Int32) {
        if FileSystemKind.isSilent(calls.fileSystemType(of: descriptor)) { isSilent = true }
        if let refusal = record.watch?.add(path, folder: descriptor) { refusals.insert(refusal) }
    }

    /// All names of a folder were read.
    func leaves(_ path: [UInt8], _ print: FolderPrint?) { folders.updateValue(print, forKey: path) }

    /// The folders that are known now: those that were read, and those of which nothing could be told.
    func folders(after former: [[UInt8]: FolderPrint?]) -> [[UInt8]: FolderPrint?] {
        guard !untold.isEmpty else { return folders }
        return former.filter { untold.contains(FilePath.text(of: $0.key)) }.merging(folders) { $1 }
    }

    /// The names of a folder could not be read.
    func isClosed(_ path: [UInt8], _ print: FolderPrint?) {
        closed.insert(path)
        leaves(path, print)
    }

    /// How the folder looked when it was read before this.
    func former(_ path: [UInt8]) -> FolderPrint? { record.folders?.prints[path] ?? nil }

    /// Whether a file is whole, and not one that is still being written.
    func isWhole(_ name: [UInt8], in folder: [UInt8], _ status: stat) -> Bool {
        // What is there at the first look is taken as it is; who still writes it is heard when he is done.
        if takesUnfinished { return true }
        let path = FilePath.join(folder, name)
        guard signs[path] != .changed else {
            record.unfinished.forget(path)
            return true
        }
        let isWhole = record.unfinished.isWhole(path, status, isBegun: signs[path] == .begun)
        if !isWhole { unfinished.insert(path) }
        return isWhole
    }

    /// The system could not tell what lies at a path, and beneath it: nothing that was known of it may be taken for gone.
    func untold(_ path: [UInt8], _ failure: FolderRoot.Failure) {
        let text = FilePath.text(of: path)
        untold.insert(text)
        // Rights do not come back by themselves.
        if ![EACCES, EPERM].contains(failure.code) { isTroubled = true }
        refused(path, "cannot be read now: \(failure.reason). What was known of it is kept")
    }

    /// It is not told now of a file whether it is a picture, for it is still being written, or is none by its name and
    /// closed to this user: no news, but if it was known as a picture it stays one.
    func undecided(_ path: [UInt8]) { untold.insert(FilePath.text(of: path)) }

    func linked(_ path: [UInt8]) { links.insert(path) }

    func refused(_ path: [UInt8], _ reason: String) {
        let text = FilePath.printable(FilePath.text(of: path))
        problems.append(.init(source: source.name, path: text, reason: reason))
    }
}
