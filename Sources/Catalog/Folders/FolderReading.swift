import CLinux
import Glibc

/// Collects the results of reading a folder source, or a part of it.
///
/// Belongs to the thread that reads, and shares nothing with others except the watch: what it needs of the source's
/// record it copies, and its changes are copied back when the reading has ended. So a reading that hangs can be
/// abandoned.
final class FolderReading {
    /// Whether to accept files that may still be being written.
    var takesUnfinished = false
    /// Called with each image, in order.
    var found: (ScannedImage) throws -> Void = { _ in }
    /// The folders that were read, with their fingerprints; nil where something in the folder could not be determined.
    private(set) var folders: [[UInt8]: FolderFingerprint?] = [:]
    /// Folders that could not be read.
    private(set) var closed: Set<[UInt8]> = []
    private(set) var links: Set<[UInt8]> = []
    /// The folders that were entered through links, now or in the scan that this one adds to.
    var linkedFolders: Set<[UInt8]> = []
    /// The files that are not shown, of each folder that has any.
    private(set) var unshown: [[UInt8]: UnshownCounts] = [:]
    /// The folders whose files that are not shown were counted.
    private(set) var counted: Set<[UInt8]> = []
    /// Paths whose present state, including everything beneath them, is unknown. What was known about them stays.
    private(set) var unreadable = UnreadablePaths()
    /// Whether something could not be read now and may become readable later.
    private(set) var hasFailed = false
    private(set) var problems = CatalogState.Problems()
    /// The reasons why folders could not be watched.
    private(set) var refusals: Set<FolderWatch.Refusal> = []
    /// Whether the system may not report some changes here.
    private(set) var isSilent = false
    private var isLimitReported = false
    /// Files that are still being written.
    private(set) var unfinished: Set<[UInt8]> = []

    /// All files of the source that may still be being written.
    private(set) var unfinishedFiles: UnfinishedFiles
    /// Whether folders get new times when names are added or removed, as far as was observed.
    var hasReliableFolderTimes: Bool

    private let source: NamedSource
    private let watch: FolderWatch?
    private let fingerprints: [[UInt8]: FolderFingerprint?]
    private let signs: [[UInt8]: DirtySet.Change]
    private let calls: FileSystemCalls
    private let maximumLinkedFolders: Int

    /// - Parameter signs: What events have reported about paths.
    init(
        _ source: NamedSource, _ record: SourceRecord, signs: [[UInt8]: DirtySet.Change],
        _ configuration: Catalog.Configuration
    ) {
        self.source = source
        watch = record.watch
        fingerprints = record.folders?.fingerprints ?? [:]
        unfinishedFiles = record.unfinished
        hasReliableFolderTimes = record.hasReliableFolderTimes
        self.signs = signs
        calls = configuration.fileSystem
        maximumLinkedFolders = configuration.maximumLinkedFolders
    }

    /// Called when a folder has been opened, before its names are read.
    ///
    /// - Returns: Whether to read it.
    func enters(_ path: [UInt8], _ names: FolderNames) -> Bool {
        if names.isLinked, !linkedFolders.contains(path) {
            guard linkedFolders.count < maximumLinkedFolders else {
                // One report suffices, whatever the number of folders.
                if !isLimitReported {
                    refused(path, "no more than \(maximumLinkedFolders) linked folders are shown")
                }
                isLimitReported = true
                return false
            }
            linkedFolders.insert(path)
        }
        if FileSystemKind.isSilent(calls.fileSystemType(of: names.descriptor)) { isSilent = true }
        if let refusal = watch?.add(path, folder: names.descriptor) { refusals.insert(refusal) }
        return true
    }

    /// Called when all names of a folder have been read.
    func leaves(_ path: [UInt8], _ fingerprint: FolderFingerprint?, _ unshown: UnshownCounts = UnshownCounts()) {
        folders.updateValue(fingerprint, forKey: path)
        count(unshown, in: path)
    }

    /// Called when the files of a folder that are not shown have been counted.
    func count(_ unshown: UnshownCounts, in path: [UInt8]) {
        counted.insert(path)
        self.unshown[path] = unshown.isEmpty ? nil : unshown
    }

    /// All folders known now: those that were read, and the former ones whose state is unknown.
    func folders(after former: [[UInt8]: FolderFingerprint?]) -> [[UInt8]: FolderFingerprint?] {
        guard !unreadable.isEmpty else { return folders }
        return former.filter { unreadable.contains(FilePath.text(of: $0.key)) }.merging(folders) { $1 }
    }

    /// Called when the names of a folder could not be read.
    func isClosed(_ path: [UInt8], _ fingerprint: FolderFingerprint?) {
        closed.insert(path)
        folders.updateValue(fingerprint, forKey: path)
    }

    /// Called when a marker leaves out the whole source.
    func leavesOutAll(_ marker: FolderMarker) {
        refused(marker.name, "leaves out the whole source. Remove it to see the images")
    }

    /// The folder's fingerprint from the previous read.
    func former(_ path: [UInt8]) -> FolderFingerprint? { fingerprints[path] ?? nil }

    /// Whether a file is complete, rather than still being written.
    func isWhole(_ name: [UInt8], in folder: [UInt8], _ status: stat) -> Bool {
        // The first scan accepts files as they are. If one is still being written, its writer's close is reported
        // later.
        if takesUnfinished { return true }
        let path = FilePath.join(folder, name)
        guard signs[path] != .changed else {
            unfinishedFiles.forget(path)
            return true
        }
        let isWhole = unfinishedFiles.isWhole(path, status, isBegun: signs[path] == .begun)
        if !isWhole { unfinished.insert(path) }
        return isWhole
    }

    /// Called when the state of a path and everything beneath it could not be determined: nothing that was known there
    /// may be treated as deleted.
    func unreadable(_ path: [UInt8], _ failure: FolderRoot.Failure) {
        let text = FilePath.text(of: path)
        unreadable.insert(text)
        // Retries do not help against missing permissions.
        if ![EACCES, EPERM].contains(failure.code) { hasFailed = true }
        refused(path, "cannot be read now: \(failure.reason). Its known images are kept")
    }

    /// Called for a file that may or may not be an image: it is still being written, or its name is not an image's and
    /// this user may not read it. If it was known as an image, it stays one.
    func undecided(_ path: [UInt8]) { unreadable.insert(FilePath.text(of: path)) }

    func linked(_ path: [UInt8]) { links.insert(path) }

    func refused(_ path: [UInt8], _ reason: String) {
        let text = FilePath.printable(FilePath.text(of: path))
        problems.add(.init(source: source.name, path: text, reason: reason))
    }
}
