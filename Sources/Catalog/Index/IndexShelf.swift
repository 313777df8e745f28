import CLinux
import FoundationEssentials
import GRDB
import Glibc
import Images
import Locking
import Logging

/// The indexes in use: the one in the data folder, and one in memory for when the disk does not take any more. Keeps
/// other processes out of the data folder, and sets a damaged index aside.
final class IndexShelf: Sendable {
    private struct Contents {
        var disk: Index
        var memory: Index?
        var lock: FolderLock?
        var problems = CatalogState.Problems()
        /// Those of them that are true for as long as the program runs.
        var lasting = CatalogState.Problems()
    }

    /// Which folder the data folder is.
    let identity: FolderIdentity?
    private let contents: Guarded<Contents>
    private let damaged = Guarded<(@Sendable (Index, any Error) -> Void)?>(nil)
    private let located = Guarded<(@Sendable ([ImageID], Index) -> [UInt32])?>(nil)
    private let folder: String
    private let calls: FileSystemCalls
    /// The index that was found damaged and set aside at the start, as far as it can be opened.
    let firstWreck: Index?
    private let maximumPages: Int?
    /// Whether what is learnt is kept for others.
    private let isShared: Bool
    private let logger: Logger

    /// Makes the folder if need be, claims it, and opens its index. Blocking.
    ///
    /// - Throws: `CatalogError.dataFolderUnusable`, `.dataFolderInUse`.
    init(_ configuration: Catalog.Configuration, logger: Logger) throws(CatalogError) {
        folder = configuration.dataFolder
        maximumPages = configuration.maximumIndexPages
        isShared = configuration.sharing != nil
        calls = configuration.fileSystem
        self.logger = logger
        try IndexShelf.make(folder)
        identity = FolderIdentity(path: folder)
        let lock = try FolderLock(folder: folder)
        do {
            let disk = try IndexShelf.openIndex(folder, maximumPages, isShared)
            contents = Guarded(Contents(disk: disk, memory: nil, lock: lock))
            firstWreck = nil
        } catch let error as DatabaseError where error.isDamage {
            var first = CatalogState.Problems()
            let aside = try IndexShelf.setAside(folder, because: error, calls, logger)
            first.add(aside.problem)
            firstWreck = try? Index(wreck: aside.path)
            let disk = try IndexShelf.fresh(folder, maximumPages, isShared)
            contents = Guarded(Contents(disk: disk, memory: nil, lock: lock, problems: first, lasting: first))
        } catch {
            throw .dataFolderUnusable(path: folder, reason: IndexShelf.reason(error))
        }
    }

    /// The index in the data folder.
    var disk: Index { contents.withLock(\.disk) }

    /// What happened to the index that people should know.
    var problems: CatalogState.Problems { contents.withLock(\.problems) }

    /// Has whoever writes into a damaged index be heard of.
    func onDamage(_ heard: @escaping @Sendable (Index, any Error) -> Void) {
        damaged.withLock { $0 = heard }
    }

    /// Has this tell the rows of images of which something was learnt.
    func onLearning(_ locate: @escaping @Sendable ([ImageID], Index) -> [UInt32]) {
        located.withLock { $0 = locate }
    }

    /// Adds what was learnt to the index in the data folder. Blocking.
    ///
    /// - Parameter hearing: where others have told it.
    func write(_ learnt: [ImageID: Learnt], hearing: Index.Hearing? = nil) throws {
        let disk = disk
        do {
            let rows = located.withLock(\.self)?(Array(learnt.keys), disk) ?? []
            try disk.write(learnt, of: rows, hearing: hearing)
            // What was read of them before the transaction ended is old.
            disk.columns.touch(rows)
        } catch let error as DatabaseError where error.isDamage {
            damaged.withLock(\.self)?(disk, error)
            throw error
        }
    }

    /// The index in memory, if there is one.
    var memoryInUse: Index? { contents.withLock(\.memory) }

    /// Lets the index in memory go: everything is in the data folder again. Scanning queue.
    func leaveMemory() {
        let memory = contents.withLock { contents in
            contents.problems = contents.lasting
            defer { contents.memory = nil }
            return contents.memory
        }
        if memory != nil { logger.notice("The index is written in the data folder again.") }
    }

