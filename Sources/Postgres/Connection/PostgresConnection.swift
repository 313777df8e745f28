import CPostgres
import DequeModule
public import EventLoops

/// A connection to a PostgreSQL server on an event loop, using libpq's asynchronous calls. No call blocks, and every
/// wait has a timeout. Queries are executed one after another.
///
///     let connector = try PostgresConnector(try PostgresAddress("postgres://127.0.0.1/gallery"), loop: loop)
///     let connection = try await connector.connect()
///     let rows = try await connection.query("SELECT $1::bigint + 1", ["41"], within: .seconds(1))
///     connection.close()
///
/// A connection that has ended cannot be reopened; make a new one instead.
public final class PostgresConnection: EventHandler, @unchecked Sendable {
    // Sendable because all mutable state is confined to `loop`.
    let loop: EventLoop
    let configuration: Configuration
    private let password: String?
    private(set) var handle: OpaquePointer?
    private(set) var state = State.connecting
    /// The watched descriptor and its interest; libpq may switch to another descriptor while it connects.
    private var watched: (descriptor: Int32, interest: Interest)?
    private var timer: LoopTimer?
    private var relay: ServerRelay?
    var meter: ReceiveMeter
    private var onOpen: (Result<Void, PostgresError>) -> Void = { _ in }
    private var onEnd: (PostgresError) -> Void = { _ in }
    private var onNotice: (_ channel: String) -> Void = { _ in }
    var waiting: Deque<PostgresCall> = []
    var current: PostgresCall?

    /// What a server may send before it accepts the connection; with TLS, a few kilobytes are certificates.
    private static let maximumGreetingBytes = 256 << 10

    enum State: Hashable {
        case connecting, open
        case ended(PostgresError)
    }

    /// Starts to connect. On the event loop only.
    ///
    /// - Parameters:
    ///   - digits: The numeric address of the host, so that libpq looks up no name; nil for a Unix socket.
    init(_ address: PostgresAddress, digits: String?, _ configuration: Configuration, loop: EventLoop) {
        self.loop = loop
        self.configuration = configuration
        password = address.password
        meter = ReceiveMeter(limit: min(Self.maximumGreetingBytes, configuration.maximumMessageBytes))
        let settings = address.settings(digits: digits)
        handle = withCStrings(settings.map(\.key) + [nil]) { keys in
            withCStrings(settings.map(\.value) + [nil]) { PQconnectStartParams(keys, $0, 0) }
        }
        // libpq's default receiver would write notices to standard error.
        if let handle { PQsetNoticeReceiver(handle, { _, _ in }, nil) }
        loop.execute { [self] in begin() }
    }

    deinit {
        // The event loop has been stopped, so nothing is watched any more.
        if let handle { PQfinish(handle) }
    }

    /// - Parameters:
    ///   - onEnd: Called once, on the event loop, after all waiting queries have failed, if the connection ends other
    ///     than by ``close()``.
    ///   - onNotice: Called on the event loop with the channel of each notification (`NOTIFY`).
    public func follow(onEnd: @escaping (PostgresError) -> Void, onNotice: @escaping (_ channel: String) -> Void) {
        loop.preconditionCurrent()
        if case .ended(let reason) = state { return onEnd(reason) }
        self.onEnd = onEnd
        self.onNotice = onNotice
    }

    /// Closes the connection at once; waiting queries fail. On the event loop only.
    public func close() {
        onEnd = { _ in }
        end(.disconnected("the connection was closed"))
    }

    /// Returns when the server has accepted the connection. Call it once.
    func opened(isolation: isolated (any Actor)? = #isolation) async throws {
        let result = await withCheckedContinuation { continuation in
            // The state may have changed before this call: it goes through the event loop, after other jobs.
            switch state {
            case .connecting: onOpen = { continuation.resume(returning: $0) }
            case .open: continuation.resume(returning: .success(()))
            case .ended(let reason): continuation.resume(returning: .failure(reason))
            }
        }
        try result.get()
    }

    // MARK: - Connecting

    private func begin() {
        guard state == .connecting else { return }
        guard let handle, PQstatus(handle) != CONNECTION_BAD else { return end(.disconnected(words)) }
        timer = loop.schedule(after: configuration.greetingTime) { [weak self] in self?.end(.timedOut) }
        guard insertRelay() else { return }
        watch(for: .write)
    }

