import CLinux
import FoundationEssentials
import GRDB
import Glibc
import Images
import Locking
import Logging

/// The indexes in use: the one in the data folder, and one in memory for when the disk accepts no more writes. Keeps
/// other processes out of the data folder, and sets a damaged index aside.
final class IndexStore: Sendable {
    private struct Contents {
        var disk: Index
        var memory: Index?
        var lock: FolderLock?
        var problems = CatalogState.Problems()
        /// The problems that stay true for as long as the program runs.
        var lasting = CatalogState.Problems()
    }

    /// The identity of the data folder.
    let identity: FolderIdentity?
    private let contents: Guarded<Contents>
    private let damaged = Guarded<(@Sendable (Index, any Error) -> Void)?>(nil)
    private let located = Guarded<(@Sendable ([ImageID], Index) -> [UInt32])?>(nil)
    private let folder: String
    private let calls: FileSystemCalls
    /// The index that was found damaged and set aside at startup, if it can be opened.
    let firstDamaged: Index?
    private let maximumPages: Int?
    /// Whether new metadata is recorded for the other nodes.
    private let isShared: Bool
    private let datesFromNames: Bool
    private let logger: Logger

    /// Creates the folder if necessary, locks it, and opens its index. Blocking.
    ///
    /// - Throws: `CatalogError.dataFolderUnusable`, `.dataFolderInUse`.
    init(_ configuration: Catalog.Configuration, logger: Logger) throws(CatalogError) {
        folder = configuration.dataFolder
        maximumPages = configuration.maximumIndexPages
        isShared = configuration.sharing != nil
        datesFromNames = configuration.datesFromNames
        calls = configuration.fileSystem
        self.logger = logger
        try IndexStore.make(folder)
        identity = FolderIdentity(path: folder)
        let lock = try FolderLock(folder: folder)
        do {
            let disk = try IndexStore.openIndex(folder, maximumPages, isShared, datesFromNames)
            contents = Guarded(Contents(disk: disk, memory: nil, lock: lock))
            firstDamaged = nil
        } catch let error as DatabaseError where error.isDamage {
            var first = CatalogState.Problems()
            let aside = try IndexStore.setAside(folder, because: error, calls, logger)
            first.add(aside.problem)
            firstDamaged = try? Index(damaged: aside.path)
            let disk = try IndexStore.fresh(folder, maximumPages, isShared, datesFromNames)
            contents = Guarded(Contents(disk: disk, memory: nil, lock: lock, problems: first, lasting: first))
        } catch {
            throw .dataFolderUnusable(path: folder, reason: IndexStore.reason(error))
        }
    }

    /// The index in the data folder.
    var disk: Index { contents.withLock(\.disk) }

    /// Problems of the index that people should know about.
    var problems: CatalogState.Problems { contents.withLock(\.problems) }

    /// Sets the handler that is called when a write meets a damaged index.
    func onDamage(_ handler: @escaping @Sendable (Index, any Error) -> Void) {
        damaged.withLock { $0 = handler }
    }

    /// Sets the function that finds the rows of images with new metadata.
    func onLearning(_ locate: @escaping @Sendable ([ImageID], Index) -> [UInt32]) {
        located.withLock { $0 = locate }
    }

    /// Stores metadata in the index in the data folder. Blocking.
    ///
    /// - Parameter origin: Set if the metadata came from other nodes.
    func write(_ learned: [ImageID: LearnedMetadata], origin: Index.Provenance? = nil) throws {
        let disk = disk
        do {
            let rows = located.withLock(\.self)?(Array(learned.keys), disk) ?? []
            try disk.write(learned, of: rows, origin: origin)
            // Blocks of these rows that were read before the transaction ended are out of date.
            disk.columns.touch(rows)
        } catch let error as DatabaseError where error.isDamage {
            damaged.withLock(\.self)?(disk, error)
            throw error
        }
    }

    /// The index in memory, if there is one.
    var memoryInUse: Index? { contents.withLock(\.memory) }

    /// Discards the index in memory: everything is in the data folder again. On the scanning queue.
    func leaveMemory() {
        let memory = contents.withLock { contents in
            contents.problems = contents.lasting
            defer { contents.memory = nil }
            return contents.memory
        }
        if memory != nil { logger.notice("The index is written to the data folder again.") }
    }

    /// The index in memory, created on first use with a log entry. On the scanning queue.
    func memory(because error: any Error) throws -> Index {
        if let memory = contents.withLock(\.memory) { return memory }
        let memory = try Index()
        try memory.useNameDates(datesFromNames)
        let problem = CatalogState.Problem(
            reason: "The index cannot be written (\(IndexStore.reason(error))). The gallery continues in memory;"
                + " after a restart the sources are scanned again. Free space in the data folder.")
        contents.withLock { contents in
            contents.memory = memory
            contents.problems.add(problem)
        }
        logger.error("\(problem)", metadata: ["error": "\(error)"])
        return memory
    }

    /// Sets the damaged index aside and creates a new one. Blocking; readers of the old one may finish.
    func replaceDisk(because error: any Error) throws(CatalogError) {
        let problem = try IndexStore.setAside(folder, because: error, calls, logger).problem
        let disk = try IndexStore.fresh(folder, maximumPages, isShared, datesFromNames)
        contents.withLock { contents in
            contents.disk = disk
            contents.problems.add(problem)
            contents.lasting.add(problem)
        }
    }

    /// Closes the indexes and unlocks the folder for other processes.
    func close() {
        let (indexes, lock) = contents.withLock { contents in
            defer { contents.lock = nil }
            return ([contents.disk, contents.memory].compactMap(\.self), contents.lock)
        }
        for index in indexes {
            do { try index.close() } catch {
                logger.warning("The index could not be closed.", metadata: ["error": "\(error)"])
            }
        }
        withExtendedLifetime(lock) {}
    }

    private static func openIndex(
        _ folder: String, _ maximumPages: Int?, _ isShared: Bool, _ datesFromNames: Bool
    ) throws -> Index {
        let index = try Index(path: folder + "/catalog.sqlite", maximumPages: maximumPages)
        try index.share(isShared)
        try index.useNameDates(datesFromNames)
        return index
    }

    private static func fresh(
        _ folder: String, _ maximumPages: Int?, _ isShared: Bool, _ datesFromNames: Bool
    ) throws(CatalogError) -> Index {
        do {
            return try openIndex(folder, maximumPages, isShared, datesFromNames)
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
    /// How many damaged indexes are kept for diagnosis, including the newest.
    private static let keptAside = 3

    /// Deletes the oldest damaged indexes before another is set aside: a disk that damages every index must not fill up
    /// with them.
    private static func removeOld(_ folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let aside = names.filter { $0.hasPrefix(asidePrefix) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
        for name in aside.sorted().dropLast(keptAside - 1) {
            for ending in ["-wal", "-shm", ""] { unlink("\(folder)/\(name)\(ending)") }
        }
    }

    /// Creates the folder and its missing parents. Only the owner can open them: the metadata is private even if
    /// everyone can read the folder above.
    private static func make(_ folder: String) throws(CatalogError) {
        var made = folder.hasPrefix("/") ? "" : "."
        for part in folder.split(separator: "/") {
            made += "/" + part
            guard mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
            // Read errno before access(2) overwrites it.
            let reason = String(cString: strerror(errno))
            guard access(made, F_OK) == 0 else { throw .dataFolderUnusable(path: folder, reason: reason) }
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
