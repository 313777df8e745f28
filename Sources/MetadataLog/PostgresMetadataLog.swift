public import Catalog
import Dispatch
public import EventLoops
import Images
import Locking
public import Logging
public import Metrics
public import Postgres

/// Shares metadata among the nodes of a gallery, as a log in a PostgreSQL database that each node follows.
///
/// No read of the gallery ever waits for the database: each node has its own index, into which it copies the metadata
/// of the others. While the database is away, a node continues alone and logs that. The metadata it reads meanwhile
/// stays in its outbox, and is published when the database is back.
public actor PostgresMetadataLog: MetadataSharing {
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let connector: PostgresConnector
    let gallery: String
    /// Distinguishes metadata published by this node from that of others.
    let node = Int64.random(in: .min ... .max)
    let pace: Pace
    let logger: Logger
    private let connectionMonitor: ConnectionMonitor
    let wakeSignal: WakeSignal
    let figures = Guarded(Status())
    /// The queue for the outbox, whose calls block.
    private let outboxQueue = DispatchQueue(label: "tessera.facts.ledger")
    private var following: Task<Void, Never>?
    private var isStopped = false
    var outbox: (any MetadataOutbox)?
    var phase = Phase.unknown
    /// Receives complete listings.
    var listingReceiver: (any ListingReceiving)?
    var knownListings: (log: String, listings: [String: Int64]) = ("", [:])
    /// Whether the database may contain parts of listings that nobody needs any more.
    var hasOldParts = true
    /// This node's own incomplete listings.
    var ownListings: [SharedListing] = []
    /// The connection, available even before all metadata has been read, and callers waiting to know whether there is
    /// one.
    var connectivity = Connectivity.unknown
    var connectionWaiters: [CheckedContinuation<Void, Never>] = []
    /// Contents that were granted to this node and not published yet, with the time of the grant.
    var granted: [ImageContent: ContinuousClock.Instant] = [:]
    /// Claims that wait until all metadata of other nodes has been read.
    var claims: [Claim] = []
    /// Whether the outbox may contain something to publish.
    var hasUnpublished = true

    struct Claim {
        let contents: [ImageContent]
        let answer: @Sendable (Set<ImageContent>) -> Void
    }

    enum Phase {
        /// Not connected yet, or not all metadata of other nodes has been read yet.
        case unknown
        case disconnected
        case current(LogSession)
    }

    enum Connectivity {
        case unknown
        case disconnected
        case connected(LogSession)
    }

    /// Intervals, timeouts and limits.
    public struct Pace: Sendable {
        /// The interval for reading the log if no notification arrives.
        public var pollInterval: Duration = .seconds(1)
        /// The timeout of one statement. A database that hangs counts as away after this time plus one
        /// ``pollInterval``.
        public var statementTimeout: Duration = .seconds(2)
        /// The pause before the first reconnection attempt; doubles with each failure.
        public var firstPause: Duration = .milliseconds(100)
        /// The longest pause between attempts: a database that is back is found within it.
        public var longestPause: Duration = .seconds(2)
        /// The number of images whose metadata is published or read at once.
        public var batch = 500
        /// Claims granted longer ago than this without a result are released.
        public var claimLifetime: Duration = .seconds(120)
        /// The maximum number of contents granted to this node at a time: each is a lock in the database.
        public var maximumGranted = 500
        /// A listing lease expires if its node does not renew it within this time.
        public var leaseTime: Duration = .seconds(10)

        public init() {}
    }

    /// The state of the connection, and counters since the start.
    public struct Status: Hashable, Sendable, MetricsReporting {
        public var isConnected = false
        /// Why PostgreSQL cannot be used now, for anyone; nil while it is connected, and if the reason is only for the log.
        public var reason: String?
        /// Whether this node has read everything that other nodes had published up to a moment ago.
        public var isCurrent = false
        public var disconnections = 0
        public var published = 0
        public var received = 0
        public var unpublished = 0
        public var granted = 0
        /// The number of listings that this node began for all nodes, and of other nodes' listings that it read.
        public var listed = 0
        public var listingsRead = 0

        public static let metrics: [Metric<Status>] = [
            .gauge("connected", "1 while PostgreSQL can be reached.") { $0.isConnected ? 1 : 0 },
            .gauge("current", "1 while this node knows what the other nodes have learnt.") { $0.isCurrent ? 1 : 0 },
            .counter("disconnections", "Times that the connection to PostgreSQL was lost.", \.disconnections),
            .counter("published", "Images whose metadata this node has shared.", \.published),
            .counter("received", "Images whose metadata this node has received from other nodes.", \.received),
            .gauge("unpublished", "Images whose metadata this node has yet to share.", \.unpublished),
            .counter("granted", "Files that were assigned to this node for reading their metadata.", \.granted),
            .counter("listed", "Bucket listings that this node made for all nodes.", \.listed),
            .counter("listingsRead", "Bucket listings that this node took from another node.", \.listingsRead),
        ]
    }

    /// - Parameters:
    ///   - gallery: A name shared by all nodes of this gallery, and by no other gallery in the same database.
    /// - Throws: An error of the event loop if the process has no descriptors left.
    public init(_ address: PostgresAddress, gallery: String, pace: Pace = Pace(), logger: Logger) throws {
        loop = try EventLoop(label: "tessera.postgres")
        connector = try PostgresConnector(address, loop: loop)
        self.gallery = gallery
        self.pace = pace
        self.logger = logger
        wakeSignal = WakeSignal(loop: loop)
        let place: Logger.Metadata = ["address": "\(address)"]
        connectionMonitor = ConnectionMonitor(loop: loop) { report in
            switch report {
            case .connected: logger.notice("PostgreSQL is there.", metadata: place)
            case .lost(let reason):
                logger.warning(
                    "PostgreSQL is unreachable; this node continues on its own.",
                    metadata: place.merging(["reason": "\(reason)"]) { $1 })
            case .stillLost(let reason):
                logger.warning(
                    "PostgreSQL is still unreachable, for a different reason.",
                    metadata: place.merging(["reason": "\(reason)"]) { $1 })
            }
        }
    }

    /// Callable on any thread; costs next to nothing.
    public nonisolated var status: Status { figures.withLock(\.self) }

    /// Starts to connect, and stays active until ``stop()``; returns at once.
    ///
    /// - Parameter listingReceiver: Receives listings made by other nodes.
    public func start(_ outbox: any MetadataOutbox, listingReceiver: (any ListingReceiving)? = nil) {
        guard following == nil, !isStopped else { return }
        self.outbox = outbox
        self.listingReceiver = listingReceiver
        following = Task { await follow() }
    }

    /// Publishes pending metadata, as far as possible within the timeout of one statement, and closes the connection.
    public func stop() async {
        isStopped = true
        wakeSignal.signal()
        let timer = loop.schedule(after: pace.statementTimeout) { [connector] in connector.close() }
        await following?.value
        timer.cancel()
        connectivityChanged(.disconnected)
        outbox = nil
        listingReceiver = nil
        await loop.stop()
    }

    // MARK: - Connections

    private func follow() async {
        var pause = ReconnectionPause(first: pace.firstPause, longest: pace.longestPause)
        while !isStopped {
            let began = ContinuousClock.now
            do {
                let connection = try await connector.connect()
                connection.follow(
                    onEnd: { [wakeSignal] _ in wakeSignal.signal() },
                    onNotice: { [wakeSignal] _ in wakeSignal.signal() })
                defer { connection.close() }
                try await run(LogSession(connection, gallery: gallery, node: node, pace: pace))
            } catch {
                pause.failed(after: ContinuousClock.now - began)
                disconnected(because: "\(error)", publicReason: (error as? PostgresError)?.publicReason)
            }
            guard !isStopped else { break }
            await sleep(pause.next())
            if hasUnpublished, let outbox, let count = try? await onOutboxQueue({ try outbox.countUnpublished() }) {
                hasUnpublished = false
                figures.withLock { $0.unpublished = count }
            }
        }
        disconnected(because: "this node has ended", publicReason: nil)
    }

    /// Closes the connection of this session, which also releases its locks.
    func end(_ session: LogSession) {
        session.connection.close()
        wakeSignal.signal()
    }

    /// Sleeps for this time, or until `stop()`.
    private func sleep(_ time: Duration) async {
        let end = ContinuousClock.now + time
        while !isStopped, ContinuousClock.now < end { await wakeSignal.wait(upTo: end - .now) }
    }

    /// Follows the log and publishes this node's metadata until the connection ends or `stop()` is called.
    private func run(_ session: LogSession) async throws {
        guard let outbox else { return }
        let session = try await session.begun()
        figures.withLock { ($0.isConnected, $0.reason) = (true, nil) }
        connectionMonitor.changed(.connected)
        connectivityChanged(.connected(session))
        var position: Position?
        while !isStopped {
            do {
                let (next, hasMore) = try await receive(session, outbox, after: position)
                position = next
                guard !hasMore else { continue }
                await becomeCurrent(session)
                try await receiveListings(session)
                let publishedMore = try await publish(session, outbox)
                try await releaseOld(session)
                if !publishedMore, !isStopped { await wakeSignal.wait(upTo: pace.pollInterval) }
            } catch is OutboxError {
                position = nil
            } catch is OutboxUnavailable {
                grantWaitingClaims()
                await sleep(pace.pollInterval)
            }
        }
        _ = try? await publish(session, outbox)
        for listing in ownListings { try? await session.giveUp(listing) }
    }

    private func becomeCurrent(_ session: LogSession) async {
        if case .current = phase { return }
        phase = .current(session)
        figures.withLock { $0.isCurrent = true }
        let waiting = claims
        claims = []
        for claim in waiting { await answer(claim) }
    }

    private func disconnected(because reason: String, publicReason: String?) {
        phase = .disconnected
        connectivityChanged(.disconnected)
        granted = [:]
        figures.withLock { figures in
            if figures.isConnected { figures.disconnections += 1 }
            (figures.isConnected, figures.isCurrent, figures.reason) = (false, false, publicReason)
        }
        if !isStopped { connectionMonitor.changed(.disconnected(reason)) }
        grantWaitingClaims()
    }

    /// Grants all waiting claims, because no other node can be asked.
    private func grantWaitingClaims() {
        let waiting = claims
        claims = []
        for claim in waiting { claim.answer(Set(claim.contents)) }
    }

    /// Runs a blocking call to the outbox on its queue.
    ///
    /// - Throws: `OutboxError`; ``OutboxUnavailable`` if the outbox's disk fails.
    func onOutboxQueue<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            outboxQueue.async { continuation.resume(returning: Result { try body() }) }
        }
        do {
            return try result.get()
        } catch let error as OutboxError {
            throw error
        } catch {
            throw OutboxUnavailable()
        }
    }
}

/// The outbox can be neither read nor written now.
struct OutboxUnavailable: Error {}
