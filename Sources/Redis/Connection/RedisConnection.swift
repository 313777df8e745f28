import CHiredis
import EventLoops
import Glibc

/// hiredis' asynchronous context on an event loop: hiredis says what its socket waits for, the loop says when it has come.
///
/// On the loop only. Once closed, by whomever, it is of no use any more.
final class RedisConnection: EventHandler {
    typealias Answer = (RedisReply?) -> Void

    private let loop: EventLoop
    private var context: UnsafeMutablePointer<redisAsyncContext>?
    private var descriptor: Int32 = -1
    private var interest: Interest = []
    private var isWatched = false
    private let onOpen: (RedisConnection) -> Void
    private let onEnd: (RedisConnection) -> Void
    /// Told of every message of a subscription; kept here because hiredis calls it any number of times.
    private var listener: Listener?

    /// Begins to connect to a numeric address. Nil when that fails at once.
    ///
    /// - Parameters:
    ///   - onOpen: The connection stands. Called later, on the loop.
    ///   - onEnd: It was refused or has ended, but not by ``close()``. Called once, on the loop.
    init?(
        address: String, port: UInt16, loop: EventLoop, onOpen: @escaping (RedisConnection) -> Void,
        onEnd: @escaping (RedisConnection) -> Void
    ) {
        self.loop = loop
        self.onOpen = onOpen
        self.onEnd = onEnd
        guard let context = redisAsyncConnect(address, Int32(port)) else { return nil }
        guard context.pointee.err == 0 else {
            redisAsyncFree(context)
            return nil
        }
        self.context = context
        descriptor = Int32(context.pointee.c.fd)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        install(in: context)
        redisEnableKeepAlive(&context.pointee.c)
    }

    deinit {
        precondition(context == nil, "a connection must be closed on its loop")
    }

    var isOpen: Bool { context != nil }

    /// Sends a command; false if it was not taken, and then `answer` is never called.
    ///
    /// - Parameter answer: Called once, on the loop; with nil if the connection ends before.
    func send(_ words: [[UInt8]], answer: @escaping Answer) -> Bool {
        let call = Unmanaged.passRetained(Call(answer))
        let isTaken = submit(words, call.toOpaque()) { _, reply, call in
            guard let call else { return }
            Unmanaged<Call>.fromOpaque(call).takeRetainedValue().answer(RedisConnection.reply(reply))
        }
        if !isTaken { call.release() }
        return isTaken
    }

    /// Subscribes to a channel; false if that was not taken. The connection is of no other use from then on.
    ///
    /// - Parameter message: Called with each message, and with nil when the server has taken the subscription.
    func subscribe(to channel: String, message: @escaping ([UInt8]?) -> Void) -> Bool {
        let listener = Listener(message)
        self.listener = listener
        let words = ["SUBSCRIBE", channel].map { Array($0.utf8) }
        return submit(words, Unmanaged.passUnretained(listener).toOpaque()) { _, reply, listener in
            guard let listener, let parts = RedisConnection.reply(reply)?.list, parts.count == 3 else { return }
            let message = Unmanaged<Listener>.fromOpaque(listener).takeUnretainedValue().message
            switch parts[0].text {
            case "subscribe": message(nil)
            case "message": message(parts[2].bytes ?? [])
            default: break
            }
        }
    }

    /// Closes it at once; commands that wait are answered with nil, and `onEnd` is not called.
    func close() {
        guard let context else { return }
        forget()
        // Within one of its callbacks hiredis frees it only after that, when this object may be gone.
        context.pointee.data = nil
        context.pointee.ev.data = nil
        context.pointee.ev.addRead = nil
        context.pointee.ev.delRead = nil
        context.pointee.ev.addWrite = nil
        context.pointee.ev.delWrite = nil
        context.pointee.ev.cleanup = nil
        redisAsyncFree(context)
    }

    func descriptorIsReady(_ events: Readiness) {
        if !events.isDisjoint(with: [.readable, .peerFinished, .hungUp, .failed]), let context {
            redisAsyncHandleRead(context)
        }
        // Reading may have ended it.
        if events.contains(.writable), let context { redisAsyncHandleWrite(context) }
    }

    // MARK: - hiredis

    private final class Call {
        let answer: Answer
        init(_ answer: @escaping Answer) { self.answer = answer }
    }

    private final class Listener {
        let message: ([UInt8]?) -> Void
        init(_ message: @escaping ([UInt8]?) -> Void) { self.message = message }
    }

    private static func reply(_ pointer: UnsafeMutableRawPointer?) -> RedisReply? {
        pointer.map { RedisReply(UnsafePointer($0.assumingMemoryBound(to: redisReply.self))) }
    }

    private func submit(
        _ words: [[UInt8]], _ data: UnsafeMutableRawPointer,
        _ function:
            @convention(c) (
                UnsafeMutablePointer<redisAsyncContext>?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
            ) -> Void
    ) -> Bool {
        guard let context else { return false }
        // One piece of memory for all words: hiredis copies them before it returns.
        let joined = words.flatMap { $0 }
        let lengths = words.map(\.count)
        return joined.withUnsafeBytes { bytes in
            let begin = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            var offset = 0
            var starts: [UnsafePointer<CChar>?] = lengths.map { length in
                defer { offset += length }
                return begin.map { $0 + offset }
            }
            return redisAsyncCommandArgv(context, function, data, Int32(words.count), &starts, lengths) == REDIS_OK
        }
    }

    /// The context's pointers to this object are good for as long as the context lives: it is freed by ``close()``, which
    /// the owner calls before it lets go, or by hiredis, which says so by `cleanup`.
    private func install(in context: UnsafeMutablePointer<redisAsyncContext>) {
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.data = pointer
        context.pointee.ev.data = pointer
        context.pointee.ev.addRead = { RedisConnection.of($0)?.want(.read, true) }
        context.pointee.ev.delRead = { RedisConnection.of($0)?.want(.read, false) }
        context.pointee.ev.addWrite = { RedisConnection.of($0)?.want(.write, true) }
        context.pointee.ev.delWrite = { RedisConnection.of($0)?.want(.write, false) }
        context.pointee.ev.cleanup = { RedisConnection.of($0)?.ended() }
        redisAsyncSetConnectCallback(context) { context, status in
            guard status == REDIS_OK, let connection = RedisConnection.of(context?.pointee.data) else { return }
            connection.onOpen(connection)
        }
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> RedisConnection? {
        pointer.map { Unmanaged<RedisConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    private func want(_ what: Interest, _ isWanted: Bool) {
        let before = interest
        if isWanted { interest.insert(what) } else { interest.remove(what) }
        guard context != nil, interest != before || !isWatched else { return }
        if isWatched {
            try? loop.rewatch(descriptor, for: interest)
        } else {
            // One that cannot be watched ends by the time limits of its greeting and its commands.
            isWatched = (try? loop.watch(descriptor, for: interest, handler: self)) != nil
        }
    }

    private func forget() {
        context = nil
        if isWatched { loop.unwatch(descriptor) }
        isWatched = false
    }

    /// hiredis is about to free the context of its own accord, and closes the descriptor after this.
    private func ended() {
        guard context != nil else { return }
        forget()
        // What its commands are answered comes in this turn of the loop still: the end is told after.
        loop.schedule(after: .zero) { self.onEnd(self) }
    }
}
