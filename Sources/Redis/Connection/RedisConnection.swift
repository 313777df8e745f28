import DequeModule
import EventLoops
import Glibc
import TLS

/// One connection to a server, encrypted if it has a TLS session: sends commands, and passes each reply to the sender of
/// its command, in order.
///
/// Input is not trusted: an unexpected or malformed reply ends the connection. On the event loop only. A closed
/// connection cannot be reopened.
final class RedisConnection: EventHandler {
    /// Called with nil if the connection ends before the reply.
    typealias Answer = (RedisReply?) -> Void

    private struct Call {
        let answer: Answer
        let size: Int
    }

    private let loop: EventLoop
    private let configuration: RedisClient.Configuration
    private let tls: TLSSession?
    /// -1 once it is closed.
    private var socket: Int32
    private var state = State.connecting
    private var parser: ReplyParser
    private var calls: Deque<Call> = []
    private var callsBytes = 0
    /// Bytes for the socket, encrypted if there is a TLS session.
    private var output: [UInt8] = []
    private var written = 0
    /// Whether writing must wait until the socket has room.
    private var isBlocked = false

    /// Called later, on the event loop, when commands can be sent.
    var onOpen: () -> Void = {}
    /// Called once, on the event loop, with the reason, if the connection is refused or ends other than by ``close()``;
    /// before waiting commands fail.
    var onEnd: (String) -> Void = { _ in }
    /// Receives the messages of a subscribed channel.
    var listener: (([UInt8]) -> Void)?

    /// The maximum number of reads per iteration of the event loop, and the size of each in bytes.
    private static let readsPerTurn = 4
    private static let readSize = 65_536
    /// The largest output buffer, in bytes, that is kept while there is nothing to send.
    private static let spareCapacity = 131_072
    private static let closed = "the connection was closed"

    private enum State {
        case connecting
        /// Skipped without TLS.
        case handshaking
        case open
    }

    /// Why a connection cannot even be attempted.
    struct ConnectError: Error {
        let reason: String

        init(code: Int32) { reason = "the connection could not be opened: " + String(cString: strerror(code)) }
    }

