import CLinux
import Dispatch
import Glibc
import Locking
import Synchronization

/// A run of a file as a body. What is in the page cache is read on the loop; what is not is read on a queue of
/// ``DiskQueues``, so that a cold disk holds up nobody else.
public final class FileStream: BodyStream {
    private struct State {
        var offset: Int64
        var end: Int64
        /// What a queue has read: bytes, or nothing at the end of the file or on an error.
        var arrived: [UInt8]?
    }

    private let region: FileRegion
    private let queues: DiskQueues
    private let state: Guarded<State>

    /// For a body that wraps this one; a plain answer has ``ResponseBody/file(_:)``.
    public convenience init(_ region: FileRegion) {
        self.init(region, queues: .shared)
    }

    init(_ region: FileRegion, queues: DiskQueues) {
        self.region = region
        self.queues = queues
        state = Guarded(State(offset: region.offset, end: region.offset + region.length))
    }

    public func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull {
        let (arrived, offset, rest) = state.withLock { state in
            defer { state.arrived = nil }
            return (state.arrived, state.offset, state.end - state.offset)
        }
        if let arrived { return advance(by: arrived) }
        guard rest > 0 else { return .finished }
        let count = Int(min(Int64(limit), rest))
        var code: Int32 = 0
        let cached = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let result = clinux_pread_cached(region.descriptor, buffer.baseAddress, count, offset)
            code = result < 0 ? errno : 0
            filled = max(0, result)
        }
        // Whatever the error, and for the end of the file, the plain read decides: a kernel or file system that cannot tell what is cached
        // is not a broken file.
        guard code != 0 || cached.isEmpty else { return advance(by: cached) }
        queues.run { [self] in
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                var result = -1
                repeat {
                    result = pread(region.descriptor, buffer.baseAddress, count, off_t(offset))
                } while result < 0 && errno == EINTR
                filled = max(0, result)
            }
            state.withLock { $0.arrived = bytes }
            wake()
        }
        return .pending
    }

    private func advance(by bytes: [UInt8]) -> BodyPull {
        // The file is shorter than it was.
        guard !bytes.isEmpty else { return .aborted }
        state.withLock { $0.offset += Int64(bytes.count) }
        return .bytes(bytes)
    }

    public func ended(_ end: BodyEnd) {}
}

/// A few long-lived queues for reads that may wait for a disk.
final class DiskQueues: Sendable {
    /// For bodies that know no server.
    static let shared = DiskQueues()

    private let queues = (0..<4).map { DispatchQueue(label: "http.disk.\($0)") }
    private let next = Atomic<Int>(0)

    func run(_ body: @escaping @Sendable () -> Void) {
        let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
        queues[Int(turn.magnitude % UInt(queues.count))].async(execute: body)
    }
}
