import BlockingIO
import Glibc
import Images
import Locking
import Logging
import Renditions

/// Pyramids as files within a byte budget, one for each content version. The file name identifies the content and the
/// modification time records the last use, so no other bookkeeping is needed. A file is written under a draft name and
/// counts once it has its final name. Every call except `has` blocks.
final class PyramidStore: Sendable {
    private struct Kept: Sendable {
        let length: Int64
        var used: UInt64
    }

    private struct Ledger: Sendable {
        var files: [String: Kept] = [:]
        var clock: UInt64 = 0
        var total: Int64 = 0

        mutating func use(_ name: String) {
            clock += 1
            files[name]?.used = clock
        }

        mutating func add(_ name: String, length: Int64) {
            remove(name)
            clock += 1
            files[name] = Kept(length: length, used: clock)
            total += length
        }

        mutating func remove(_ name: String) {
            if let gone = files.removeValue(forKey: name) { total -= gone.length }
        }

        /// The least recently used pyramids, enough of them to bring the rest within the budget.
        mutating func victims(budget: Int64, sparing newest: String) -> [String] {
            var victims: [String] = []
            for (name, _) in files.sorted(by: { $0.value.used < $1.value.used }) where total > budget && name != newest
            {
                remove(name)
                victims.append(name)
            }
            return victims
        }
    }

    /// The bytes of the files.
    var bytes: Int64 { ledger.withLock(\.total) }

    private let folder: String
    private let budget: Int64
    private let logger: Logger
    private let ledger = Guarded(Ledger())
    private let pool: BlockingPool
    private let drafts = Guarded(Drafts())

    private struct Drafts: Sendable {
        var last: UInt64 = 0
        /// How many drafts exist now.
        var count = 0
    }

    /// The limit of drafts at once. Most of them wait for a worker, and each holds a descriptor.
    private static let maximumDrafts = 256
    /// The version of the pyramid file format, and of what is in the pyramids. Others are made again.
    private static let format = "1-\(RenditionRecipe.current)"

    /// Finds the existing pyramids and removes unfinished ones.
    ///
    /// - Parameters:
    ///   - budget: Bytes.
    ///   - pool: Removes abandoned drafts.
    /// - Throws: `LoadFailure` when the folder cannot be created.
    init(folder: String, budget: Int64, pool: BlockingPool, logger: Logger) throws(LoadFailure) {
        self.folder = folder
        self.budget = budget
        self.pool = pool
        self.logger = logger
        try CacheFolder.make(folder)
        var found: [(name: String, length: Int64, used: Int64)] = []
        for name in CacheFolder.names(in: folder) {
            var status = stat()
            let path = folder + "/" + name
            if !name.hasSuffix(".\(Self.format)") || stat(path, &status) != 0 {
                unlink(path)
            } else {
                found.append((name, Int64(status.st_size), Int64(status.st_mtim.tv_sec)))
            }
        }
        found.sort { $0.used < $1.used }
        ledger.withLock { ledger in
            for file in found { ledger.add(file.name, length: file.length) }
        }
        evict(sparing: "")
    }

    private static let draftSuffix = ".part"

    private static func name(_ image: ImageID, _ version: ContentVersion) -> String {
        "\(image).\(version).\(format)"
    }

    /// Whether a pyramid of this content exists, without checking the disk. Never blocks.
    func has(_ image: ImageID, version: ContentVersion) -> Bool {
        let name = Self.name(image, version)
        return ledger.withLock { $0.files[name] != nil }
    }