    /// Starts to connect.
    ///
    /// - Throws: ``ConnectError`` if that fails at once.
    init(
        _ address: HostAddress, _ configuration: RedisClient.Configuration, tls: TLSSession? = nil, loop: EventLoop
    ) throws(ConnectError) {
        self.loop = loop
        self.configuration = configuration
        self.tls = tls
        parser = ReplyParser(bounds: ReplyParser.Bounds(bytes: configuration.maximumReplyBytes))
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        socket = Glibc.socket(address.family, type, 0)
        guard socket >= 0 else { throw ConnectError(code: errno) }
        var on: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, socklen_t(MemoryLayout<Int32>.size))
        guard address.connect(socket) == 0 || errno == EINPROGRESS,
            (try? loop.watch(socket, for: .write, handler: self)) != nil
        else {
            let code = errno
            close()
            throw ConnectError(code: code)
        }
    }

    deinit {
        // The event loop has been stopped, so nothing is watched any more.
        if socket >= 0 { Glibc.close(socket) }
    }

    /// Whether the connection is established but the TLS handshake is not complete.
    var isHandshaking: Bool { state == .handshaking }
    /// Whether replies are still due.
    var isOwed: Bool { !calls.isEmpty }

    /// Sends a command, once the connection is open. Returns false if too much is waiting already; `answer` is then
    /// never called.
    ///
    /// - Parameter answer: Called once, later, on the event loop.
    func send(_ words: [[UInt8]], answer: @escaping Answer) -> Bool {
        guard socket >= 0, state == .open, calls.count < configuration.maximumPending else { return false }
        let bytes = CommandBytes.of(words)
        // A server may reply to commands that it has not read, so both queues are bounded.
        let waiting = max(callsBytes, output.count - written)
        guard waiting + bytes.count <= configuration.maximumPendingBytes else { return false }
        do throws(TLSError) {
            try queue(bytes)
        } catch {
            // The event loop reads the end, also if nothing more arrives.
            Glibc.shutdown(socket, Int32(SHUT_RDWR))
            return false
        }
        calls.append(Call(answer: answer, size: bytes.count))
        callsBytes += bytes.count
        if !isBlocked { write() }
        return true
    }

    /// Closes the connection at once. Waiting commands get nil as their reply, and `onEnd` is not called.
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
        guard state != .connecting else { return connected() }
        if !events.isDisjoint(with: [.readable, .peerFinished, .hungUp, .failed]) { read() }
        // Reading may have closed the connection.
        if socket >= 0, isBlocked, events.contains(.writable) { write() }
    }

    /// Reads data that has arrived and was not read yet. The connection may be closed afterwards.
    func takeArrived() {
        if socket >= 0, state != .connecting { read() }
    }

    private func connected() {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { return end("the connection was refused: " + String(cString: strerror(code))) }
        state = .handshaking
        watch()
        do throws(TLSError) { try continueHandshake() } catch { end(error.description) }
    }

    /// Continues the handshake, if there is one.
    private func continueHandshake() throws(TLSError) {
        defer { flush() }
        guard try tls?.handshake() ?? true else { return }
        state = .open
        onOpen()
    }

    private func end(_ why: String) {
        guard socket >= 0 else { return }
        onEnd(why)
        close()
    }

    // MARK: - Reading

    private func read() {
        for _ in 0..<Self.readsPerTurn where socket >= 0 {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.readSize) { room, used in
                count = recv(socket, room.baseAddress, room.count, 0)
                used = max(0, count)
            }
            guard count > 0 else {
                if count < 0, errno == EAGAIN || errno == EINTR { return }
                return end(Self.closed)
            }
            take(bytes)
            if count < Self.readSize { return }
        }
    }

    private func take(_ bytes: [UInt8]) {
        guard let tls else {
            parser.append(bytes)
            return takeReplies()
        }
        tls.receive(bytes)
        do throws(TLSError) {
            if state == .handshaking { try continueHandshake() }
            defer { flush() }
            while socket >= 0, state == .open, case let decrypted = try tls.read(), !decrypted.isEmpty {
                parser.append(decrypted)
                takeReplies()
            }
            if tls.isEnded, socket >= 0 { end(Self.closed) }
        } catch {
            flush()
            end(error.description)
        }
    }

    private func takeReplies() {
        do throws(ReplyError) {
            while socket >= 0, let reply = try parser.next() { take(reply) }
        } catch {
            end(error.description)
        }
    }

    private func take(_ reply: RedisReply) {
        if let listener, let parts = reply.list, parts.count == 3, parts[0].text == "message" {
            return listener(parts[2].bytes ?? [])
        }
        guard let call = calls.popFirst() else { return end("it sent an unexpected message") }
        callsBytes -= call.size
        call.answer(reply)
    }

    // MARK: - Writing

    private func queue(_ bytes: [UInt8]) throws(TLSError) {
        guard let tls else { return output.append(contentsOf: bytes) }
        try tls.write(bytes)
        output.append(contentsOf: tls.takeOutput())
    }

    /// Sends what the TLS session produced on its own, such as handshake messages and alerts.
    private func flush() {
        guard socket >= 0, let tls else { return }
        output.append(contentsOf: tls.takeOutput())
        // A server may ask for new keys over and over, and never read the answers.
        guard output.count - written <= configuration.maximumPendingBytes + Self.readSize else {
            return end("it does not read what it asked for")
        }
        if !output.isEmpty, !isBlocked { write() }
    }

    /// Errors are left to `read()`, which detects a failed connection.
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
        // If the descriptor cannot be watched, timeouts of the greeting and of commands end the connection.
        try? loop.rewatch(socket, for: isBlocked ? [.read, .write] : .read)
    }
}
