@preconcurrency import Dispatch
import Glibc
import Locking

/// The watches on one source's folders: a single `inotify(7)` descriptor, read on a given queue. Collects the dirty set
/// until it is taken.
final class FolderWatch: Sendable {
    /// Why a folder could not be watched.
    enum Refusal: Hashable {
        /// The user's limit for watches is reached: `fs.inotify.max_user_watches`.
        case watches
        /// The limit for inotify descriptors is reached: `fs.inotify.max_user_instances`, or the process may open no
        /// more files.
        case instances
        /// An `errno`.
        case other(Int32)
    }

    private struct State {
        /// The paths of each watched folder: several if links lead to it, or if it was just moved.
        var paths: [Int32: [[UInt8]]] = [:]
        var watches: [[UInt8]: Int32] = [:]
        var dirtySet = DirtySet()
        var isEnded = false

        /// - Returns: The watch, if no path needs it any more.
        mutating func removePath(_ path: [UInt8]) -> Int32? {
            guard let watch = watches.removeValue(forKey: path) else { return nil }
            paths[watch]?.removeAll { $0 == path }
            guard paths[watch]?.isEmpty != false else { return nil }
            paths[watch] = nil
            return watch
        }
    }

    private let calls: FileSystemCalls
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let state = Guarded(State())
    /// Which names matter; events for others are ignored.
    private let isOfInterest: @Sendable ([UInt8]) -> Bool

    private static let mask =
        Int(IN_CREATE) | Int(IN_CLOSE_WRITE) | Int(IN_MOVED_FROM) | Int(IN_MOVED_TO) | Int(IN_DELETE) | Int(IN_ATTRIB)
        | Int(IN_DELETE_SELF) | Int(IN_MOVE_SELF) | Int(IN_ONLYDIR)

    /// - Parameters:
    ///   - queue: A serial queue on which events are read.
    ///   - dirtied: Called on that queue when something may have changed.
    init(
        calls: FileSystemCalls, queue: DispatchQueue, isOfInterest: @escaping @Sendable ([UInt8]) -> Bool,
        onDirty: @escaping @Sendable () -> Void
    ) throws(FolderRoot.Failure) {
        let descriptor = calls.openWatches()
        guard descriptor >= 0 else { throw FolderRoot.Failure(code: errno) }
        self.calls = calls
        self.descriptor = descriptor
        self.isOfInterest = isOfInterest
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { [weak self] in
            guard let self, readEvents() else { return }
            onDirty()
        }
        source.activate()
    }

    deinit { source.cancel() }

    /// The number of watched folders, by their paths.
    var count: Int { state.withLock { $0.watches.count } }

    /// Ends all watches. Idempotent.
    func end() {
        state.withLock { $0 = State(isEnded: true) }
        source.cancel()
    }

    /// Starts to watch a folder. Call it before reading the folder's names, so that no change in between is missed.
    ///
    /// - Parameter folder: A descriptor of the folder, so that no other folder can be meant.
    /// - Returns: Nil if the folder is watched.
    func add(_ path: [UInt8], folder: Int32) -> Refusal? {
        add(path, at: "/proc/self/fd/\(folder)")
    }

    /// The same for a folder given by its path.
    func add(_ path: [UInt8], at place: String) -> Refusal? {
        // Not under the lock, because the call may hang with the disk, and the queue that reads events takes the lock. An
        // event that arrives before the watch has its path is ignored: the folder's names are read after this anyway.
        let watch = calls.watch(descriptor, place, UInt32(truncatingIfNeeded: Self.mask))
        guard watch >= 0 else {
            return switch errno {
            case ENOSPC: .watches
            case let code: .other(code)
            }
        }
        return state.withLock { state in
            guard !state.isEnded else { return nil }
            guard state.watches[path] != watch else { return nil }
            if let former = state.removePath(path) { _ = calls.unwatch(descriptor, former) }
            state.paths[watch, default: []].append(path)
            state.watches[path] = watch
            return nil
        }
    }

    /// Ends the watch of a folder that is no longer at this path.
    func remove(_ path: [UInt8]) {
        state.withLock { state in
            if let watch = state.removePath(path) { _ = calls.unwatch(descriptor, watch) }
        }
    }

    /// Ends the watches of all folders except these.
    func keepOnly(_ folders: [[UInt8]: FolderFingerprint?]) {
        let gone = state.withLock { $0.watches.keys.filter { folders[$0] == nil } }
        for path in gone { remove(path) }
    }

    func isWatched(_ path: [UInt8]) -> Bool { state.withLock { $0.watches[path] != nil } }

    /// Takes the dirty set collected since the last call.
    func take() -> DirtySet { state.withLock { exchange(&$0.dirtySet, with: DirtySet()) } }

    /// Reads all pending events. On the queue.
    ///
    /// - Returns: Whether anything may have changed.
    func readEvents() -> Bool {
        let size = 65_536
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        defer { buffer.deallocate() }
        var isDirty = false
        while true {
            let count = calls.read(descriptor, into: buffer)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return isDirty }
            let events = FolderEvent.events(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            isDirty = state.withLock { state in events.reduce(false) { note($1, &state) || $0 } } || isDirty
        }
    }

    private func note(_ event: FolderEvent, _ state: inout State) -> Bool {
        if event.has(Int(IN_Q_OVERFLOW)) {
            state.dirtySet.extent = .everything
            return true
        }
        guard let folders = state.paths[event.watch] else { return false }
        if event.has(Int(IN_IGNORED)) {
            for folder in folders { state.watches[folder] = nil }
            state.paths[event.watch] = nil
            return false
        }
        if event.name.isEmpty {
            // Changes of a folder beneath the root are reported by its parent; only an unmount is not.
            let isAway =
                event.has(Int(IN_UNMOUNT))
                || folders.contains([]) && event.has(Int(IN_DELETE_SELF), Int(IN_MOVE_SELF))
            if isAway { state.dirtySet.extent = .everything }
            return isAway
        }
        guard isOfInterest(event.name) else { return false }
        // A created file has its name at once, and its content later.
        let sign: DirtySet.Change = event.has(Int(IN_CREATE)) ? .begun : event.has(Int(IN_ATTRIB)) ? .touched : .changed
        for folder in folders { state.dirtySet.add(FilePath.join(folder, event.name), sign) }
        return true
    }
}
