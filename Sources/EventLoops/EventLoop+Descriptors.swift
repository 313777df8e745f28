import CLinux
import Glibc

extension EventLoop {
    /// The handler of a watched descriptor. The generation tells its events from late ones of an earlier handler of
    /// the same descriptor number.
    struct Registration {
        var handler: (any EventHandler)?
        var generation: UInt32 = 0
    }

    static let timerMark = UInt64.max
    static let alarmMark = UInt64.max - 1

    /// Watches `descriptor` until ``unwatch(_:)``, retaining `handler`. On the loop only.
    ///
    /// Unwatch a descriptor before closing it. Throws ``LoopError``, for instance if the descriptor is already
    /// watched or of a kind that epoll does not support (a regular file).
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

    /// Changes the interest in a watched descriptor. On the loop only.
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

    /// Stops watching `descriptor`: from now on its handler is not called for it, not even for events that have
    /// already happened. A no-op if it is not watched. On the loop only.
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

    /// Dispatches the events that have happened, or that happen within `wait` milliseconds. Returns whether there was
    /// one.
    func handleEvents(wait: Int32) -> Bool {
        let count = state.events.withUnsafeMutableBufferPointer { events in
            // glibc declares the pointer as optional up to version 2.36.
            events.baseAddress.map { epoll_wait(epoll, $0, Int32(events.count), wait) } ?? 0
        }
        guard count > 0 else { return false }
        beginCallbacks()
        for index in 0..<Int(count) where !state.isStopped {
            defer { endCallback() }
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
