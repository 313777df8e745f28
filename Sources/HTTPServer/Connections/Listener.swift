import CLinux
import EventLoops
import Glibc
import Logging

/// A listening socket on a shard's loop.
///
/// When the process has no descriptors left, accepting rests: a level-triggered socket with a waiting connection would
/// otherwise wake the loop again and again for nothing. Those who wait stay in the backlog.
final class Listener: EventHandler {
    /// Connections taken in a row before others have their turn.
    private static let turn = 64
    private static let rest = Duration.milliseconds(200)
    /// Nanoseconds between two warnings.
    private static let silence: UInt64 = 10_000_000_000

    /// `accept4(2)`, or what a test puts in its place: returns a socket, or -1 with `errno` set.
    typealias Accept = @Sendable (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

    static let accept: Accept = { socket, address, length in
        clinux_accept4(socket, address, length, Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue))
    }

    private let socket: Int32
    private let accept: Accept
    /// Holds on to the listener until it is closed.
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

    /// A connection has closed, so there may be a descriptor again.
    func descriptorWasFreed() {
        if resumption != nil { resume() }
    }

    func descriptorIsReady(_ events: Readiness) {
        for _ in 0..<Self.turn {
            guard acceptOne() else { return }
        }
    }

    /// Takes all connections that wait.
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
        // The connection failed before it was taken; the next one may be well. Linux passes on errors of the network
        // here that are already pending on the new socket (accept(2)).
        case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
            ENETUNREACH, EPERM, ETIMEDOUT:
            return true
        case let code:
            shard.logger.error("accepting failed: \(String(cString: strerror(code)))")
            pause()
            return false
        }
    }

    /// Once in a while: the state may last, and it comes back with each descriptor that is freed.
    private func warnOfExhaustion() {
        let now = shard.now()
        guard warnedAt.map({ now - $0 > Self.silence }) ?? true else { return }
        warnedAt = now
        shard.logger.warning("no descriptor is left for a new connection; it waits")
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
