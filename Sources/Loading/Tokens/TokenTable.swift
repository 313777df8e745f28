import Clients
import DequeModule
import Images
public import Metrics
import Renditions
import Scheduling

/// All sessions and their tokens, without the work: which token is a slot's current one, who may claim it, and which
/// tokens an event cancels. A pure value.
///
/// Limits protect it against hostile clients: they apply to the sessions and tokens of one client and of all clients,
/// to the live tokens of a session, and to remembered ended tokens. A client over its own limit loses its own sessions.
/// Over a limit for all clients, the client that holds the most loses sessions.
struct TokenTable: Sendable {
    struct Limits: Hashable, Sendable {
        var sessions = 4_096
        var sessionsPerClient = Int.max
        var tokensPerClient = Int.max
        var liveTokensPerSession = 1_024
        var endedTokensPerSession = 1_024
        var tokensInAll = Int.max
    }

    struct Record: Sendable {
        let session: SessionID
        let slot: Int
        let image: ImageID
        /// The rendition for the request with this token; nil for a token without a request.
        let request: LoadRequest?
        var life = TokenLifecycle()
        var isClaimed = false
        /// Why the token failed, for a request that arrives later.
        var failure: LoadFailure?
    }

    enum Claim: Hashable, Sendable {
        case accepted
        case cancelled
        case failed(LoadFailure)
        case refused(ClaimRefusal)
    }

    private struct Session: Sendable {
        /// The client that began the session. The session counts towards this client's limits, whoever uses it.
        let client: Client
        /// Distinguishes a session that was begun again from the earlier one with the same id.
        let generation: UInt64
        var lastUse: Duration
        var current: [Int: Token] = [:]
        var live = IndexedHeap<Token, Age>()
        var ended: Deque<Token> = []
    }

    /// Ranks the oldest first.
    private struct Age: Comparable, Sendable {
        let issue: UInt64
        static func < (left: Age, right: Age) -> Bool { left.issue > right.issue }
    }

    let limits: Limits
    private(set) var statistics = TokenStatistics()
    private var sessions: [SessionID: Session] = [:]
    private(set) var ranking = SessionRanking()
    private var records: [Token: Record] = [:]
    private var issues: UInt64 = 0
    private var generations: UInt64 = 0

    init(limits: Limits) { self.limits = limits }

    var isEmpty: Bool { sessions.isEmpty && records.isEmpty && ranking.isEmpty }
    var sessionCount: Int { sessions.count }
    var recordCount: Int { records.count }

    func record(of token: Token) -> Record? { records[token] }
    /// Nil for an unknown token.
    func phase(of token: Token) -> TokenLifecycle.Phase? { records[token]?.life.phase }
    func contains(_ session: SessionID) -> Bool { sessions[session] != nil }
    /// Nil when the session is not open.
    func generation(of session: SessionID) -> UInt64? { sessions[session]?.generation }
    /// The client that began the session.
    func client(of session: SessionID) -> Client? { sessions[session]?.client }
    func current(of slot: Int, in session: SessionID) -> Token? { sessions[session]?.current[slot] }

    // MARK: - Sessions

    /// Uses a session, or begins one. An unknown id is begun again under the same id: after a restart of the server or
    /// a long idle time, a returning page continues where it was.
    ///
    /// - Returns: The tokens cancelled because other sessions were ended to make room.
    mutating func open(_ session: SessionID, of client: Client, now: Duration) -> [Token] {
        var cancelled: [Token] = []
        if sessions[session] == nil {
            while ranking.sessionCount(of: client) >= max(1, limits.sessionsPerClient),
                let victim = ranking.leastWorth(of: client)
            {
                cancelled += close(victim)
            }
            while sessions.count >= max(1, limits.sessions), let victim = ranking.leastWorth(except: session) {
                cancelled += close(victim)
            }
            generations += 1
            sessions[session] = Session(client: client, generation: generations, lastUse: now)
        }
        touch(session, now: now)
        return cancelled
    }

    /// Ends a session, and cancels and forgets all its tokens.
    mutating func close(_ id: SessionID) -> [Token] {
        guard let session = sessions[id] else { return [] }
        let cancelled = session.live.ids.filter { end($0, .cancelled) }
        for token in session.live.ids { forget(token, of: session.client) }
        for token in session.ended { forget(token, of: session.client) }
        sessions[id] = nil
        ranking.remove(id, of: session.client)
        return cancelled
    }

    /// Closes the least recently used session if its last use was before `moment`; otherwise returns nil.
    mutating func closeIdle(before moment: Duration) -> [Token]? {
        guard let idlest = ranking.idlest, idlest.lastUse < moment else { return nil }
        return close(idlest.id)
    }

    /// Counts as a use of the session; does nothing when it is not open.
    mutating func touch(_ id: SessionID, now: Duration) {
        guard let before = sessions[id]?.lastUse, let client = sessions[id]?.client else { return }
        let hasLive = sessions[id]?.live.isEmpty == false
        let lastUse = max(before, now)
        sessions[id]?.lastUse = lastUse
        ranking.set(id, of: client, hasLive: hasLive, lastUse: lastUse)
    }

    private mutating func forget(_ token: Token, of client: Client) {
        if records.removeValue(forKey: token) != nil { ranking.count(-1, of: client) }
    }

    // MARK: - Tokens

