@preconcurrency import Dispatch
import Glibc
import Locking

/// The watches on one source's folders: a single `inotify(7)` descriptor, read on a queue that is handed in. It gathers
/// what may have changed until somebody takes it.
final class FolderWatch: Sendable {
    /// Why a folder could not be watched.
    enum Refusal: Hashable {
        /// The user has no watch left: `fs.inotify.max_user_watches`.
        case watches
        /// The user has no descriptor for watches left: `fs.inotify.max_user_instances`, or the process may open no
        /// more files.
        case instances
        /// An `errno`.
        case other(Int32)
    }

    private struct State {
        var paths: [Int32: [UInt8]] = [:]
        var watches: [[UInt8]: Int32] = [:]
        var dirt = Dirt()
        var isEnded = false
    }

    private let calls: FileSystemCalls
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let state = Guarded(State())
    /// What is looked at of names; the others are of no interest.
    private let isOfInterest: @Sendable ([UInt8]) -> Bool

    private static let mask =
        Int(IN_CREATE) | Int(IN_CLOSE_WRITE) | Int(IN_MOVED_FROM) | Int(IN_MOVED_TO) | Int(IN_DELETE) | Int(IN_ATTRIB)
        | Int(IN_DELETE_SELF) | Int(IN_MOVE_SELF) | Int(IN_ONLYDIR)

    /// - Parameters:
    ///   - queue: where events are read; serial.
    ///   - dirtied: called there when something may have changed.
    init(
        calls: FileSystemCalls, queue: DispatchQueue, isOfInterest: @escaping @Sendable ([UInt8]) -> Bool,
        dirtied: @escaping @Sendable () -> Void
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
            dirtied()
        }
        source.activate()
    }

    deinit { source.cancel() }

    /// How many folders are watched.
    var count: Int { state.withLock { $0.watches.count } }

    /// Ends all watches. Idempotent.
    func end() {
        state.withLock { $0 = State(isEnded: true) }
        source.cancel()
    }

    /// Watches a folder from now on. To be called before its names are read, so that nothing is missed between.
    ///
    /// - Parameter folder: a descriptor of it, so that no other can be meant.
    /// - Returns: nil when it is watched.
    func add(_ path: [UInt8], folder: Int32) -> Refusal? {
        add(path, at: "/proc/self/fd/\(folder)")
    }

    /// The same, of a folder that is named.
    func add(_ path: [UInt8], at place: String) -> Refusal? {
        // Under the lock: an event of the new watch must find its path.
        state.withLock { state in
            guard !state.isEnded else { return nil }
            let watch = calls.watch(descriptor, place, UInt32(truncatingIfNeeded: Self.mask))
            guard watch >= 0 else {
                return switch errno {
                case ENOSPC: .watches
                case let code: .other(code)
                }
            }
            // A folder that was moved has the watch that it had.
            if let former = state.paths[watch], former != path, state.watches[former] == watch {
                state.watches[former] = nil
            }
            if let former = state.watches[path], former != watch {
                state.paths[former] = nil
                _ = calls.unwatch(descriptor, former)
            }
            state.paths[watch] = path
            state.watches[path] = watch
            return nil
        }
    }

    /// Ends the watch of a folder that is no longer where it was.
    func remove(_ path: [UInt8]) {
        state.withLock { state in
            guard let watch = state.watches.removeValue(forKey: path) else { return }
            state.paths[watch] = nil
            _ = calls.unwatch(descriptor, watch)
        }
    }

    /// Ends the watches of all folders but these.
    func keepOnly(_ folders: [[UInt8]: FolderPrint?]) {
        let gone = state.withLock { $0.watches.keys.filter { folders[$0] == nil } }
        for path in gone { remove(path) }
    }

    func isWatched(_ path: [UInt8]) -> Bool { state.withLock { $0.watches[path] != nil } }

    /// What may have changed since this was asked last.
    func take() -> Dirt { state.withLock { exchange(&$0.dirt, with: Dirt()) } }

    /// Notes what has happened until now. On the queue.
    ///
    /// - Returns: whether anything may have changed.
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
            state.dirt.extent = .everything
            return true
        }
        guard let folder = state.paths[event.watch] else { return false }
        if event.has(Int(IN_IGNORED)) {
            state.paths[event.watch] = nil
            if state.watches[folder] == event.watch { state.watches[folder] = nil }
            return false
        }
        if event.name.isEmpty {
            // Of a folder beneath the root, its parent tells; a disk that is unmounted is told by nobody else.
            let isAway =
                event.has(Int(IN_UNMOUNT))
                || folder.isEmpty && event.has(Int(IN_DELETE_SELF), Int(IN_MOVE_SELF))
            if isAway { state.dirt.extent = .everything }
            return isAway
        }
        guard isOfInterest(event.name) else { return false }
        // What is created has a name at once, and its content later.
        let sign: Dirt.Sign = event.has(Int(IN_CREATE)) ? .begun : event.has(Int(IN_ATTRIB)) ? .touched : .changed
        state.dirt.add(FilePath.join(folder, event.name), sign)
        return true
    }
}
