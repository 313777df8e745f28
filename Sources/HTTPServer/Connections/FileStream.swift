import BlockingIO
import CLinux
import Glibc
import Locking

/// A region of a file as a body. Bytes in the page cache are read on the event loop; others on a thread of a
/// ``BlockingPool``, so that a cold disk delays nobody else, and a hung one only the bodies of its own group.
public final class FileStream: BodyStream {
    private struct State {
        var offset: Int64
        var end: Int64
        /// What a pool thread has read, until the next pull.
        var arrived: BodyPull?
        var read: BlockingPool.Handle?
    }

    /// Reads for all servers of the process.
    static let pool = BlockingPool(label: "file-bodies", threads: 64, threadsPerGroup: 4)

    private let region: FileRegion
    private let reader: FileReader
    private let pool: BlockingPool
    private let state: Guarded<State>

    /// For a body that wraps this one; a plain response has ``ResponseBody/file(_:)``.
    public convenience init(_ region: FileRegion) {
        self.init(region, reader: FileReader())
    }

    init(_ region: FileRegion, reader: FileReader, pool: BlockingPool = FileStream.pool) {
        self.region = region
        self.reader = reader
        self.pool = pool
        state = Guarded(State(offset: region.offset, end: region.offset + region.length))
    }

    public var readsFile: Bool { true }

    public func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull {
        let (arrived, offset, rest) = state.withLock { state in
            defer { state.arrived = nil }
            return (state.arrived, state.offset, state.end - state.offset)
        }
        if let arrived { return advance(arrived) }
        guard rest > 0 else { return .finished }
        let count = Int(min(Int64(limit), rest))
        var code: Int32 = 0
        let cached = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let result = reader.cached(region.descriptor, buffer.baseAddress, count, offset)
            code = result < 0 ? errno : 0
            filled = max(0, result)
        }
        // After any error, and at the end of the file, the blocking read decides: a kernel or file system that cannot tell
        // what is cached does not make the file unreadable.
        guard code != 0 || cached.isEmpty else { return advance(.bytes(cached)) }
        let read = pool.run(in: region.group) { [self] in
            [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = max(0, reader.blocking(region.descriptor, buffer.baseAddress, count, offset))
            }
        } then: { [self] result in
            state.withLock { state in
                switch result {
                case .success(let bytes): state.arrived = .bytes(bytes)
                case .failure: state.arrived = .timedOut
                }
            }
            wake()
        }
        state.withLock { $0.read = read }
        return .pending
    }

    private func advance(_ pull: BodyPull) -> BodyPull {
        guard case .bytes(var bytes) = pull else { return pull }
        // The file has become shorter, or cannot be read.
        guard !bytes.isEmpty else { return .aborted }
        let offset = state.withLock { state in
            defer { state.offset += Int64(bytes.count) }
            return state.offset
        }
        guard region.edit?(&bytes, offset) != false else { return .aborted }
        return .bytes(bytes)
    }

    public func ended(_ end: BodyEnd) { state.withLock(\.read)?.cancel() }
}

/// The two reads of a ``FileStream``, with the parameters of `pread(2)`.
struct FileReader: Sendable {
    typealias Read = @Sendable (_ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, Int, Int64) -> Int

    /// Reads what the page cache holds, and fails instead of waiting for the disk.
    var cached: Read = { clinux_pread_cached($0, $1, $2, $3) }
    var blocking: Read = { descriptor, buffer, count, offset in
        var result = -1
        repeat { result = pread(descriptor, buffer, count, off_t(offset)) } while result < 0 && errno == EINTR
        return result
    }
}