    /// Makes `token` the current one of a slot in an open session.
    ///
    /// - Returns: The tokens that this cancels: the slot's previous one, and the session's oldest over the limit.
    mutating func issue(
        _ token: Token, in id: SessionID, slot: Int, image: ImageID, request: LoadRequest?
    ) -> [Token] {
        // Do not keep a copy of the session here: while one is alive, each change would copy all its tokens.
        guard let client = sessions[id]?.client, records[token] == nil else { return [] }
        var cancelled: [Token] = []
        if let before = current(of: slot, in: id), end(before, .cancelled) { cancelled.append(before) }
        while let count = sessions[id]?.live.count, count >= max(1, limits.liveTokensPerSession),
            let oldest = sessions[id]?.live.first?.id, end(oldest, .cancelled)
        {
            cancelled.append(oldest)
        }
        if records.count >= limits.tokensInAll || ranking.tokenCount(of: client) >= limits.tokensPerClient {
            ranking.keep(id, of: client)
            while ranking.tokenCount(of: client) >= limits.tokensPerClient,
                let victim = ranking.leastWorth(of: client), victim != id
            {
                cancelled += close(victim)
            }
            while records.count >= limits.tokensInAll, let victim = ranking.leastWorth(except: id) {
                cancelled += close(victim)
            }
        }
        issues += 1
        statistics.issued += 1
        statistics.live += 1
        records[token] = Record(session: id, slot: slot, image: image, request: request)
        ranking.count(1, of: client)
        sessions[id]?.current[slot] = token
        sessions[id]?.live.set(token, to: Age(issue: issues))
        touch(id, now: .zero)
        return cancelled
    }

    /// Cancels a token of this session. Returns false, without an error, if it is unknown here or has ended.
    mutating func cancel(_ token: Token, in session: SessionID, now: Duration) -> Bool {
        touch(session, now: now)
        guard records[token]?.session == session else { return false }
        return end(token, .cancelled)
    }

    /// Claims the token for a request.
    mutating func claim(_ token: Token, image: ImageID, rendition: Rendition, now: Duration) -> Claim {
        guard let record = records[token] else { return .refused(.unknown) }
        guard record.image == image, record.request?.rendition == rendition else {
            return .refused(.otherPicture)
        }
        touch(record.session, now: now)
        switch record.life.phase {
        case .ended(.cancelled): return .cancelled
        case .ended(.failed) where record.failure != nil && !record.isClaimed:
            guard let failure = record.failure else { return .refused(.used) }
            records[token]?.isClaimed = true
            return .failed(failure)
        case .ended, .sending: return .refused(.used)
        case .issued, .queued, .loading:
            guard !record.isClaimed else { return .refused(.used) }
            records[token]?.isClaimed = true
            return .accepted
        }
    }

    mutating func queue(_ token: Token) -> Bool { records[token]?.life.queue() ?? false }
    mutating func load(_ token: Token) -> Bool { records[token]?.life.load() ?? false }
    mutating func send(_ token: Token) -> Bool { records[token]?.life.send() ?? false }

    /// Returns true for the one call that ends the token.
    mutating func end(_ token: Token, _ end: TokenEnd, failure: LoadFailure? = nil) -> Bool {
        guard records[token]?.life.end(end) == true, let record = records[token] else { return false }
        records[token]?.failure = failure
        statistics.count(end)
        if sessions[record.session]?.current[record.slot] == token {
            sessions[record.session]?.current[record.slot] = nil
        }
        sessions[record.session]?.live.remove(token)
        touch(record.session, now: .zero)
        // No request will ask about it later.
        guard record.request != nil else {
            if let client = sessions[record.session]?.client { forget(token, of: client) }
            return true
        }
        sessions[record.session]?.ended.append(token)
        while let count = sessions[record.session]?.ended.count, count > limits.endedTokensPerSession {
            if let oldest = sessions[record.session]?.ended.popFirst(), let client = sessions[record.session]?.client {
                forget(oldest, of: client)
            }
        }
        return true
    }
}

/// Why a request may not have the content of its token.
public enum ClaimRefusal: Hashable, Sendable {
    /// There is no such token, or it ended so long ago that it was forgotten.
    case unknown
    /// The token is for another image or rendition.
    case otherPicture
    /// Another request has already used it.
    case used
}

/// Counts of tokens. `issued` is always the sum of the others except `sessions`.
public struct TokenStatistics: Hashable, Sendable {
    public internal(set) var issued = 0
    public internal(set) var live = 0
    public internal(set) var delivered = 0
    public internal(set) var cancelled = 0
    public internal(set) var failed = 0
    public internal(set) var sessions = 0

    fileprivate mutating func count(_ end: TokenEnd) {
        live -= 1
        switch end {
        case .delivered: delivered += 1
        case .cancelled: cancelled += 1
        case .failed: failed += 1
        }
    }
}

extension TokenStatistics: MetricsReporting {
    /// All figures except `sessions`, which is a separate metric.
    public static let metrics: [Metric<TokenStatistics>] = [
        .counter(
            "issued", "Tokens issued. Always the sum of the live, delivered, cancelled and failed ones.", \.issued),
        .gauge("live", "Tokens that were issued and have not ended.", \.live),
        .counter("delivered", "Tokens whose rendition was sent whole.", \.delivered),
        .counter(
            "cancelled", "Tokens cancelled by their client, by a newer token or by the end of their session.",
            \.cancelled),
        .counter("failed", "Tokens whose load or delivery failed.", \.failed),
    ]
}
