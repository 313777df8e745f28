import Loading
import Scheduling

/// The leases that this node holds or waits for, as a pure state machine: it takes events and returns effects for the
/// caller to perform.
///
/// However replies, messages and timers interleave, every request is answered exactly once, unused leases are
/// returned, and no table keeps an entry.
struct LeaseTable: Sendable {
    typealias RequestID = UInt64

    /// The server's reply to a request for a lease.
    enum Reply: Hashable, Sendable {
        case granted(fence: UInt64)
        /// Another node holds it, for this long unless it is renewed.
        case held(for: Duration)
        case failed(LoadFailure)
        /// No usable reply.
        case nothing
    }

    enum Effect: Hashable, Sendable {
        case ask(RequestID, SharedName, Priority.Level, bypassesNegativeCache: Bool)
        case notify(RequestID, LeaseEvent)
        /// The caller calls ``timerFired(_:)`` after this time.
        case wait(RequestID, Duration)
        case end(RequestID, SharedName, fence: UInt64, LeaseOutcome, isLast: Bool)
        case withdraw(SharedName)
    }

    private enum Stage: Hashable, Sendable {
        /// `hasHeard`: a message that came after the request was sent may be newer than its reply.
        case requesting(hasHeard: Bool)
        case waiting
        case holding
    }

    private struct Request: Sendable {
        let name: SharedName
        let level: Priority.Level
        let bypassesNegativeCache: Bool
        var stage = Stage.requesting(hasHeard: false)
    }

    private struct Held: Sendable {
        var fence: UInt64
        var holders: Set<RequestID> = []
    }

    private var requests: [RequestID: Request] = [:]
    private var bySubject: [String: Set<RequestID>] = [:]
    private var held: [String: Held] = [:]
    /// Requests whose replies are pending, including those whose loads have ended.
    private var inFlight: [RequestID: SharedName] = [:]
    private var inFlightBySubject: [String: Int] = [:]

    /// How long after a lease's expected expiry to ask again.
    private static let grace = Duration.milliseconds(20)

    var isEmpty: Bool {
        requests.isEmpty && bySubject.isEmpty && held.isEmpty && inFlight.isEmpty && inFlightBySubject.isEmpty
    }
    var heldCount: Int { held.count }
    var waitingCount: Int { requests.count { $0.value.stage == .waiting } }

    // MARK: - Requests

    mutating func ask(_ id: RequestID, _ name: SharedName, _ level: Priority.Level, bypassesNegativeCache: Bool)
        -> [Effect]
    {
        requests[id] = Request(name: name, level: level, bypassesNegativeCache: bypassesNegativeCache)
        bySubject[name.subject, default: []].insert(id)
        return send(id)
    }

    mutating func end(_ id: RequestID, _ outcome: LeaseOutcome) -> [Effect] {
        guard let ask = remove(id) else { return [] }
        switch ask.stage {
        case .requesting: return []
        case .waiting: return [.withdraw(ask.name)]
        case .holding:
            let subject = ask.name.subject
            guard let lease = held[subject], lease.holders.contains(id) else { return [] }
            held[subject]?.holders.remove(id)
            let isLast = lease.holders.count == 1 && inFlightBySubject[subject] == nil
            if isLast { held[subject] = nil }
            return [.end(id, ask.name, fence: lease.fence, outcome, isLast: isLast)]
        }
    }

    // MARK: - Replies and messages

    mutating func replied(_ id: RequestID, _ reply: Reply) -> [Effect] {
        guard let name = inFlight.removeValue(forKey: id) else { return [] }
        let subject = name.subject
        inFlightBySubject[subject] = inFlightBySubject[subject].flatMap { $0 > 1 ? $0 - 1 : nil }
        guard let ask = requests[id], case .requesting(let hasHeard) = ask.stage else {
            return orphaned(id, name, reply)
        }
        switch reply {
        case .granted(let fence):
            requests[id]?.stage = .holding
            held[subject, default: Held(fence: fence)].fence = fence
            held[subject]?.holders.insert(id)
            // Loads on this node that waited for another node's lease share this one.
            return [.notify(id, .granted(fence: fence))] + each(of: subject) { table, other, _ in table.send(other) }
        case .held where hasHeard: return send(id)
        case .held(let time):
            // This node kept the lease only for this request, and has lost it.
            if held[subject]?.holders.isEmpty == true { held[subject] = nil }
            requests[id]?.stage = .waiting
            return [.wait(id, max(.zero, time) + Self.grace)]
        case .failed(let failure):
            _ = remove(id)
            return [.notify(id, .failed(failure))] + giveBack(id, name)
        case .nothing:
            _ = remove(id)
            return [.notify(id, .alone)] + giveBack(id, name)
        }
    }