    /// The pyramid of this content; nil if there is none.
    func open(_ image: ImageID, version: ContentVersion, modified: Int64?) -> OriginalFile? {
        let name = Self.name(image, version)
        let length: Int64? = ledger.withLock { ledger in
            ledger.use(name)
            return ledger.files[name]?.length
        }
        guard let length else { return nil }
        let number = Glibc.open(folder + "/" + name, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard number >= 0, fstat(number, &status) == 0, Int64(status.st_size) == length else {
            if number >= 0 { close(number) }
            // Forget it unless another one was stored meanwhile.
            let isSame = ledger.withLock { ledger in
                guard ledger.files[name]?.length == length else { return false }
                ledger.remove(name)
                return true
            }
            if isSame { unlink(folder + "/" + name) }
            return nil
        }
        // Records the use for the next run, which reads the times after a restart.
        futimens(number, nil)
        return OriginalFile(
            descriptor: OwnedDescriptor(number), length: length, mediaType: PyramidLayout.mediaType, version: version,
            modified: modified)
    }

    /// Creates a file for a new pyramid.
    ///
    /// - Throws: `LoadFailure` when there is no room for it. The failure is permanent when the image may not be stored,
    ///   since each tile request would make the pyramid again.
    func draft(_ image: ImageID, _ source: OriginalSource) throws(LoadFailure) -> PyramidDraft {
        guard source.mayStore else {
            throw LoadFailure(
                status: 404,
                publicMessage: "This picture has no pyramid: its origin forbids storing it.",
                isPermanent: true)
        }
        guard budget > 0 else { throw tooLarge("no-store") }
        let taken: UInt64? = drafts.withLock { drafts in
            guard drafts.count < Self.maximumDrafts else { return nil }
            drafts.count += 1
            drafts.last += 1
            return drafts.last
        }
        guard let taken else { throw .notNow("\(Self.maximumDrafts) pyramids are queued") }
        let name = Self.name(image, source.version)
        let path = folder + "/\(name).\(taken)" + Self.draftSuffix
        let number = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        let problem = errno
        guard number >= 0 else {
            drafts.withLock { $0.count -= 1 }
            throw .notNow("open \(path): \(String(cString: strerror(problem)))")
        }
        return PyramidDraft(name: name, path: path, descriptor: OwnedDescriptor(number), source: source) {
            [self] descriptor, isTaken in
            drafts.withLock { $0.count -= 1 }
            // Closing the last descriptor of a file or removing the file may block on the disk.
            pool.submit {
                if !isTaken { unlink(path) }
                withExtendedLifetime(descriptor) {}
            }
        }
    }

    private func tooLarge(_ detail: String) -> LoadFailure {
        LoadFailure(
            status: 413, publicMessage: "This picture's pyramid is larger than the cache.", logDetail: detail,
            isPermanent: true)
    }

    /// Stores a finished pyramid and evicts others to make room.
    ///
    /// - Throws: `LoadFailure` if it exceeds the whole budget, or the disk does not take it.
    func take(_ draft: PyramidDraft) throws(LoadFailure) -> OriginalFile {
        let file = try written(draft)
        guard file.length > 0, file.length <= budget else { throw tooLarge("\(file.length) of \(budget) bytes") }
        // Synced before it gets its final name, so that a file with a final name is complete even after a power
        // failure.
        guard fdatasync(draft.descriptor.number) == 0, rename(draft.path, folder + "/" + draft.name) == 0 else {
            throw .notNow("rename \(draft.path): \(String(cString: strerror(errno)))")
        }
        draft.isTaken.withLock { $0 = true }
        ledger.withLock { $0.add(draft.name, length: file.length) }
        evict(sparing: draft.name)
        return file
    }

    private func written(_ draft: PyramidDraft) throws(LoadFailure) -> OriginalFile {
        do throws(DescriptorError) {
            return OriginalFile(
                descriptor: try draft.descriptor.forReading(), length: try draft.descriptor.status().size,
                mediaType: PyramidLayout.mediaType, version: draft.source.version, modified: draft.source.modified,
                isStale: draft.source.isStale)
        } catch {
            throw .notNow("\(error)")
        }
    }

    private func evict(sparing newest: String) {
        let victims = ledger.withLock { $0.victims(budget: budget, sparing: newest) }
        for name in victims where unlink(folder + "/" + name) != 0 {
            logger.warning("A file of the cache cannot be removed.", metadata: ["file": "\(folder)/\(name)"])
        }
    }

    /// Removes the remaining drafts once nothing else can remove them.
    func removeDrafts() {
        for name in CacheFolder.names(in: folder) where name.hasSuffix(Self.draftSuffix) { unlink(folder + "/" + name) }
    }

    static func removeFolder(_ folder: String) {
        for name in CacheFolder.names(in: folder) { unlink(folder + "/" + name) }
        rmdir(folder)
    }
}

/// A pyramid being made. Its file is deleted with this object unless the store has taken it.
final class PyramidDraft: Sendable {
    let name: String
    let path: String
    let descriptor: OwnedDescriptor
    let source: OriginalSource
    let isTaken = Guarded(false)
    private let onEnd: @Sendable (_ descriptor: OwnedDescriptor, _ isTaken: Bool) -> Void

    init(
        name: String, path: String, descriptor: OwnedDescriptor, source: OriginalSource,
        onEnd: @escaping @Sendable (_ descriptor: OwnedDescriptor, _ isTaken: Bool) -> Void
    ) {
        self.name = name
        self.path = path
        self.descriptor = descriptor
        self.source = source
        self.onEnd = onEnd
    }

    deinit { onEnd(descriptor, isTaken.withLock { $0 }) }
}
