import CPostgres
import DequeModule
public import EventLoops

/// One connection to a PostgreSQL, by libpq's asynchronous calls, on an event loop: no call blocks, and none waits longer
/// than it says. Queries are carried out one after the other.
///
///     let connector = try PostgresConnector(try PostgresAddress("postgres://127.0.0.1/gallery"), loop: loop)
///     let connection = try await connector.connect()
///     let rows = try await connection.query("SELECT $1::bigint + 1", ["41"], within: .seconds(1))
///     connection.close()
///
/// A connection that has ended stays so; whoever wants another makes one.
public final class PostgresConnection: EventHandler, @unchecked Sendable {
    // Sendable because everything mutable is touched on `loop` alone.
    let loop: EventLoop
    let configuration: Configuration
    private let password: String?
    private(set) var handle: OpaquePointer?
    private(set) var state = State.connecting
    /// The descriptor that is watched, and for what; libpq may go over to another while it connects.
    private var watched: (descriptor: Int32, interest: Interest)?
    private var timer: LoopTimer?
    private var onOpen: (Result<Void, PostgresError>) -> Void = { _ in }
    private var onEnd: (PostgresError) -> Void = { _ in }
    private var onNotice: (_ channel: String) -> Void = { _ in }
    var waiting: Deque<PostgresCall> = []
    var current: PostgresCall?

    enum State: Hashable {
        case connecting, open
        case ended(PostgresError)
    }

    /// Begins to connect; may be called on the loop only.
    ///
    /// - Parameters:
    ///   - digits: the address of the host, so that nobody looks its name up; nil for a socket in a folder.
    init(_ address: PostgresAddress, digits: String?, _ configuration: Configuration, loop: EventLoop) {
        self.loop = loop
        self.configuration = configuration
        password = address.password
        let settings = address.settings(digits: digits)
        handle = withCStrings(settings.map(\.key) + [nil]) { keys in
            withCStrings(settings.map(\.value) + [nil]) { PQconnectStartParams(keys, $0, 0) }
        }
        // libpq's own writes what it is told to the standard error.
        if let handle { PQsetNoticeReceiver(handle, { _, _ in }, nil) }
        loop.execute { [self] in begin() }
    }

    deinit {
        // Its loop has been stopped, and watches nothing any more.
        if let handle { PQfinish(handle) }
    }

    /// - Parameters:
    ///   - onEnd: Called once, on the loop, when it ends by itself and not by ``close()``; after all that waits was told.
    ///   - onNotice: Called on the loop with the channel of each notification (`NOTIFY`).
    public func follow(onEnd: @escaping (PostgresError) -> Void, onNotice: @escaping (_ channel: String) -> Void) {
        loop.preconditionCurrent()
        if case .ended(let reason) = state { return onEnd(reason) }
        self.onEnd = onEnd
        self.onNotice = onNotice
    }

    /// Closes it at once; what waits fails. On the loop only.
    public func close() {
        onEnd = { _ in }
        end(.away("the connection was closed"))
    }

    /// Comes back when the server has let one in; to be called once.
    func opened(isolation: isolated (any Actor)? = #isolation) async throws {
        let result = await withCheckedContinuation { continuation in
            // It may have ended, or opened, on the way here: the call goes by the loop, and others come before it.
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
        guard let handle, PQstatus(handle) != CONNECTION_BAD else { return end(.away(words)) }
        timer = loop.schedule(after: configuration.greetingTime) { [weak self] in self?.end(.timedOut) }
        watch(for: .write)
    }

    private func poll() {
        // Before the next step, for that may close the descriptor and begin another of the same number.
        unwatch()
        switch PQconnectPoll(handle) {
        case PGRES_POLLING_READING: watch(for: .read)
        case PGRES_POLLING_WRITING: watch(for: .write)
        case PGRES_POLLING_OK: open()
        default: end(.away(words))
        }
    }

    private func open() {
        guard PQsetnonblocking(handle, 1) == 0 else { return end(.away(words)) }
        timer?.cancel()
        state = .open
        watch(for: .read)
        guard state == .open else { return }
        let told = onOpen
        onOpen = { _ in }
        told(.success(()))
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
            guard PQconsumeInput(handle) == 1 else { return end(.away(words)) }
        }
        flush()
        takeAnswers()
        while state == .open, let notice = PQnotifies(handle) {
            let channel = String(cString: notice.pointee.relname)
            PQfreemem(notice)
            onNotice(channel)
        }
    }

    /// Writes what is to be written, as far as the socket takes it.
    func flush() {
        guard state == .open else { return }
        switch PQflush(handle) {
        case 0: watch(for: .read)
        case 1: watch(for: [.read, .write])
        default: end(.away(words))
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
            end(.away("its connection cannot be watched"))
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
        let opening = onOpen
        onOpen = { _ in }
        let calls = [current].compactMap(\.self) + waiting
        current = nil
        waiting = []
        for call in calls { call.end(.failure(reason)) }
        let told = onEnd
        onEnd = { _ in }
        onNotice = { _ in }
        opening(.failure(reason))
        told(reason)
    }

    /// What libpq says of the last failure, in one line, without the password.
    var words: String {
        guard let handle else { return "there is no memory for a connection" }
        return told(String(cString: PQerrorMessage(handle)))
    }

    /// What a server says, fit for the log.
    func told(_ text: String) -> String { ServerWords.told(text, password: password) }
}
