import BlockingIO
import Locking

/// Reads a spool from its first byte on, at the caller's pace. It needs no buffer of its own: bytes written a moment
/// ago are in the page cache and are read from there at once. Bytes no longer in the page cache are read on a pool
/// thread, so that a pull never waits for a disk.
final class SpoolReader: Sendable {
    private struct State: Sendable {
        /// The offset of the next byte to return.
        var offset: Int64 = 0
        /// Bytes that a pool thread has read and no pull has returned yet.
        var arrived: [UInt8] = []
        var failure: LoadFailure?
        /// The wake closure of the pending pull.
        var wake: (@Sendable () -> Void)?
        var isClosed = false

        /// The next bytes of what has arrived.
        mutating func take(_ count: Int) -> [UInt8] {
            let bytes = Array(arrived.prefix(count))
            arrived.removeFirst(bytes.count)
            offset += Int64(bytes.count)
            return bytes
        }
    }

    private let spool: Spool
    private let pool: BlockingPool
    private let state = Guarded(State())

    init(spool: Spool, pool: BlockingPool) {
        self.spool = spool
        self.pool = pool
    }

    func pull(upTo count: Int, wake: @escaping @Sendable () -> Void) -> PartialOriginalPull {
        let count = max(1, count)
        let (offset, known) = state.withLock { state -> (Int64, PartialOriginalPull?) in
            if state.isClosed { return (0, .failed(.unwanted)) }
            if let failure = state.failure { return (0, .failed(failure)) }
            return (state.offset, state.arrived.isEmpty ? nil : .bytes(state.take(count)))
        }
        if let known { return known }
        let (available, end) = spool.status(from: offset)
        // A failed spool is void, even if some of its bytes could still be read.
        if case .failed(let failure) = end { return .failed(failure) }
        if available > 0 { return read(min(count, Int(clamping: available)), at: offset, wake) }
        if case .whole = end { return .finished }
        guard wait(wake) else { return .failed(.unwanted) }
        spool.whenMore(than: offset) { [weak self] in self?.wakeUp() }
        return .pending
    }

    /// Returns true for the call that closed it.
    func close() -> Bool {
        let wasOpen = state.withLock { state in
            defer {
                state.isClosed = true
                state.arrived = []
            }
            return !state.isClosed
        }
        wakeUp()
        return wasOpen
    }

    private func read(_ count: Int, at offset: Int64, _ wake: @escaping @Sendable () -> Void) -> PartialOriginalPull {
        let cached = spool.descriptor.readCached(count, at: offset)
        guard cached.isEmpty else {
            state.withLock { $0.offset += Int64(cached.count) }
            return .bytes(cached)
        }
        guard wait(wake) else { return .failed(.unwanted) }
        // All readers have the same priority: first come, first served.
        pool.submit { [weak self] in
            self?.readOnPool(count, at: offset)
        }
        return .pending
    }

    private func readOnPool(_ count: Int, at offset: Int64) {
        var bytes: [UInt8] = []
        var failure: LoadFailure?
        do throws(DescriptorError) {
            bytes = try spool.descriptor.read(count, at: offset)
            if bytes.isEmpty { failure = .unreadable("the spool is shorter than what was written") }
        } catch {
            failure = .unreadable(error.description)
        }
        state.withLock { state in
            guard !state.isClosed else { return }
            state.arrived = bytes
            state.failure = failure
        }
        wakeUp()
    }

    /// Stores the wake closure. Returns false if another thread has closed the reader, since then nobody would call it.
    private func wait(_ wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.wake = wake
            return true
        }
    }

    private func wakeUp() {
        let wake = state.withLock { state in
            defer { state.wake = nil }
            return state.wake
        }
        wake?()
    }
}
