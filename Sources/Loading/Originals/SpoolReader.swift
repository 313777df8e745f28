import Locking

/// Reads a spool from its first byte on, at the pace of whoever pulls. It keeps no bytes of its own: what the spool has
/// is in the system's page cache, since it was written a moment ago, and is read from there at once. What is no longer
/// there is read on a lane, so that no pull ever waits for a disk.
final class SpoolReader: Sendable {
    private struct State: Sendable {
        /// Of the next byte that was not handed out.
        var offset: Int64 = 0
        /// What a lane has read, not handed out yet.
        var arrived: [UInt8] = []
        var failure: LoadFailure?
        /// Of the pull that waits.
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
    private let lane: BlockingLane
    private let state = Guarded(State())

    init(spool: Spool, lane: BlockingLane) {
        self.spool = spool
        self.lane = lane
    }

    func pull(upTo count: Int, wake: @escaping @Sendable () -> Void) -> GrowingPull {
        let count = max(1, count)
        let (offset, known) = state.withLock { state -> (Int64, GrowingPull?) in
            if state.isClosed { return (0, .failed(.unwanted)) }
            if let failure = state.failure { return (0, .failed(failure)) }
            return (state.offset, state.arrived.isEmpty ? nil : .bytes(state.take(count)))
        }
        if let known { return known }
        let (available, end) = spool.look(from: offset)
        // A spool that failed is void, whatever of it could still be read.
        if case .failed(let failure) = end { return .failed(failure) }
        if available > 0 { return read(min(count, Int(clamping: available)), at: offset, wake) }
        if case .whole = end { return .finished }
        guard wait(wake) else { return .failed(.unwanted) }
        spool.whenMore(than: offset) { [weak self] in self?.wakeUp() }
        return .pending
    }

    /// True for the call that closed it.
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

    private func read(_ count: Int, at offset: Int64, _ wake: @escaping @Sendable () -> Void) -> GrowingPull {
        let cached = spool.descriptor.readCached(count, at: offset)
        guard cached.isEmpty else {
            state.withLock { $0.offset += Int64(cached.count) }
            return .bytes(cached)
        }
        guard wait(wake) else { return .failed(.unwanted) }
        // Those who wait for their next bytes are all alike: first come, first served.
        lane.submit(BlockingLane.newWork(), priority: .background) { [weak self] in
            self?.readOnLane(count, at: offset)
        }
        return .pending
    }

    private func readOnLane(_ count: Int, at offset: Int64) {
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

    /// Notes who waits. False when it was closed meanwhile, from another thread: nobody might wake it then.
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