    /// The reply is late: the load proceeds without a lease. If a reply does come, ``replied(_:_:)`` deals with it.
    mutating func timedOut(_ id: RequestID) -> [Effect] {
        guard inFlight[id] != nil, remove(id) != nil else { return [] }
        return [.notify(id, .alone)]
    }

    /// A reply to a request whose load has ended.
    private mutating func orphaned(_ id: RequestID, _ name: SharedName, _ reply: Reply) -> [Effect] {
        switch reply {
        case .granted(let fence):
            held[name.subject, default: Held(fence: fence)].fence = fence
            return giveBack(id, name)
        case .held: return [.withdraw(name)] + giveBack(id, name)
        case .failed, .nothing: return giveBack(id, name)
        }
    }

    /// Returns a lease that no load on this node uses or is about to use.
    private mutating func giveBack(_ id: RequestID, _ name: SharedName) -> [Effect] {
        let subject = name.subject
        guard let lease = held[subject], lease.holders.isEmpty, inFlightBySubject[subject] == nil else { return [] }
        held[subject] = nil
        return [.end(id, name, fence: lease.fence, .abandoned, isLast: true)]
    }

    mutating func received(_ message: LeaseMessage, node: String) -> [Effect] {
        switch message {
        case .made(let name): return end(name, .made)
        case .unshared(let name): return end(name, .alone)
        case .failed(let subject, let failure):
            return each(of: subject) { table, id, _ in
                _ = table.remove(id)
                return [.notify(id, .failed(failure))]
            }
        case .free(let subject): return each(of: subject) { table, id, _ in table.send(id) }
        case .requested(let name, node, let level):
            return held[name.subject]?.holders.min().map { [.notify($0, .requested(name, level: level))] } ?? []
        case .requestWithdrawn(let name):
            return held[name.subject]?.holders.min().map { [.notify($0, .requestWithdrawn(name))] } ?? []
        case .requested, .rescan, .objects, .refused: return []
        }
    }

    /// Ends the waiting of all loads that wait for this rendition.
    private mutating func end(_ name: SharedName, _ event: LeaseEvent) -> [Effect] {
        each(of: name.subject) { table, id, ask in
            guard ask.name == name else { return [] }
            _ = table.remove(id)
            return [.notify(id, event)]
        }
    }

    /// Messages published before the subscription were missed, so everything is requested again.
    mutating func subscribed() -> [Effect] {
        bySubject.keys.sorted().flatMap { subject in each(of: subject) { table, id, _ in table.send(id) } }
    }

    /// Redis is away: no load waits for it any longer.
    mutating func disconnected() -> [Effect] {
        requests.keys.sorted().flatMap { id -> [Effect] in
            guard let ask = requests[id], ask.stage != .holding else { return [] }
            _ = remove(id)
            return [.notify(id, .alone)]
        }
    }

    // MARK: - The clock

    mutating func timerFired(_ id: RequestID) -> [Effect] {
        guard requests[id]?.stage == .waiting else { return [] }
        return send(id)
    }

    /// The leases to renew.
    var leases: [(subject: String, fence: UInt64)] { held.map { ($0.key, $0.value.fence) } }

    // MARK: - Internals

    /// Applies `body` to the loads that wait for a subject. Those with a pending request ask again when its reply
    /// arrives.
    private mutating func each(
        of subject: String, _ body: (inout LeaseTable, RequestID, Request) -> [Effect]
    ) -> [Effect] {
        (bySubject[subject] ?? []).sorted().flatMap { id -> [Effect] in
            guard let ask = requests[id] else { return [] }
            switch ask.stage {
            case .waiting: return body(&self, id, ask)
            case .requesting:
                requests[id]?.stage = .requesting(hasHeard: true)
                return []
            case .holding: return []
            }
        }
    }

    private mutating func send(_ id: RequestID) -> [Effect] {
        guard let ask = requests[id] else { return [] }
        requests[id]?.stage = .requesting(hasHeard: false)
        inFlight[id] = ask.name
        inFlightBySubject[ask.name.subject, default: 0] += 1
        return [.ask(id, ask.name, ask.level, bypassesNegativeCache: ask.bypassesNegativeCache)]
    }

    private mutating func remove(_ id: RequestID) -> Request? {
        guard let ask = requests.removeValue(forKey: id) else { return nil }
        let subject = ask.name.subject
        bySubject[subject]?.remove(id)
        if bySubject[subject]?.isEmpty == true { bySubject[subject] = nil }
        return ask
    }
}
