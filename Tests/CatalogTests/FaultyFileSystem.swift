import Dispatch
import Glibc
import Locking
import Synchronization

@testable import Catalog

/// The system's calls, of which a test can make one kind fail.
final class FaultyFileSystem: FileSystemCalls, @unchecked Sendable {
    enum Call: CaseIterable, Sendable {
        case open, openIn, openBeneath, status, statusOfFile, statusOfName, openNames, nextName, read, readHead, rename
        case openWatches, watch
    }

    struct Fault: Sendable {
        let call: Call
        /// An `errno`.
        let code: Int32
        /// Whether the call hangs until `answer` is signalled.
        var hangs = false
        /// A part of the affected paths.
        var place = ""
        /// The number of calls that succeed first.
        var after = 0
    }

    private struct State {
        var fault: Fault?
        var met = 0
    }

    /// Calls that hang wait for this.
    let answer = DispatchSemaphore(value: 0)
    private let state = Guarded(State())

    /// How often the fault has occurred since it was set.
    var met: Int { state.withLock { max(0, $0.met - ($0.fault?.after ?? 0)) } }

    func set(_ fault: Fault?) { state.withLock { $0 = State(fault: fault) } }

    private func fails(_ call: Call, at path: @autoclosure () -> String) -> Bool {
        guard let fault = state.withLock(\.fault), fault.call == call, path().contains(fault.place) else {
            return false
        }
        let isDue = state.withLock { state in
            state.met += 1
            return state.met > fault.after
        }
        if isDue, fault.hangs { answer.wait() }
        if isDue { errno = fault.code }
        return isDue
    }

    override func open(_ path: String, _ flags: Int32) -> Int32 {
        fails(.open, at: path) ? -1 : super.open(path, flags)
    }

    override func open(_ name: UnsafePointer<CChar>, in folder: Int32, _ flags: Int32) -> Int32 {
        fails(.openIn, at: path(of: folder) + "/" + String(cString: name)) ? -1 : super.open(name, in: folder, flags)
    }

    override func open(_ path: UnsafePointer<CChar>, under root: Int32, _ flags: Int32, resolve: UInt64) -> Int32 {
        fails(.openBeneath, at: String(cString: path))
            ? -1 : super.open(path, under: root, flags, resolve: resolve)
    }

    override func status(_ path: String, _ status: inout stat) -> Int32 {
        fails(.status, at: path) ? -1 : super.status(path, &status)
    }

    override func status(of file: Int32, _ status: inout stat) -> Int32 {
        fails(.statusOfFile, at: path(of: file)) ? -1 : super.status(of: file, &status)
    }

    override func status(of name: UnsafePointer<CChar>, in folder: Int32, _ status: inout stat) -> Int32 {
        fails(.statusOfName, at: path(of: folder) + "/" + String(cString: name))
            ? -1 : super.status(of: name, in: folder, &status)
    }

    override func openNames(of folder: Int32) -> OpaquePointer? {
        fails(.openNames, at: path(of: folder)) ? nil : super.openNames(of: folder)
    }

    override func nextName(_ names: OpaquePointer) -> UnsafeMutablePointer<dirent>? {
        fails(.nextName, at: path(of: dirfd(names))) ? nil : super.nextName(names)
    }

    override func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        fails(.read, at: path(of: file)) ? -1 : super.read(file, into: buffer)
    }

    override func readHead(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        fails(.readHead, at: path(of: file)) ? -1 : super.readHead(file, into: buffer)
    }

    override func openWatches() -> Int32 { fails(.openWatches, at: "") ? -1 : super.openWatches() }

    override func watch(_ watches: Int32, _ path: String, _ mask: UInt32) -> Int32 {
        let descriptor = path.split(separator: "/").last.flatMap { Int32($0) }
        return fails(.watch, at: descriptor.map(self.path(of:)) ?? path) ? -1 : super.watch(watches, path, mask)
    }

    override func rename(_ old: String, to new: String) -> Int32 {
        fails(.rename, at: old) ? -1 : super.rename(old, to: new)
    }
}

extension FileSystemCalls {
    /// The path that a descriptor was opened by.
    func path(of file: Int32) -> String {
        let path = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            guard let bytes = buffer.baseAddress else { return }
            count = bytes.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                max(0, readlink("/proc/self/fd/\(file)", $0, buffer.count))
            }
        }
        return String(decoding: path, as: UTF8.self)
    }
}