    /// An index in memory, made when first asked for; says so once. Scanning queue.
    func memory(because error: any Error) throws -> Index {
        if let memory = contents.withLock(\.memory) { return memory }
        let memory = try Index()
        let problem = CatalogState.Problem(
            reason: "The index cannot be written (\(IndexShelf.reason(error))). The gallery goes on in memory;"
                + " after a restart it must be read again. Make room in the data folder.")
        contents.withLock { contents in
            contents.memory = memory
            contents.problems.add(problem)
        }
        logger.error("\(problem)", metadata: ["error": "\(error)"])
        return memory
    }

    /// Sets the damaged index aside and begins a new one. Blocking; those who still read the old one may finish.
    func replaceDisk(because error: any Error) throws(CatalogError) {
        let problem = try IndexShelf.setAside(folder, because: error, calls, logger).problem
        let disk = try IndexShelf.fresh(folder, maximumPages, isShared)
        contents.withLock { contents in
            contents.disk = disk
            contents.problems.add(problem)
            contents.lasting.add(problem)
        }
    }

    /// Closes what is open and lets other processes have the folder.
    func close() {
        let (indexes, lock) = contents.withLock { contents in
            defer { contents.lock = nil }
            return ([contents.disk, contents.memory].compactMap(\.self), contents.lock)
        }
        for index in indexes {
            do { try index.close() } catch {
                logger.warning("The index did not close.", metadata: ["error": "\(error)"])
            }
        }
        withExtendedLifetime(lock) {}
    }

    private static func openIndex(_ folder: String, _ maximumPages: Int?, _ isShared: Bool) throws -> Index {
        let index = try Index(path: folder + "/catalog.sqlite", maximumPages: maximumPages)
        try index.share(isShared)
        return index
    }

    private static func fresh(
        _ folder: String, _ maximumPages: Int?, _ isShared: Bool
    ) throws(CatalogError) -> Index {
        do {
            return try openIndex(folder, maximumPages, isShared)
        } catch {
            throw .dataFolderUnusable(path: folder, reason: reason(error))
        }
    }

    private static func setAside(
        _ folder: String, because error: any Error, _ calls: FileSystemCalls, _ logger: Logger
    ) throws(CatalogError) -> (path: String, problem: CatalogState.Problem) {
        let name = asidePrefix + "\(time(nil))"
        removeOld(folder)
        for ending in ["-wal", "-shm", ""] {
            let old = "\(folder)/catalog.sqlite\(ending)"
            guard calls.rename(old, to: "\(folder)/\(name)\(ending)") == 0 || errno == ENOENT else {
                throw .dataFolderUnusable(path: folder, reason: String(cString: strerror(errno)))
            }
        }
        let problem = CatalogState.Problem(
            reason: "The index was damaged (\(reason(error))). It was set aside as \(name) in the data folder and is"
                + " being built again.")
        logger.error("\(problem)", metadata: ["error": "\(error)"])
        return ("\(folder)/\(name)", problem)
    }

    private static let asidePrefix = "catalog.sqlite.corrupt-"
    /// How many damaged indexes are kept for people to look into, the newest included.
    private static let keptAside = 3

    /// Makes room for one more that is set aside: a disk that damages each index must not fill up with them.
    private static func removeOld(_ folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let aside = names.filter { $0.hasPrefix(asidePrefix) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
        for name in aside.sorted().dropLast(keptAside - 1) {
            for ending in ["-wal", "-shm", ""] { unlink("\(folder)/\(name)\(ending)") }
        }
    }

    /// Makes the folder and those above it. What is learnt of pictures is for the eyes of their owner, whoever may look
    /// into the folders above.
    private static func make(_ folder: String) throws(CatalogError) {
        var made = folder.hasPrefix("/") ? "" : "."
        for part in folder.split(separator: "/") {
            made += "/" + part
            guard mkdir(made, 0o700) == 0 || errno == EEXIST || access(made, F_OK) == 0 else {
                throw .dataFolderUnusable(path: folder, reason: String(cString: strerror(errno)))
            }
        }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .dataFolderUnusable(path: folder, reason: "it is not a folder")
        }
        guard access(folder, R_OK | W_OK | X_OK) == 0 else {
            throw .dataFolderUnusable(path: folder, reason: String(cString: strerror(errno)))
        }
    }

    private static func reason(_ error: any Error) -> String {
        (error as? DatabaseError)?.reason ?? "\(error)"
    }
}
