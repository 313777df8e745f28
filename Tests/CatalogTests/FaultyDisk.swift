import GRDBSQLite
import Glibc
import Locking
import Synchronization

/// Injects failures of the disk beneath SQLite: a VFS in front of the system's own, for all databases of the tests.
final class FaultyDisk: Sendable {
    enum Operation: CaseIterable, Sendable { case open, read, write, sync, truncate, map }

    struct Fault: Sendable {
        /// The prefix of the paths with this fault.
        let place: String
        let operation: Operation
        /// A SQLite result code.
        let code: Int32
        /// The number of such operations that succeed first.
        var after = 0
    }

    private struct State {
        var faults: [String: (fault: Fault, met: Int)] = [:]
        var paths: [UInt: String] = [:]
        var wrapped: [UInt: UInt] = [:]
    }

    static let shared = FaultyDisk()

    private let state = Guarded(State())

    private init() {
        guard let system = sqlite3_vfs_find(nil) else { return }
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        own.initialize(to: system.pointee)
        own.pointee.zName = UnsafePointer(strdup("tessera-faults"))
        own.pointee.pAppData = UnsafeMutableRawPointer(system)
        own.pointee.xOpen = { vfs, name, file, flags, granted in
            guard let system = vfs?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self), let file else {
                return SQLITE_ERROR
            }
            let path = name.map { String(cString: $0) } ?? ""
            if let code = FaultyDisk.shared.fault(.open, path) { return code }
            let code = system.pointee.xOpen(system, name, file, flags, granted)
            if code == SQLITE_OK, !path.isEmpty { FaultyDisk.shared.watch(file, path) }
            return code
        }
        sqlite3_vfs_register(own, 1)
    }

    /// Makes an operation fail from now on at paths with this prefix; nil ends the fault.
    func set(_ fault: Fault?, at place: String) {
        state.withLock { $0.faults[place] = fault.map { ($0, 0) } }
    }

    /// How often the fault at this place has occurred.
    func met(at place: String) -> Int {
        state.withLock { state in state.faults[place].map { max(0, $0.met - $0.fault.after) } ?? 0 }
    }

    private func fault(_ operation: Operation, _ path: String) -> Int32? {
        state.withLock { state in
            for (place, entry) in state.faults where entry.fault.operation == operation && path.hasPrefix(place) {
                state.faults[place]?.met += 1
                return entry.met >= entry.fault.after ? entry.fault.code : nil
            }
            return nil
        }
    }

    private func fault(_ operation: Operation, _ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32? {
        guard let path = state.withLock({ $0.paths[UInt(bitPattern: file)] }) else { return nil }
        return fault(operation, path)
    }

    /// The system's methods for a file, stored behind the ones that replace them.
    private static func system(_ file: UnsafeMutablePointer<sqlite3_file>?) -> sqlite3_io_methods {
        let own = UnsafeRawPointer(file!.pointee.pMethods!)
        return own.load(fromByteOffset: MemoryLayout<sqlite3_io_methods>.stride, as: sqlite3_io_methods.self)
    }

    private func watch(_ file: UnsafeMutablePointer<sqlite3_file>, _ path: String) {
        guard let methods = file.pointee.pMethods else { return }
        state.withLock { state in
            state.paths[UInt(bitPattern: file)] = path
            let key = UInt(bitPattern: methods)
            if state.wrapped[key] == nil { state.wrapped[key] = UInt(bitPattern: Self.wrap(methods.pointee)) }
            file.pointee.pMethods = state.wrapped[key].flatMap { UnsafePointer(bitPattern: $0) }
        }
    }

    private static func wrap(_ system: sqlite3_io_methods) -> UnsafeMutablePointer<sqlite3_io_methods> {
        let pair = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 2)
        (pair + 1).initialize(to: system)
        var own = system
        own.xRead = { file, buffer, count, offset in
            FaultyDisk.shared.fault(.read, file) ?? FaultyDisk.system(file).xRead(file, buffer, count, offset)
        }
        own.xWrite = { file, buffer, count, offset in
            FaultyDisk.shared.fault(.write, file) ?? FaultyDisk.system(file).xWrite(file, buffer, count, offset)
        }
        own.xSync = { file, flags in
            FaultyDisk.shared.fault(.sync, file) ?? FaultyDisk.system(file).xSync(file, flags)
        }
        own.xTruncate = { file, size in
            FaultyDisk.shared.fault(.truncate, file) ?? FaultyDisk.system(file).xTruncate(file, size)
        }
        own.xShmMap = { file, page, size, extends, memory in
            FaultyDisk.shared.fault(.map, file) ?? FaultyDisk.system(file).xShmMap(file, page, size, extends, memory)
        }
        own.xClose = { file in
            FaultyDisk.shared.state.withLock { _ = $0.paths.removeValue(forKey: UInt(bitPattern: file)) }
            return FaultyDisk.system(file).xClose(file)
        }
        pair.initialize(to: own)
        return pair
    }
}
