/// Those who wait in one lane, and who of them goes next: of all flows that have something which may start, the one whose
/// turn is the earliest; and of what it has, the most urgent.
///
/// So turns go round the owners, and among an owner's flows round these: of two owners that both have something to
/// start all the time, neither has two turns between two of the other's, however much it asks for, in however many flows
/// and groups, and however new its viewports are. A turn is a virtual time, as in start-time fair queueing (Goyal, Vin and Cheng,
/// 1996): a flow that has had its turn gets the first to come that none of its owner's flows holds, so that an owner with
/// a hundred flows holds a hundred turns in a row, of which one falls due where another owner has one.
/// Other ways that were weighed:
/// - A tag for each piece, as that paper has it: here pieces overtake each other within their flow with each new viewport,
///   and are taken back before their turn, so a turn has to belong to the flow and not to the piece.
/// - A queue of owners over queues of flows: a start would change the rank of all flows of the owner, in all groups.
/// - A ring of flows costs O(1) a turn, but whoever takes everything back and asks anew, as each viewport may, would lose
///   its place in the ring each time; and the ring has to be searched where groups are full.
/// - To serve the one that holds the fewest places is fair in time and not only in turns, but where there is one place
///   nobody holds any when it is given, so that it needs the order of last turns all the same.
///
/// Owners that have had less than the others have turns in quicker succession, three for one: whoever looks at a screen of
/// pictures now and then is hardly held up by one that wants everything all the time. More than three for one it never is, so
/// that a stream of new owners, who have had nothing, starves nobody. A flow that has nothing waiting keeps its turn for
/// when it comes back.
///
/// Every change costs O(log n) comparisons; a start as many for each group in which others wait beside its flow.
struct FairQueue<ID: Hashable & Sendable, Group: Hashable & Sendable>: Sendable {
    /// The order within a flow.
    struct Rank: Comparable, Sendable {
        let priority: Priority
        let arrival: UInt64

        static func < (left: Rank, right: Rank) -> Bool {
            left.priority == right.priority ? left.arrival > right.arrival : left.priority < right.priority
        }
    }

    /// When a flow may have its next turn: the earlier goes first, of equal times the one that was given first.
    private struct Turn: Comparable, Sendable {
        let time: UInt64
        let number: UInt64
        static func < (left: Turn, right: Turn) -> Bool { (left.time, left.number) > (right.time, right.number) }
    }

    /// An owner with something waiting.
    private struct Owner: Sendable {
        /// The times of the turns that its waiting flows hold, each of them once; what is past counts as now.
        var held: Set<UInt64> = []
    }

    /// What waits in one group.
    private struct Line: Sendable {
        var isOpen = false
        var flows = IndexedHeap<Flow, Turn>()
        var ids: [Flow: IndexedHeap<ID, Rank>] = [:]
        /// Whose offers this line is among: while it is open, the first of `flows`.
        var offeredTo: Flow?
    }

    private struct Share: Sendable {
        var turn: Turn
        /// Which of its owner's times it holds while it waits.
        var held: UInt64 = 0
        /// Groups in which it waits.
        var lines = 0
        /// Those in which others wait beside it; elsewhere its turn need not be kept up to date.
        var contested: Set<Group> = []
        /// Open groups in which it goes first, ranked by what it has there. The flow whose turn it is of all has all
        /// open groups in which it waits among them.
        var offers = IndexedHeap<Group, Rank>()
    }

    /// Flows with nothing waiting whose turns are remembered; beyond, the one longest ago is forgotten.
    private static var remembered: Int { 1_024 }

    private var lines: [Group: Line] = [:]
    private var shares: [Flow: Share] = [:]
    /// The flows that have offers.
    private var round = IndexedHeap<Flow, Turn>()
    /// The flows that have nothing waiting.
    private var absent = IndexedHeap<Flow, Turn>()
    private var owners: [Flow.Owner: Owner] = [:]
    private var service = AttainedService<Flow.Owner>()
    /// The virtual time: that of the latest turn taken.
    private var now: UInt64 = 0
    private var turns: UInt64 = 0

    /// Whether something may start.
    var isReady: Bool { !round.isEmpty }
    /// Flows that wait or are remembered, for the tests.
    var flowCount: Int { shares.count }
    /// Owners that wait, for the tests.
    var ownerCount: Int { owners.count }
    /// Comparisons made by the heaps that exist now, for the tests.
    var comparisons: Int {
        let ofLines = lines.values.map { $0.ids.values.reduce($0.flows.comparisons) { $0 + $1.comparisons } }
        let ofShares = shares.values.map(\.offers.comparisons)
        return (ofLines + ofShares).reduce(round.comparisons + absent.comparisons, +)
    }

    /// Whether anything waits in `group`.
    func waits(in group: Group) -> Bool { lines[group] != nil }

    /// Puts `id` in the line of its group, or moves it where `rank` belongs. Its flow may not change by that.
    mutating func set(_ id: ID, in group: Group, to rank: Rank) {
        let flow = rank.priority.flow
        if lines[group]?.ids[flow] == nil { enter(group, flow) }
        lines[group]?.ids[flow]?.set(id, to: rank)
        offer(group)
    }

