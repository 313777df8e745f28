import Accounts
import EventLoops
import Logging
import Postgres

/// Keeps a connection to the library's database, and knows how far this node has read the library. Its methods are called
/// one at a time.
actor LibraryConnection {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let connector: PostgresConnector
    private let gallery: String
    private let pace: PostgresLibrary.Pace
    private let logger: Logger
    private let monitor: ConnectionMonitor
    /// Signals the end of a connection, or of this object.
    private let endSignal: WakeSignal
    private let openSignal: WakeSignal
    private var following: Task<Void, Never>?
    private var isStopped = false
    private var session: LibrarySession?
    /// Why there is no session.
    private var reason = "it has not responded yet"
    private var position: Position?
    /// The change in progress: its session, and how far it has read.
    private var transaction: (session: LibrarySession, position: Position)?
    private var newsObserver: @Sendable () -> Void = {}
    private var timer: LoopTimer?

    struct Position: Sendable {
        let library: String
        let change: Int64
        /// Tells the change from one with this number that was written after a backup had been restored.
        let mark: String
    }

    /// - Throws: An error of the event loop if the process has no descriptors left.
    init(_ address: PostgresAddress, gallery: String, pace: PostgresLibrary.Pace, logger: Logger) throws {
        loop = try EventLoop(label: "tessera.library")
        var configuration = PostgresConnection.Configuration()
        configuration.maximumAnswerBytes = pace.maximumLibraryBytes
        connector = try PostgresConnector(address, configuration: configuration, loop: loop)
        self.gallery = gallery
        self.pace = pace
        self.logger = logger
        endSignal = WakeSignal(loop: loop)
        openSignal = WakeSignal(loop: loop)
        let place: Logger.Metadata = ["address": "\(address)"]
        monitor = ConnectionMonitor(loop: loop) { report in
            switch report {
            case .connected: logger.notice("Connected to the library's database.", metadata: place)
            case .lost(let reason):
                logger.warning(
                    "The library is unreachable, so accounts cannot be changed.",
                    metadata: place.merging(["reason": "\(reason)"]) { $1 })
            case .stillLost(let reason):
                logger.warning(
                    "The library is still unreachable, for a different reason.",
                    metadata: place.merging(["reason": "\(reason)"]) { $1 })
            }
        }
    }

    // MARK: - Connections

    /// Connects, and stays connected until ``stop()``.
    ///
    /// - Throws: `LibraryUnavailable` if that takes longer than this time.
    func start(within time: Duration) async throws {
        following = Task { await follow() }
        let end = ContinuousClock.now + time
        while session == nil, ContinuousClock.now < end { await openSignal.wait(upTo: end - .now) }
        _ = try current()
        tick()
    }

    func stop() async {
        isStopped = true
        newsObserver = {}
        timer?.cancel()
        connector.close()
        endSignal.signal()
        await following?.value
    }

    /// Calls `body` at each notification, and at least once per interval.
    func observe(_ body: @escaping @Sendable () -> Void) { newsObserver = body }

    private func tick() {
        newsObserver()
        timer = loop.schedule(after: pace.pollInterval) { [weak self] in self?.assumeIsolated { $0.tick() } }
    }

    private func follow() async {
        var pause = ReconnectionPause(first: pace.firstPause, longest: pace.longestPause)
        while !isStopped {
            let began = ContinuousClock.now
            do {
                let connection = try await connector.connect()
                var ending: PostgresError?
                connection.follow(
                    onEnd: { [endSignal] reason in
                        ending = reason
                        endSignal.signal()
                    }, onNotice: { [weak self] _ in self?.assumeIsolated { $0.newsObserver() } })
                defer { connection.close() }
                session = try await LibrarySession(connection, gallery: gallery, waiting: pace.statementTimeout).begun()
                monitor.changed(.connected)
                openSignal.signal()
                newsObserver()
                while !isStopped, ending == nil { await endSignal.wait(upTo: .seconds(3_600)) }
                if let ending { throw ending }
            } catch {
                pause.failed(after: ContinuousClock.now - began)
                reason = "\(error)"
                if !isStopped { monitor.changed(.disconnected(reason)) }
            }
            session = nil
            guard !isStopped else { break }
            let end = ContinuousClock.now + pause.next()
            while !isStopped, ContinuousClock.now < end { await endSignal.wait(upTo: end - .now) }
        }
    }

    private func current() throws -> LibrarySession {
        guard let session else { throw LibraryUnavailable(reason) }
        return session
    }

    // MARK: - The library

    /// What this node has not read yet. Handed over again until ``accept(_:)``.
    func news() async throws -> Unaccepted { try await answer { try await self.read(try self.current()) } }

    /// News that this node has not accepted yet.
    struct Unaccepted: Sendable {
        let news: LibraryNews
        let position: Position
    }

    func accept(_ read: Unaccepted) { position = read.position }

    /// Begins a change, which ``write(_:)`` or ``cancel()`` ends, and returns the news.
    func begin() async throws -> LibraryNews {
        let session = try current()
        return try await answer {
            do {
                try await session.lock()
                let read = try await self.read(session)
                self.transaction = (session, read.position)
                return read.news
            } catch {
                try? await session.rollBack()
                throw error
            }
        }
    }

    /// Writes a change that was computed from the news, and accepts these.
    func write(_ change: LibraryChange) async throws {
        guard let (session, read) = transaction else { return }
        transaction = nil
        position = read
        try await answer {
            do {
                guard !change.isEmpty else { return try await session.rollBack() }
                let written = try await session.write(change)
                self.position = Position(library: read.library, change: written.change, mark: written.mark)
            } catch {
                try? await session.rollBack()
                throw error
            }
        }
    }

    func cancel() async {
        guard let (session, _) = transaction else { return }
        transaction = nil
        try? await session.rollBack()
    }

    func audit(before number: Int64?, limit: Int) async throws -> [AuditEntry] {
        let session = try current()
        return try await answer { try await session.audit(before: number, limit: limit) }
    }

    private func read(_ session: LibrarySession) async throws -> Unaccepted {
        if let position, position.library == session.library {
            let received = try await session.records(after: position.change)
            // A database that has lost data knows another change by this number, or none.
            let isAhead = (0..<LibrarySchema.keptChanges).contains(received.change - position.change)
            if isAhead, received.earlierMark == position.mark {
                return unaccepted(received, session, isWhole: false)
            }
        }
        return unaccepted(try await session.records(after: -1), session, isWhole: true)
    }

    private func unaccepted(_ received: LibrarySession.Received, _ session: LibrarySession, isWhole: Bool) -> Unaccepted
    {
        let records = isWhole ? received.records.filter { $0.body != nil } : received.records
        return Unaccepted(
            news: LibraryNews(records: records, isWhole: isWhole, validity: pace.validity),
            position: Position(library: session.library, change: received.change, mark: received.mark))
    }

    /// Turns errors of the database into one of the library.
    private func answer<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as LibraryUnavailable {
            throw error
        } catch {
            if case .refused? = error as? PostgresError {
                logger.warning("PostgreSQL rejected a statement on the library.", metadata: ["reason": "\(error)"])
            }
            throw LibraryUnavailable("\(error)")
        }
    }
}
