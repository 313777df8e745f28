import CLinux
import EventLoops
import Glibc
import Logging

/// A listening socket on a shard's loop.
///
/// When the process has run out of descriptors, accepting pauses; otherwise a level-triggered socket with a waiting
/// connection would keep waking the loop for nothing. Waiting connections stay in the backlog.
final class Listener: EventHandler {
    /// Connections accepted in a row before others get a chance.
    private static let turn = 64
    private static let rest = Duration.milliseconds(200)
    /// The minimum time between two warnings, in nanoseconds.
    private static let silence: UInt64 = 10_000_000_000

    /// `accept4(2)`, or its replacement in a test: returns a socket, or -1 with `errno` set.
    typealias Accept = @Sendable (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

    static let accept: Accept = { socket, address, length in
        clinux_accept4(socket, address, length, Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue))
    }

    private let socket: Int32
    private let accept: Accept
    /// Retained until the listener is closed.
    private let shard: Shard
    private var isWatched = false
    private var resumption: LoopTimer?
    private var warnedAt: UInt64?

    init(socket: Int32, shard: Shard, accept: @escaping Accept) {
        self.socket = socket
        self.accept = accept
        self.shard = shard
    }

    func resume() {
        resumption?.cancel()
        resumption = nil
        guard !isWatched else { return }
        do {
            try shard.loop.watch(socket, for: .read, handler: self)
            isWatched = true
        } catch {
            shard.logger.error("the listening socket could not be watched: \(error)")
            pause()
        }
    }

    /// A connection has closed, so there may be a free descriptor.
    func descriptorWasFreed() {
        if resumption != nil { resume() }
    }

    func descriptorIsReady(_ events: Readiness) {
        for _ in 0..<Self.turn {
            guard acceptOne() else { return }
        }
    }

    /// Accepts all waiting connections.
    func acceptAll() {
        while acceptOne() {}
    }

    func close() {
        resumption?.cancel()
        shard.loop.unwatch(socket)
        Glibc.close(socket)
    }

    private func acceptOne() -> Bool {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let accepted = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept(socket, $0, &length) }
        }
        if accepted >= 0 {
            shard.add(accepted, peer: SocketAddress(storage) ?? SocketAddress(ip: .v4(0), port: 0))
            return true
        }
        switch errno {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            warnOfExhaustion()
            pause()
            return false
        case EAGAIN: return false
        // The connection failed before it was accepted; the next one may be fine. On Linux, accept(2) also reports
        // network errors that are already pending on the new socket.
        case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
            ENETUNREACH, EPERM, ETIMEDOUT:
            return true
        case let code:
            shard.logger.error("accepting failed: \(String(cString: strerror(code)))")
            pause()
            return false
        }
    }

    /// Warns only now and then: the shortage may last, and recurs with every descriptor that is freed.
    private func warnOfExhaustion() {
        let now = shard.now()
        guard warnedAt.map({ now - $0 > Self.silence }) ?? true else { return }
        warnedAt = now
        shard.logger.warning("no file descriptor is available for a new connection; it must wait")
    }

    private func pause() {
        if isWatched {
            shard.loop.unwatch(socket)
            isWatched = false
        }
        resumption?.cancel()
        resumption = shard.loop.schedule(after: Self.rest) { [weak self] in self?.resume() }
    }
}
