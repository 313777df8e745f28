/// Reads a spool on a lane of its own, a bounded number of bytes ahead of whoever pulls.
final class SpoolReader: Sendable {
    private struct State: Sendable {
        /// What was read ahead, from `start` on.
        var buffer: [UInt8] = []
        var start = 0
        /// The file offset behind the buffer.
        var offset: Int64 = 0
        /// A read is under way, or the spool will call when there is more.
        var isBusy = false
        var end: Spool.End?
        var wake: (@Sendable () -> Void)?
        var isClosed = false

        var buffered: Int { buffer.count - start }

        /// The buffer itself where all of it is wanted, so that nothing is copied.
        mutating func take(_ count: Int) -> [UInt8] {
            if start == 0, count == buffer.count {
                defer { buffer = [] }
                return buffer
            }
            defer { start += count }
            return Array(buffer[start..<start + count])
        }
    }

    private let spool: Spool
    private let readAhead: Int
    private let lane: BlockingLane
    private let state = Guarded(State())

    init(spool: Spool, readAhead: Int, lane: BlockingLane) {
        self.spool = spool
        self.readAhead = readAhead
        self.lane = lane
    }

    func pull(upTo count: Int, wake: @escaping @Sendable () -> Void) -> GrowingPull {
        let (answer, mustFill) = state.withLock { state -> (GrowingPull, Bool) in
            guard !state.isClosed else { return (.failed(.unwanted), false) }
            if state.buffered > 0 {
                let bytes = state.take(min(max(1, count), state.buffered))
                let mustFill = state.buffered < readAhead / 2 && !state.isBusy && state.end == nil
                if mustFill { state.isBusy = true }
                return (.bytes(bytes), mustFill)
            }
            switch state.end {
            case .whole: return (.finished, false)
            case .failed(let failure): return (.failed(failure), false)
            case nil:
                state.wake = wake
                defer { state.isBusy = true }
                return (.pending, !state.isBusy)
            }
        }
        if mustFill { fill() }
        return answer
    }

    /// True for the call that closed it.
    func close() -> Bool {
        let (wasOpen, wake) = state.withLock { state in
            defer {
                state.isClosed = true
                state.buffer = []
                state.start = 0
                state.wake = nil
            }
            return (!state.isClosed, state.wake)
        }
        wake?()
        return wasOpen
    }

    /// Reads ahead once there is something to read; `isBusy` is set and stays so until that is done.
    private func fill() {
        let offset = state.withLock { $0.offset }
        spool.whenMore(than: offset) { [weak self] in
            guard let self else { return }
            // Those who wait for their next bytes are all alike: first come, first served.
            lane.submit(BlockingLane.newWork(), priority: .background) { self.readOnLane() }
        }
    }

    private func readOnLane() {
        let plan = state.withLock { state -> (offset: Int64, room: Int)? in
            state.isClosed ? nil : (state.offset, max(1, readAhead - state.buffered))
        }
        guard let plan else { return }
        let (available, end) = spool.look(from: plan.offset)
        var bytes: [UInt8] = []
        var ended = available > 0 ? nil : end
        // A spool that failed is void, whatever of it could still be read.
        if case .failed = end { ended = end }
        if available > 0, ended == nil {
            do throws(DescriptorError) {
                bytes = try spool.descriptor.read(min(plan.room, Int(clamping: available)), at: plan.offset)
            } catch {
                ended = .failed(.unreadable(error.description))
            }
        }
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            state.isBusy = false
            guard !state.isClosed else { return nil }
            if state.buffered == 0 {
                state.buffer = bytes
            } else {
                state.buffer.removeSubrange(..<state.start)
                state.buffer += bytes
            }
            state.start = 0
            state.offset += Int64(bytes.count)
            state.end = ended
            defer { state.wake = nil }
            return state.wake
        }
        wake?()
    }
}
