import Glibc
import Images
import Locking
import Logging
import Renditions

/// Pyramids as files within a byte budget, one for each content. The name says of what it is, and the time of change when
/// it was used last, so that nothing else need be remembered; a file is written aside and counts when it has that name.
/// Every call but `has` blocks.
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

        /// Those that were used the longest time ago, so that the rest is within the budget.
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

    private let folder: String
    private let budget: Int64
    private let logger: Logger
    private let ledger = Guarded(Ledger())
    private let lane: BlockingLane
    private let drafts = Guarded(Drafts())

    private struct Drafts: Sendable {
        var last: UInt64 = 0
        /// That are there now.
        var count = 0
    }

    /// Drafts at once, most of which wait for a worker: each has a descriptor.
    private static let mostDrafts = 256
    /// Of how pyramids are made: of another, those that are kept are made anew.
    private static let format = 1

    /// Takes up what is there, and removes what was not finished.
    ///
    /// - Parameters:
    ///   - budget: Bytes.
    ///   - lane: Where drafts are removed that come to nothing.
    /// - Throws: `LoadFailure` when the folder cannot be made.
    init(folder: String, budget: Int64, lane: BlockingLane, logger: Logger) throws(LoadFailure) {
        self.folder = folder
        self.budget = budget
        self.lane = lane
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

    /// Whether there is one of this content, as far as is known without looking. Never blocks.
    func has(_ image: ImageID, version: ContentVersion) -> Bool {
        let name = Self.name(image, version)
        return ledger.withLock { $0.files[name] != nil }
    }

    /// Nil where there is none of this content.
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
            // Unless another was taken in meanwhile.
            let isSame = ledger.withLock { ledger in
                guard ledger.files[name]?.length == length else { return false }
                ledger.remove(name)
                return true
            }
            if isSame { unlink(folder + "/" + name) }
            return nil
        }
        // For who reads the names after a restart.
        futimens(number, nil)
        return OriginalFile(
            descriptor: OwnedDescriptor(number), length: length, mediaType: PyramidLayout.mediaType, version: version,
            modified: modified)
    }

    /// A file for a pyramid in the making.
    ///
    /// - Throws: `LoadFailure` when there is no room for it, and for good where none is to be kept: it would be made anew
    ///   for each piece that is read of it.
    func draft(_ image: ImageID, _ source: OriginalSource) throws(LoadFailure) -> PyramidDraft {
        guard source.mayStore else {
            throw LoadFailure(
                status: 404,
                publicMessage: "There are no tiles of this picture: its origin forbids to keep what is made of it.",
                isPermanent: true)
        }
        guard budget > 0 else { throw tooLarge("nothing may be kept") }
        let taken: UInt64? = drafts.withLock { drafts in
            guard drafts.count < Self.mostDrafts else { return nil }
            drafts.count += 1
            drafts.last += 1
            return drafts.last
        }
        guard let taken else { throw .notNow("\(Self.mostDrafts) pyramids are waiting to be made") }
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
            // A disk may keep who closes the last descriptor of a file waiting, and who removes it.
            lane.submit(BlockingLane.newWork(), priority: .background) {
                if !isTaken { unlink(path) }
                withExtendedLifetime(descriptor) {}
            }
        }
    }

    private func tooLarge(_ detail: String) -> LoadFailure {
        LoadFailure(
            status: 413, publicMessage: "The tiles of this picture are more than the cache holds.", logDetail: detail,
            isPermanent: true)
    }

    /// Keeps what was written, and makes room for it.
    ///
    /// - Throws: `LoadFailure` if it is larger than all that may be kept, or the disk does not take it.
    func take(_ draft: PyramidDraft) throws(LoadFailure) -> OriginalFile {
        let file = try written(draft)
        guard file.length > 0, file.length <= budget else { throw tooLarge("\(file.length) of \(budget) bytes") }
        // What has its name is whole, whenever the machine goes down.
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

    /// What was in the making when the last of those ended who might have removed it.
    func removeDrafts() {
        for name in CacheFolder.names(in: folder) where name.hasSuffix(Self.draftSuffix) { unlink(folder + "/" + name) }
    }

    static func removeFolder(_ folder: String) {
        for name in CacheFolder.names(in: folder) { unlink(folder + "/" + name) }
        rmdir(folder)
    }
}

/// A pyramid in the making: its file is removed with it unless the store has taken it in.
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
