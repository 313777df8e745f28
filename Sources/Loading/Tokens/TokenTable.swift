import DequeModule
import Images
import Renditions
import Scheduling

/// All sessions and their tokens, without the work: which token is a slot's current one, who may claim it, and which
/// tokens an event cancels. A pure value.
///
/// Bounded against hostile clients: so many sessions, so many live tokens in each, so many ended ones remembered.
struct TokenTable: Sendable {
    struct Limits: Hashable, Sendable {
        var sessions = 4_096
        var liveTokensPerSession = 1_024
        var endedTokensPerSession = 1_024
        var tokensInAll = Int.max
    }

    struct Record: Sendable {
        let session: SessionID
        let slot: Int
        let image: ImageID
        /// What the request that bears the token is for; nil for a token that no request may bear.
        let request: LoadRequest?
        var life = TokenLife()
        var isClaimed = false
        /// Why it failed, for the request that comes later.
        var failure: LoadFailure?
    }

    enum Claim: Hashable, Sendable {
        case accepted
        case cancelled
        case failed(LoadFailure)
        case refused(ClaimRefusal)
    }

    private struct Session: Sendable {
        var lastUse: Duration
        var current: [Int: Token] = [:]
        var live = IndexedHeap<Token, Oldest<UInt64>>()
        var ended: Deque<Token> = []
    }

    /// Ranks the smallest first.
    private struct Oldest<Value: Comparable & Sendable>: Comparable, Sendable {
        let value: Value
        static func < (left: Self, right: Self) -> Bool { left.value > right.value }
    }

    /// A session without live tokens is given up before one with, and then the one used longest ago.
    private struct Worth: Comparable, Sendable {
        let hasLive: Bool
        let lastUse: Duration
        static func < (left: Worth, right: Worth) -> Bool {
            (left.hasLive ? 1 : 0, left.lastUse) < (right.hasLive ? 1 : 0, right.lastUse)
        }
    }

    let limits: Limits
    private(set) var statistics = TokenStatistics()
    private var sessions: [SessionID: Session] = [:]
    private var leastWorth = IndexedHeap<SessionID, Oldest<Worth>>()
    private var longestIdle = IndexedHeap<SessionID, Oldest<Duration>>()
    private var records: [Token: Record] = [:]
    private var issues: UInt64 = 0

    init(limits: Limits) { self.limits = limits }

    var isEmpty: Bool { sessions.isEmpty && records.isEmpty && leastWorth.isEmpty && longestIdle.isEmpty }
    var sessionCount: Int { sessions.count }
    var recordCount: Int { records.count }

    func record(of token: Token) -> Record? { records[token] }
    func contains(_ session: SessionID) -> Bool { sessions[session] != nil }
    func current(of slot: Int, in session: SessionID) -> Token? { sessions[session]?.current[slot] }

    // MARK: - Sessions

    /// Uses a session, or begins one. An unknown id is begun anew under that name: the server may have restarted, or
    /// the session was idle for long, and a page that comes back goes on where it was.
    ///
    /// - Returns: Tokens cancelled because another session had to go.
    mutating func open(_ session: SessionID, now: Duration) -> [Token] {
        var cancelled: [Token] = []
        if sessions[session] == nil {
            while sessions.count >= max(1, limits.sessions), let victim = leastWorth.first?.id {
                cancelled += close(victim)
            }
            sessions[session] = Session(lastUse: now)
        }
        touch(session, now: now)
        return cancelled
    }

    /// Ends a session; all its tokens are cancelled and forgotten.
    mutating func close(_ id: SessionID) -> [Token] {
        guard let session = sessions[id] else { return [] }
        let cancelled = session.live.ids.filter { end($0, .cancelled) }
        for token in session.live.ids { records[token] = nil }
        for token in session.ended { records[token] = nil }
        sessions[id] = nil
        leastWorth.remove(id)
        longestIdle.remove(id)
        return cancelled
    }

    /// Closes every session that was used last before `moment`.
    mutating func closeIdle(before moment: Duration) -> [Token] {
        var cancelled: [Token] = []
        while let idle = longestIdle.first, idle.rank.value < moment { cancelled += close(idle.id) }
        return cancelled
    }

    /// Counts as a use of the session; does nothing when it is not open.
    mutating func touch(_ id: SessionID, now: Duration) {
        guard let before = sessions[id]?.lastUse else { return }
        let hasLive = sessions[id]?.live.isEmpty == false
        let lastUse = max(before, now)
        sessions[id]?.lastUse = lastUse
        longestIdle.set(id, to: Oldest(value: lastUse))
        leastWorth.set(id, to: Oldest(value: Worth(hasLive: hasLive, lastUse: lastUse)))
    }

    // MARK: - Tokens

    /// Makes `token` the current one of a slot in an open session.
    ///
    /// - Returns: Tokens that this cancels: the slot's one before, and the oldest where there are too many.
    mutating func issue(
        _ token: Token, in id: SessionID, slot: Int, image: ImageID, request: LoadRequest?
    ) -> [Token] {
        // No copy of the session is held here: with one alive, each change would copy all of its tokens.
        guard sessions[id] != nil, records[token] == nil else { return [] }
        var cancelled: [Token] = []
        if let before = current(of: slot, in: id), end(before, .cancelled) { cancelled.append(before) }
        while let count = sessions[id]?.live.count, count >= max(1, limits.liveTokensPerSession),
            let oldest = sessions[id]?.live.first?.id, end(oldest, .cancelled)
        {
            cancelled.append(oldest)
        }
        if records.count >= limits.tokensInAll {
            // Not this one, though it may have no token yet: whoever asks now is somebody.
            leastWorth.set(id, to: Oldest(value: Worth(hasLive: true, lastUse: .seconds(Int64.max))))
            while records.count >= limits.tokensInAll, let victim = leastWorth.first?.id, victim != id {
                cancelled += close(victim)
            }
        }
        issues += 1
        statistics.issued += 1
        statistics.live += 1
        records[token] = Record(session: id, slot: slot, image: image, request: request)
        sessions[id]?.current[slot] = token
        sessions[id]?.live.set(token, to: Oldest(value: issues))
        touch(id, now: .zero)
        return cancelled
    }

    /// Cancels a token of this session. False when it is unknown here or has ended: neither is an error.
    mutating func cancel(_ token: Token, in session: SessionID, now: Duration) -> Bool {
        touch(session, now: now)
        guard records[token]?.session == session else { return false }
        return end(token, .cancelled)
    }

    /// A request bears the token.
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

    /// True for the one call that ends the token.
    mutating func end(_ token: Token, _ end: TokenEnd, failure: LoadFailure? = nil) -> Bool {
        guard records[token]?.life.end(end) == true, let record = records[token] else { return false }
        records[token]?.failure = failure
        statistics.count(end)
        if sessions[record.session]?.current[record.slot] == token {
            sessions[record.session]?.current[record.slot] = nil
        }
        sessions[record.session]?.live.remove(token)
        sessions[record.session]?.ended.append(token)
        while let count = sessions[record.session]?.ended.count, count > limits.endedTokensPerSession {
            if let oldest = sessions[record.session]?.ended.popFirst() { records[oldest] = nil }
        }
        touch(record.session, now: .zero)
        return true
    }
}

/// Why a request may not have what its token names.
public enum ClaimRefusal: Hashable, Sendable {
    /// No such token, or it ended so long ago that it is forgotten.
    case unknown
    /// The token is of another image or rendition.
    case otherPicture
    /// Another request bore it before.
    case used
}

/// Tokens counted. `issued` is always the sum of the others but `sessions`.
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