    private func poll() {
        // Before the next step, which may close the descriptor and open another with the same number.
        unwatch()
        let next = PQconnectPoll(handle)
        guard insertRelay() else { return }
        switch next {
        case PGRES_POLLING_READING: watch(for: .read)
        case PGRES_POLLING_WRITING: watch(for: .write)
        case PGRES_POLLING_OK: open()
        default: end(.disconnected(words))
        }
    }

    /// Puts a relay between libpq and the server once they are connected, before anything has been said. libpq may
    /// connect more than once, for instance again without TLS.
    ///
    /// - Returns: False if the connection has ended, because there is no relay for it.
    private func insertRelay() -> Bool {
        let unconnected = [CONNECTION_BAD, CONNECTION_NEEDED, CONNECTION_STARTED]
        let descriptor = PQsocket(handle)
        guard !unconnected.contains(PQstatus(handle)), descriptor >= 0, relay?.serves(descriptor) != true else {
            return true
        }
        relay?.close()
        relay = ServerRelay(replacing: descriptor, on: loop) { [unowned self] in received($0) }
        if relay == nil { end(.disconnected("there are no descriptors for its connection")) }
        return relay != nil
    }

    private func received(_ count: Int) -> Bool {
        guard !meter.received(count) else { return true }
        end(.disconnected(current == nil ? "it sends more than it was asked for" : "its response is too long"))
        return false
    }

    private func open() {
        guard PQsetnonblocking(handle, 1) == 0 else { return end(.disconnected(words)) }
        timer?.cancel()
        state = .open
        meter.limit = configuration.maximumMessageBytes
        watch(for: .read)
        guard state == .open else { return }
        let completion = onOpen
        onOpen = { _ in }
        completion(.success(()))
        sendNext()
    }

    // MARK: - Watching

    public func descriptorIsReady(_ events: Readiness) {
        switch state {
        case .connecting: poll()
        case .open: read(events)
        case .ended: break
        }
    }

    private func read(_ events: Readiness) {
        if !events.isDisjoint(with: [.readable, .peerFinished, .hungUp, .failed]) {
            guard PQconsumeInput(handle) == 1 else { return end(.disconnected(words)) }
        }
        flush()
        takeAnswers()
        while state == .open, let notice = PQnotifies(handle) {
            let channel = String(cString: notice.pointee.relname)
            meter.explained(MessageSize.ofNotification(notice) + recordSize)
            PQfreemem(notice)
            onNotice(channel)
        }
    }

    /// The bytes that TLS adds to each of the server's replies: the head and the tag of a record (RFC 8446 §5.2).
    var recordSize: Int { PQsslInUse(handle) == 1 ? 32 : 0 }

    /// Sends queued data, as far as the socket accepts it.
    func flush() {
        guard state == .open else { return }
        switch PQflush(handle) {
        case 0: watch(for: .read)
        case 1: watch(for: [.read, .write])
        default: end(.disconnected(words))
        }
    }

    private func watch(for interest: Interest) {
        let descriptor = PQsocket(handle)
        do {
            if let watched, watched.descriptor == descriptor {
                guard watched.interest != interest else { return }
                try loop.rewatch(descriptor, for: interest)
            } else {
                unwatch()
                try loop.watch(descriptor, for: interest, handler: self)
            }
            watched = (descriptor, interest)
        } catch {
            end(.disconnected("its connection cannot be watched"))
        }
    }

    private func unwatch() {
        if let watched { loop.unwatch(watched.descriptor) }
        watched = nil
    }

    // MARK: - The end

    func end(_ reason: PostgresError) {
        loop.preconditionCurrent()
        if case .ended = state { return }
        state = .ended(reason)
        timer?.cancel()
        unwatch()
        if let handle { PQfinish(handle) }
        handle = nil
        relay?.close()
        relay = nil
        let opening = onOpen
        onOpen = { _ in }
        let calls = [current].compactMap(\.self) + waiting
        current = nil
        waiting = []
        for call in calls { call.end(.failure(reason)) }
        let completion = onEnd
        onEnd = { _ in }
        onNotice = { _ in }
        opening(.failure(reason))
        completion(reason)
    }

    /// libpq's message for the last failure, in one line, without the password.
    var words: String {
        guard let handle else { return "there is no memory for a connection" }
        return redacted(String(cString: PQerrorMessage(handle)))
    }

    /// A server's message, fit for the log.
    func redacted(_ text: String) -> String { ServerMessage.redacted(text, password: password) }
}
