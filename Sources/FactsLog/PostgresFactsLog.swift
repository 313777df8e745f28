public import Catalog
import Dispatch
public import EventLoops
import Images
import Locking
public import Logging
public import Postgres

/// What the nodes of a gallery learn of its pictures, as a log in one PostgreSQL that each of them follows.
///
/// No reading of the gallery ever waits for it: each node has its own index, into which it takes what the others tell. While
/// the database is away a node goes on alone and says so; what it learns meanwhile stands in its ledger, and is told when
/// the database is there again.
public actor PostgresFactsLog: FactsSharing {
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let connector: PostgresConnector
    let gallery: String
    /// Tells what this node has told from what others have.
    let node = Int64.random(in: .min ... .max)
    let pace: Pace
    let logger: Logger
    private let news: SteadyNews
    let bell: Bell
    let figures = Guarded(Status())
    /// Where the ledger is read and written, for that blocks.
    private let desk = DispatchQueue(label: "tessera.facts.ledger")
    private var following: Task<Void, Never>?
    private var isStopped = false
    var ledger: (any FactsLedger)?
    var phase = Phase.unknown
    /// Hears of listings; and which it has heard of, by their sources.
    var hearing: (any ListingHearing)?
    var heardOf: (log: String, listings: [String: Int64]) = ("", [:])
    /// Whether there may be parts of listings in the database that nobody needs.
    var hasOldParts = true
    /// This node's own that are not whole.
    var underWay: [SharedListing] = []
    /// The connection, also while not all is heard yet; and who waits until it is known whether there is one.
    var reach = Reach.unknown
    var callers: [CheckedContinuation<Void, Never>] = []
    /// What this node has been granted and has not told yet, since when.
    var granted: [ImageContent: ContinuousClock.Instant] = [:]
    /// Claims that wait until it is known what others have told.
    var claims: [Claim] = []
    /// Whether something may have come to be told.
    var hasUntold = true

    struct Claim {
        let contents: [ImageContent]
        let answer: @Sendable (Set<ImageContent>) -> Void
    }

    enum Phase {
        /// Not tried yet, or not all is heard yet that others have told.
        case unknown
        case away
        case current(LogSession)
    }

    enum Reach {
        case unknown
        case away
        case there(LogSession)
    }

    /// How often, how long and how much.
    public struct Pace: Sendable {
        /// How often it is looked whether others have told something, where nobody says so.
        public var look: Duration = .seconds(1)
        /// How long one statement may take. A database that hangs is away after this and one ``look``.
        public var answer: Duration = .seconds(2)
        /// The pause before the first attempt to connect anew; it doubles with each one in vain.
        public var firstPause: Duration = .milliseconds(100)
        /// The longest pause: what is back is found within it.
        public var longestPause: Duration = .seconds(2)
        /// Images of which something is told, or heard, at once.
        public var batch = 500
        /// What was granted so long ago, and not told, is for others.
        public var patience: Duration = .seconds(120)
        /// Pictures that this node has been granted and has not told of, at once: each is a lock in the database.
        public var mostGranted = 500
        /// Who lists a source and has not said for so long that it goes on has lost its turn.
        public var turn: Duration = .seconds(10)

        public init() {}
    }

    /// How it fares.
    public struct Status: Hashable, Sendable {
        public var isConnected = false
        /// Whether all is heard that was told before a moment ago.
        public var isCurrent = false
        public var timesAway = 0
        public var told = 0
        public var heard = 0
        /// Of so many images something is to be told.
        public var untold = 0
        public var granted = 0
        /// Listings of sources that this node began for all, and those of others that it read.
        public var listed = 0
        public var listingsRead = 0
    }

    /// - Parameters:
    ///   - gallery: A name that all nodes of this gallery have, and no other gallery in the same database.
    /// - Throws: an error of the loop when the process has no descriptors left.
    public init(_ address: PostgresAddress, gallery: String, pace: Pace = Pace(), logger: Logger) throws {
        loop = try EventLoop(label: "tessera.postgres")
        connector = try PostgresConnector(address, loop: loop)
        self.gallery = gallery
        self.pace = pace
        self.logger = logger
        bell = Bell(loop: loop)
        let place: Logger.Metadata = ["address": "\(address)"]
        news = SteadyNews(loop: loop) { presence in
            switch presence {
            case .connected: logger.notice("PostgreSQL is there.", metadata: place)
            case .away(let reason):
                logger.warning(
                    "PostgreSQL is away; this node goes on alone.",
                    metadata: place.merging(["reason": "\(reason)"]) { $1 })
            }
        }
    }

    /// From any thread; costs next to nothing.
    public nonisolated var status: Status { figures.withLock(\.self) }

    /// Begins to connect, and goes on until ``stop()``; returns at once.
    ///
    /// - Parameter hearing: hears of listings that others have made.
    public func start(_ ledger: any FactsLedger, hearing: (any ListingHearing)? = nil) {
        guard following == nil, !isStopped else { return }
        self.ledger = ledger
        self.hearing = hearing
        following = Task { await follow() }
    }

    /// Tells what was learnt so far, as far as that goes within the time of one statement, and closes the connection.
    public func stop() async {
        isStopped = true
        bell.ring()
        let timer = loop.schedule(after: pace.answer) { [connector] in connector.close() }
        await following?.value
        timer.cancel()
        reached(.away)
        ledger = nil
        hearing = nil
        await loop.stop()
    }

    // MARK: - Connections

    private func follow() async {
        var failures = 0
        while !isStopped {
            let began = ContinuousClock.now
            do {
                let connection = try await connector.connect()
                connection.follow(onEnd: { [bell] _ in bell.ring() }, onNotice: { [bell] _ in bell.ring() })
                defer { connection.close() }
                try await live(LogSession(connection, gallery: gallery, node: node, pace: pace))
            } catch {
                failures = ContinuousClock.now - began < .seconds(5) ? failures + 1 : 1
                away(because: "\(error)")
            }
            guard !isStopped else { break }
            let nominal = min(pace.firstPause * (1 << min(failures, 16)), pace.longestPause)
            await sleep(nominal / 2 + nominal / 2 * Double.random(in: 0...1))
            if hasUntold, let ledger, let count = try? await atDesk({ try ledger.countUntold() }) {
                hasUntold = false
                figures.withLock { $0.untold = count }
            }
        }
        away(because: "this node has ended")
    }

    /// The connection of this session is used no more, and what it held is free.
    func end(_ session: LogSession) {
        session.connection.close()
        bell.ring()
    }

    /// Pauses for all of this time, unless it is to stop.
    private func sleep(_ time: Duration) async {
        let end = ContinuousClock.now + time
        while !isStopped, ContinuousClock.now < end { await bell.wait(upTo: end - .now) }
    }

    /// Follows the log, and tells what is learnt here, until the connection ends or it is to stop.
    private func live(_ session: LogSession) async throws {
        guard let ledger else { return }
        let session = try await session.begun()
        figures.withLock { $0.isConnected = true }
        news.changed(.connected)
        reached(.there(session))
        var position: Position?
        while !isStopped {
            do {
                let (next, hasMore) = try await hear(session, ledger, after: position)
                position = next
                guard !hasMore else { continue }
                await becomeCurrent(session)
                try await hearOfListings(session)
                let toldMore = try await tell(session, ledger)
                try await releaseOld(session)
                if !toldMore, !isStopped { await bell.wait(upTo: pace.look) }
            } catch is LedgerError {
                position = nil
            } catch is LedgerTrouble {
                goAlone()
                await sleep(pace.look)
            }
        }
        _ = try? await tell(session, ledger)
        for listing in underWay { try? await session.giveUp(listing) }
    }

    private func becomeCurrent(_ session: LogSession) async {
        if case .current = phase { return }
        phase = .current(session)
        figures.withLock { $0.isCurrent = true }
        let waiting = claims
        claims = []
        for claim in waiting { await answer(claim) }
    }

    private func away(because reason: String) {
        phase = .away
        reached(.away)
        granted = [:]
        figures.withLock { figures in
            if figures.isConnected { figures.timesAway += 1 }
            (figures.isConnected, figures.isCurrent) = (false, false)
        }
        if !isStopped { news.changed(.away(reason)) }
        goAlone()
    }

    /// Who waits for an answer has it: nobody can be asked.
    private func goAlone() {
        let waiting = claims
        claims = []
        for claim in waiting { claim.answer(Set(claim.contents)) }
    }

    /// Has the ledger be read or written, which blocks.
    ///
    /// - Throws: `LedgerError`; ``LedgerTrouble`` where its disk fails.
    func atDesk<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            desk.async { continuation.resume(returning: Result { try body() }) }
        }
        do {
            return try result.get()
        } catch let error as LedgerError {
            throw error
        } catch {
            throw LedgerTrouble()
        }
    }
}

/// The ledger can be neither read nor written now.
struct LedgerTrouble: Error {}
