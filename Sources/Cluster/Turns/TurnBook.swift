import Loading
import Scheduling

/// The turns that this node has and those that it waits for, as a value: events go in, and what is to be sent, awaited and
/// told comes out.
///
/// However the answers, the messages and the clock come in among each other: whoever asks is answered once, a turn that
/// nobody here uses any more is given back, and nothing is left in any table.
struct TurnBook: Sendable {
    typealias AskID = UInt64

    /// What the server says to who asks.
    enum Reply: Hashable, Sendable {
        case mine(fence: UInt64)
        /// Another node has it, for so long unless it renews it.
        case held(for: Duration)
        case failed(LoadFailure)
        /// No answer.
        case nothing
    }

    enum Effect: Hashable, Sendable {
        case ask(AskID, SharedName, Priority.Lane, insists: Bool)
        case tell(AskID, TurnNews)
        /// To be told of by ``woke(_:)``.
        case wait(AskID, Duration)
        case end(AskID, SharedName, fence: UInt64, TurnOutcome, isLast: Bool)
        case withdraw(SharedName)
    }

    private enum Stage: Hashable, Sendable {
        /// What has been heard since may be newer than the answer that is under way.
        case asking(hasHeard: Bool)
        case waiting
        case holding
    }

    private struct Ask: Sendable {
        let name: SharedName
        let urgency: Priority.Lane
        let insists: Bool
        var stage = Stage.asking(hasHeard: false)
    }

    private struct Held: Sendable {
        var fence: UInt64
        var holders: Set<AskID> = []
    }

    private var asks: [AskID: Ask] = [:]
    private var bySubject: [String: Set<AskID>] = [:]
    private var held: [String: Held] = [:]
    /// Questions whose answers are under way, also of those who have left.
    private var flights: [AskID: SharedName] = [:]
    private var flightsBySubject: [String: Int] = [:]

    /// So much after its end a lease is looked at again.
    private static let grace = Duration.milliseconds(20)

    var isEmpty: Bool {
        asks.isEmpty && bySubject.isEmpty && held.isEmpty && flights.isEmpty && flightsBySubject.isEmpty
    }
    var heldCount: Int { held.count }
    var waitingCount: Int { asks.count { $0.value.stage == .waiting } }

    // MARK: - Whoever asks

    mutating func ask(_ id: AskID, _ name: SharedName, _ urgency: Priority.Lane, insists: Bool) -> [Effect] {
        asks[id] = Ask(name: name, urgency: urgency, insists: insists)
        bySubject[name.subject, default: []].insert(id)
        return send(id)
    }

    mutating func end(_ id: AskID, _ outcome: TurnOutcome) -> [Effect] {
        guard let ask = remove(id) else { return [] }
        switch ask.stage {
        case .asking: return []
        case .waiting: return [.withdraw(ask.name)]
        case .holding:
            let subject = ask.name.subject
            guard let turn = held[subject], turn.holders.contains(id) else { return [] }
            held[subject]?.holders.remove(id)
            let isLast = turn.holders.count == 1 && flightsBySubject[subject] == nil
            if isLast { held[subject] = nil }
            return [.end(id, ask.name, fence: turn.fence, outcome, isLast: isLast)]
        }
    }

    // MARK: - What comes from the server

    mutating func replied(_ id: AskID, _ reply: Reply) -> [Effect] {
        guard let name = flights.removeValue(forKey: id) else { return [] }
        let subject = name.subject
        flightsBySubject[subject] = flightsBySubject[subject].flatMap { $0 > 1 ? $0 - 1 : nil }
        guard let ask = asks[id], case .asking(let hasHeard) = ask.stage else { return orphaned(id, name, reply) }
        switch reply {
        case .mine(let fence):
            asks[id]?.stage = .holding
            held[subject, default: Held(fence: fence)].fence = fence
            held[subject]?.holders.insert(id)
            // Those who waited here for another node's turn have it now as well.
            return [.tell(id, .mine(fence: fence))] + each(of: subject) { book, other, _ in book.send(other) }
        case .held where hasHeard: return send(id)
        case .held(let time):
            // A turn that was kept for this question alone has passed on.
            if held[subject]?.holders.isEmpty == true { held[subject] = nil }
            asks[id]?.stage = .waiting
            return [.wait(id, max(.zero, time) + Self.grace)]
        case .failed(let failure):
            _ = remove(id)
            return [.tell(id, .failed(failure))] + giveBack(id, name)
        case .nothing:
            _ = remove(id)
            return [.tell(id, .alone)] + giveBack(id, name)
        }
    }

