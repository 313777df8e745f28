import CLinux
import Glibc

extension EventLoop {
    /// Who watches a descriptor. The generation tells an event of the present watcher from a late one of a former
    /// watcher of the same descriptor number.
    struct Registration {
        var handler: (any EventHandler)?
        var generation: UInt32 = 0
    }

    static let timerMark = UInt64.max
    static let alarmMark = UInt64.max - 1

    /// Watches `descriptor` until it is unwatched, keeping `handler` alive. On the loop only.
    ///
    /// Unwatch a descriptor before it is closed. Throws ``LoopError``, for instance when the descriptor is watched
    /// already or is of a kind that cannot be (a regular file).
    public func watch(_ descriptor: Int32, for interest: Interest, handler: any EventHandler) throws {
        preconditionCurrent()
        guard !state.isStopped else { throw LoopError.stopped }
        guard descriptor >= 0 else { throw LoopError.system(call: "epoll_ctl", code: EBADF) }
        let index = Int(descriptor)
        if index >= state.registrations.count {
            let missing = index + 1 - state.registrations.count
            state.registrations.append(contentsOf: repeatElement(Registration(), count: max(missing, 64)))
        }
        let generation = state.registrations[index].generation &+ 1
        var event = Self.event(descriptor, interest, generation)
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
            throw LoopError.system(call: "epoll_ctl", code: errno)
        }
        state.registrations[index] = Registration(handler: handler, generation: generation)
    }

    /// Changes what a watched descriptor is watched for. On the loop only.
    public func rewatch(_ descriptor: Int32, for interest: Interest) throws {
        preconditionCurrent()
        let index = Int(descriptor)
        guard state.registrations.indices.contains(index), state.registrations[index].handler != nil else {
            throw state.isStopped ? LoopError.stopped : LoopError.system(call: "epoll_ctl", code: ENOENT)
        }
        var event = Self.event(descriptor, interest, state.registrations[index].generation)
        guard epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0 else {
            throw LoopError.system(call: "epoll_ctl", code: errno)
        }
    }

    /// Watches `descriptor` no more: after this call its handler is not called for it, even for events that have
    /// happened already. Does nothing if it is not watched. On the loop only.
    public func unwatch(_ descriptor: Int32) {
        preconditionCurrent()
        let index = Int(descriptor)
        guard state.registrations.indices.contains(index), state.registrations[index].handler != nil else { return }
        state.registrations[index].handler = nil
        _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
    }

    private static func event(_ descriptor: Int32, _ interest: Interest, _ generation: UInt32) -> epoll_event {
        let mark = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
        return epoll_event(events: interest.rawValue, data: epoll_data_t(u64: mark))
    }

    /// Hands out the events that have happened, or that happen within `wait` milliseconds. Returns whether there was one.
    func handleEvents(wait: Int32) -> Bool {
        let count = state.events.withUnsafeMutableBufferPointer { events in
            epoll_wait(epoll, events.baseAddress, Int32(events.count), wait)
        }
        guard count > 0 else { return false }
        beginTurns()
        for index in 0..<Int(count) where !state.isStopped {
            defer { endTurn() }
            let event = state.events[index]
            switch event.data.u64 {
            case Self.timerMark: runDueTimers()
            case Self.alarmMark:
                var rings: UInt64 = 0
                _ = read(alarm, &rings, MemoryLayout<UInt64>.size)
            default: deliver(event)
            }
        }
        return true
    }

    private func deliver(_ event: epoll_event) {
        let index = Int(UInt32(truncatingIfNeeded: event.data.u64))
        guard index < state.registrations.count else { return }
        let registration = state.registrations[index]
        guard registration.generation == UInt32(truncatingIfNeeded: event.data.u64 >> 32) else { return }
        registration.handler?.descriptorIsReady(Readiness(rawValue: event.events))
    }
}
