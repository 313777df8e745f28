import DequeModule
import EventLoops
import Glibc

/// One connection to a server: commands go out, and its replies are handed to those who sent them, in their order.
///
/// Of what comes nothing is believed: a reply that nobody asked for, or what is none, ends it. On the loop only. Once
/// closed, by whomever, it is of no use any more.
final class RedisConnection: EventHandler {
    /// With nil if the connection ends before the reply.
    typealias Answer = (RedisReply?) -> Void

    private struct Call {
        let answer: Answer
        let size: Int
    }

    private let loop: EventLoop
    private let configuration: RedisClient.Configuration
    private let onOpen: () -> Void
    private let onEnd: (String) -> Void
    /// -1 once it is closed.
    private var socket: Int32
    private var isConnecting = true
    private var parser: ReplyParser
    private var calls: Deque<Call> = []
    private var callsBytes = 0
    private var output: [UInt8] = []
    private var written = 0
    /// Whether the socket has to have room before more is written.
    private var isBlocked = false

    /// Told of the messages of a channel that it was subscribed to.
    var listener: (([UInt8]) -> Void)?

    /// Reads in one turn of the loop; each of at most 64 KB.
    private static let readsInTurn = 4
    private static let readSize = 65_536
    /// Memory for output that is kept while nothing is written.
    private static let spareCapacity = 131_072

    /// Begins to connect. Nil when that fails at once.
    ///
    /// - Parameters:
    ///   - onOpen: The connection stands. Called later, on the loop.
    ///   - onEnd: It was refused or has ended, and why, but not by ``close()``. Called once, on the loop, before what waits
    ///     for replies is told.
    init?(
        _ address: HostAddress, _ configuration: RedisClient.Configuration, loop: EventLoop,
        onOpen: @escaping () -> Void, onEnd: @escaping (String) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.onOpen = onOpen
        self.onEnd = onEnd
        parser = ReplyParser(bounds: ReplyParser.Bounds(bytes: configuration.mostReplyBytes))
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        socket = Glibc.socket(address.family, type, 0)
        guard socket >= 0 else { return nil }
        var on: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, socklen_t(MemoryLayout<Int32>.size))
        guard address.connect(socket) == 0 || errno == EINPROGRESS,
            (try? loop.watch(socket, for: .write, handler: self)) != nil
        else {
            close()
            return nil
        }
    }

    deinit {
        // Its loop has been stopped, and watches nothing any more.
        if socket >= 0 { Glibc.close(socket) }
    }

    /// Whether replies are still to come.
    var isOwed: Bool { !calls.isEmpty }

    /// Sends a command; false when so much waits already that it was not taken, and then `answer` is never called.
    ///
    /// - Parameter answer: Called once, on the loop, later.
    func send(_ words: [[UInt8]], answer: @escaping Answer) -> Bool {
        guard socket >= 0, calls.count < configuration.mostPending else { return false }
        let bytes = CommandBytes.of(words)
        // A server may well answer what it has not read: both are bounded.
        let waiting = max(callsBytes, output.count - written)
        guard waiting + bytes.count <= configuration.mostPendingBytes else { return false }
        calls.append(Call(answer: answer, size: bytes.count))
        callsBytes += bytes.count
        output.append(contentsOf: bytes)
        if !isConnecting, !isBlocked { write() }
        return true
    }

    /// Closes it at once; commands that wait are answered with nil, and `onEnd` is not called.
    func close() {
        guard socket >= 0 else { return }
        loop.unwatch(socket)
        Glibc.close(socket)
        socket = -1
        listener = nil
        output = []
        let waiting = calls
        calls = []
        for call in waiting { call.answer(nil) }
    }

    func descriptorIsReady(_ events: Readiness) {
        guard socket >= 0 else { return }
        guard !isConnecting else { return open() }
        if !events.isDisjoint(with: [.readable, .peerFinished, .hungUp, .failed]) { read() }
        // Reading may have ended it.
        if socket >= 0, isBlocked, events.contains(.writable) { write() }
    }

    /// Reads what has come and was not read yet. The connection may be closed after that.
    func takeArrived() {
        if socket >= 0, !isConnecting { read() }
    }

    private func open() {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { return end("the connection was refused: " + String(cString: strerror(code))) }
        isConnecting = false
        watch()
        onOpen()
        if socket >= 0, !output.isEmpty { write() }
    }

    private func end(_ why: String) {
        onEnd(why)
        close()
    }

    // MARK: - Reading

    private func read() {
        for _ in 0..<Self.readsInTurn where socket >= 0 {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.readSize) { room, used in
                count = recv(socket, room.baseAddress, room.count, 0)
                used = max(0, count)
            }
            guard count > 0 else {
                if count < 0, errno == EAGAIN || errno == EINTR { return }
                return end("the connection was closed")
            }
            parser.append(bytes)
            takeReplies()
            if count < Self.readSize { return }
        }
    }

    private func takeReplies() {
        do throws(ReplyFault) {
            while socket >= 0, let reply = try parser.next() { take(reply) }
        } catch {
            end(error.description)
        }
    }

    private func take(_ reply: RedisReply) {
        if let listener, let parts = reply.list, parts.count == 3, parts[0].text == "message" {
            return listener(parts[2].bytes ?? [])
        }
        guard let call = calls.popFirst() else { return end("it says what nobody asked for") }
        callsBytes -= call.size
        call.answer(reply)
    }

    // MARK: - Writing

    /// A connection that fails is found out by reading.
    private func write() {
        while written < output.count {
            let count = output[written...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                written += count
            } else if errno != EINTR {
                break
            }
        }
        if written == output.count {
            output.removeAll(keepingCapacity: output.capacity <= Self.spareCapacity)
            written = 0
        } else if written > output.count / 2 {
            output.removeSubrange(..<written)
            written = 0
        }
        guard isBlocked == output.isEmpty else { return }
        isBlocked = !output.isEmpty
        watch()
    }

    private func watch() {
        // One that cannot be watched ends by the time limits of its greeting and its commands.
        try? loop.rewatch(socket, for: isBlocked ? [.read, .write] : .read)
    }
}
