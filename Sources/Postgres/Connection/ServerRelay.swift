import EventLoops
import Glibc

/// Stands between libpq and the server, so that libpq cannot read more than it should: it reads for as long as bytes
/// arrive, and makes room for messages of any length, up to 1 GB for one row. In place of the server's socket it gets
/// one end of a pair of sockets, under the same number; the relay has the other end and passes bytes on in both
/// directions. So it works with TLS as well, which libpq speaks through it.
///
/// On the event loop only.
final class ServerRelay {
    /// How many bytes are read at once in each direction.
    private static let pieceSize = 64 << 10

    private let loop: EventLoop
    private let server: Flow
    private let client: Flow
    /// Distinguishes libpq's end from other descriptors that have had the same number.
    private let inode: ino_t
    /// Counts bytes of the server. Returns false if there are too many; then the relay has been closed.
    private let received: (Int) -> Bool
    private var isClosed = false

    /// One of the two sockets, and what has been read from it but not been written to the other one.
    private final class Flow: EventHandler {
        let descriptor: Int32
        var pending: ArraySlice<UInt8> = []
        var hasEnded = false
        var interest: Interest?
        weak var relay: ServerRelay?

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }

        func descriptorIsReady(_ events: Readiness) { relay?.pass() }
    }

    /// Replaces a socket that libpq has connected. Nil if that fails, for instance because the process has no
    /// descriptors left.
    init?(replacing descriptor: Int32, on loop: EventLoop, received: @escaping (Int) -> Bool) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        let server = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        var status = stat()
        guard server >= 0, fstat(ends[0], &status) == 0, dup2(ends[0], descriptor) == descriptor else {
            for end in ends + [server] where end >= 0 { Glibc.close(end) }
            return nil
        }
        Glibc.close(ends[0])
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.loop = loop
        self.received = received
        inode = status.st_ino
        (self.server, client) = (Flow(server), Flow(ends[1]))
        self.server.relay = self
        client.relay = self
        watch()
    }

    deinit {
        // The event loop has been stopped, or `close` was called.
        guard !isClosed else { return }
        Glibc.close(server.descriptor)
        Glibc.close(client.descriptor)
    }

    /// Whether libpq's socket is this relay's end.
    func serves(_ descriptor: Int32) -> Bool {
        var status = stat()
        return !isClosed && fstat(descriptor, &status) == 0 && status.st_ino == inode
    }

    /// Closes both sockets, after libpq's last words have been passed on as far as the server takes them.
    func close() {
        guard !isClosed else { return }
        pass(from: client, to: server, counting: { _ in true })
        isClosed = true
        for flow in [server, client] {
            if flow.interest != nil { loop.unwatch(flow.descriptor) }
            Glibc.close(flow.descriptor)
        }
    }

    private func pass() {
        guard !isClosed else { return }
        pass(from: client, to: server, counting: { _ in true })
        guard pass(from: server, to: client, counting: received), !isClosed else { return }
        watch()
    }

    /// Passes one piece on. The end of a stream is passed on as well: libpq then says that the server has closed the
    /// connection.
    ///
    /// - Returns: False if the bytes were too many.
    @discardableResult
    private func pass(from source: Flow, to target: Flow, counting: (Int) -> Bool) -> Bool {
        if source.pending.isEmpty, !source.hasEnded {
            let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
                let read = recv(source.descriptor, buffer.baseAddress, buffer.count, 0)
                source.hasEnded = read == 0 || read < 0 && !Self.isTemporary(errno)
                count = max(0, read)
            }
            guard counting(piece.count) else { return false }
            source.pending = piece[...]
        }
        if !source.pending.isEmpty {
            let count = source.pending.withUnsafeBytes { bytes in
                send(target.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { source.pending = source.pending.dropFirst(count) }
            if count < 0, !Self.isTemporary(errno) { (source.pending, source.hasEnded) = ([], true) }
        }
        if source.hasEnded, source.pending.isEmpty { shutdown(target.descriptor, Int32(SHUT_WR)) }
        return true
    }

    private static func isTemporary(_ code: Int32) -> Bool { [EAGAIN, EINTR].contains(code) }

    /// Waits for what the next step needs. Level-triggered, because one step passes one piece.
    private func watch() {
        for (flow, other) in [(server, client), (client, server)] {
            var interest: Interest = []
            if flow.pending.isEmpty, !flow.hasEnded { interest.insert(.read) }
            if !other.pending.isEmpty { interest.insert(.write) }
            guard flow.interest != interest else { continue }
            // A socket that cannot be watched makes the query time out.
            if flow.interest != nil { loop.unwatch(flow.descriptor) }
            flow.interest = nil
            guard !interest.isEmpty else { continue }
            flow.interest = (try? loop.watch(flow.descriptor, for: interest, handler: flow)).map { interest }
        }
    }
}