    /// The answer does not come in time: whoever asked goes on alone. What comes of the question in the end is for
    /// ``replied(_:_:)``.
    mutating func ranOut(_ id: AskID) -> [Effect] {
        guard flights[id] != nil, remove(id) != nil else { return [] }
        return [.tell(id, .alone)]
    }

    /// The answer to somebody who left meanwhile.
    private mutating func orphaned(_ id: AskID, _ name: SharedName, _ reply: Reply) -> [Effect] {
        switch reply {
        case .mine(let fence):
            held[name.subject, default: Held(fence: fence)].fence = fence
            return giveBack(id, name)
        case .held: return [.withdraw(name)] + giveBack(id, name)
        case .failed, .nothing: return giveBack(id, name)
        }
    }

    /// Ends a turn that nobody here uses, nor is about to.
    private mutating func giveBack(_ id: AskID, _ name: SharedName) -> [Effect] {
        let subject = name.subject
        guard let turn = held[subject], turn.holders.isEmpty, flightsBySubject[subject] == nil else { return [] }
        held[subject] = nil
        return [.end(id, name, fence: turn.fence, .gaveUp, isLast: true)]
    }

    mutating func heard(_ message: TurnMessage, node: String) -> [Effect] {
        switch message {
        case .made(let name): return end(name, .made)
        case .unshared(let name): return end(name, .alone)
        case .failed(let subject, let failure):
            return each(of: subject) { book, id, _ in
                _ = book.remove(id)
                return [.tell(id, .failed(failure))]
            }
        case .free(let subject): return each(of: subject) { book, id, _ in book.send(id) }
        case .wanted(let name, node, let urgency):
            return held[name.subject]?.holders.min().map { [.tell($0, .wanted(name, urgency: urgency))] } ?? []
        case .unwanted(let name):
            return held[name.subject]?.holders.min().map { [.tell($0, .unwanted(name))] } ?? []
        case .wanted, .look, .objects, .refused: return []
        }
    }

    /// Ends the wait of all who wait for this.
    private mutating func end(_ name: SharedName, _ news: TurnNews) -> [Effect] {
        each(of: name.subject) { book, id, ask in
            guard ask.name == name else { return [] }
            _ = book.remove(id)
            return [.tell(id, news)]
        }
    }

    /// What was said while nobody listened was missed.
    mutating func listens() -> [Effect] {
        bySubject.keys.sorted().flatMap { subject in each(of: subject) { book, id, _ in book.send(id) } }
    }

    /// The server is away: nobody waits for it.
    mutating func isAlone() -> [Effect] {
        asks.keys.sorted().flatMap { id -> [Effect] in
            guard let ask = asks[id], ask.stage != .holding else { return [] }
            _ = remove(id)
            return [.tell(id, .alone)]
        }
    }

    // MARK: - The clock

    mutating func woke(_ id: AskID) -> [Effect] {
        guard asks[id]?.stage == .waiting else { return [] }
        return send(id)
    }

    /// What is to be renewed now.
    var leases: [(subject: String, fence: UInt64)] { held.map { ($0.key, $0.value.fence) } }

    // MARK: - Within

    /// What `body` makes of those who wait for a subject; those whose answer is under way look again when it is there.
    private mutating func each(
        of subject: String, _ body: (inout TurnBook, AskID, Ask) -> [Effect]
    ) -> [Effect] {
        (bySubject[subject] ?? []).sorted().flatMap { id -> [Effect] in
            guard let ask = asks[id] else { return [] }
            switch ask.stage {
            case .waiting: return body(&self, id, ask)
            case .asking:
                asks[id]?.stage = .asking(hasHeard: true)
                return []
            case .holding: return []
            }
        }
    }

    private mutating func send(_ id: AskID) -> [Effect] {
        guard let ask = asks[id] else { return [] }
        asks[id]?.stage = .asking(hasHeard: false)
        flights[id] = ask.name
        flightsBySubject[ask.name.subject, default: 0] += 1
        return [.ask(id, ask.name, ask.urgency, insists: ask.insists)]
    }

    private mutating func remove(_ id: AskID) -> Ask? {
        guard let ask = asks.removeValue(forKey: id) else { return nil }
        let subject = ask.name.subject
        bySubject[subject]?.remove(id)
        if bySubject[subject]?.isEmpty == true { bySubject[subject] = nil }
        return ask
    }
}