    mutating func remove(_ id: ID, of flow: Flow, from group: Group) {
        guard lines[group]?.ids[flow]?.remove(id) != nil else { return }
        if lines[group]?.ids[flow]?.isEmpty == true { leave(group, flow) }
        offer(group)
        if shares[flow]?.lines == 0 { rest(flow) }
    }

    /// Says whether what waits in `group` may start; it may not before this has been said. Forgotten when nothing waits
    /// there any more.
    mutating func open(_ group: Group, _ isOpen: Bool) {
        guard let before = lines[group]?.isOpen, before != isOpen else { return }
        lines[group]?.isOpen = isOpen
        offer(group)
    }

    /// Takes out the one that goes first of those that may start; its flow has had its turn.
    mutating func removeFirst() -> ID? {
        guard let flow = round.first?.id, let group = shares[flow]?.offers.first?.id,
            let id = lines[group]?.ids[flow]?.first?.id
        else { return nil }
        now = max(now, shares[flow]?.turn.time ?? 0)
        service.serve(flow.owner)
        giveUp(flow)
        let turn = nextTurn(of: flow.owner)
        hold(flow, turn)
        round.set(flow, to: turn)
        for contested in shares[flow]?.contested ?? [] {
            lines[contested]?.flows.set(flow, to: turn)
            offer(contested)
        }
        remove(id, of: flow, from: group)
        return id
    }

    /// The time from one turn of an owner to its next, unless it has had less than the others: then it is 1.
    private static var interval: UInt64 { 3 }

    /// The first turn to come that is its interval away from all that the owner's waiting flows hold.
    private mutating func nextTurn(of owner: Flow.Owner) -> Turn {
        turns += 1
        let interval = service.hasHadLess(owner) ? 1 : Self.interval
        var time = now + interval
        if let held = owners[owner]?.held {
            while let near = (time + 1 - interval..<time + interval).last(where: held.contains) {
                time = near + interval
            }
        }
        return Turn(time: time, number: turns)
    }

    private mutating func hold(_ flow: Flow, _ turn: Turn) {
        let time = max(turn.time, now)
        shares[flow, default: Share(turn: turn)].turn = turn
        shares[flow]?.held = time
        owners[flow.owner, default: Owner()].held.insert(time)
        service.enter(flow.owner)
    }

    private mutating func giveUp(_ flow: Flow) {
        guard let time = shares[flow]?.held else { return }
        owners[flow.owner]?.held.remove(time)
        if owners[flow.owner]?.held.isEmpty == true {
            owners[flow.owner] = nil
            service.leave(flow.owner)
        }
    }

    /// The turn of a flow that comes: the one that it had when it left, unless another of its owner's has one of that time
    /// by now. Otherwise many that came and left one after the other would have theirs all at once.
    private mutating func turn(ofComing flow: Flow) -> Turn {
        if let turn = shares[flow]?.turn, owners[flow.owner]?.held.contains(max(turn.time, now)) != true { return turn }
        return nextTurn(of: flow.owner)
    }

    private mutating func enter(_ group: Group, _ flow: Flow) {
        if shares[flow]?.lines ?? 0 == 0 { hold(flow, turn(ofComing: flow)) }
        guard let turn = shares[flow]?.turn else { return }
        shares[flow]?.lines += 1
        absent.remove(flow)
        if let first = lines[group]?.flows.first?.id, let itsTurn = shares[first]?.turn {
            shares[flow]?.contested.insert(group)
            // It may have been alone here until now.
            shares[first]?.contested.insert(group)
            lines[group]?.flows.set(first, to: itsTurn)
        }
        lines[group, default: Line()].flows.set(flow, to: turn)
        lines[group]?.ids[flow] = IndexedHeap()
    }

    private mutating func leave(_ group: Group, _ flow: Flow) {
        lines[group]?.ids[flow] = nil
        lines[group]?.flows.remove(flow)
        shares[flow]?.contested.remove(group)
        shares[flow]?.lines -= 1
        if lines[group]?.flows.count == 1, let alone = lines[group]?.flows.first?.id {
            shares[alone]?.contested.remove(group)
        }
        if shares[flow]?.lines == 0 { giveUp(flow) }
    }

    /// Keeps the turn of a flow that has nothing waiting any more.
    private mutating func rest(_ flow: Flow) {
        guard let turn = shares[flow]?.turn else { return }
        absent.set(flow, to: turn)
        if absent.count > Self.remembered, let forgotten = absent.removeFirst()?.id { shares[forgotten] = nil }
    }

    /// Sees that the line of `group` is among the offers of the flow that goes first there, if it is open; forgets one
    /// that is empty.
    private mutating func offer(_ group: Group) {
        let first = lines[group]?.isOpen == true ? lines[group]?.flows.first?.id : nil
        if let before = lines[group]?.offeredTo, before != first {
            shares[before]?.offers.remove(group)
            if shares[before]?.offers.isEmpty == true { round.remove(before) }
        }
        lines[group]?.offeredTo = first
        if let first, let rank = lines[group]?.ids[first]?.first?.rank, let turn = shares[first]?.turn {
            shares[first]?.offers.set(group, to: rank)
            round.set(first, to: turn)
        }
        if lines[group]?.flows.isEmpty == true { lines[group] = nil }
    }
}
