/// The work waiting at one priority level, and the order in which it starts. Of all flows with an eligible item, the
/// one with the earliest start tag goes first; within the flow, the most urgent item does.
///
/// Starts rotate among owners, and among the flows of an owner. Of two owners that always have an eligible item,
/// neither gets two starts between two of the other's, however many items, flows and groups it uses and however new
/// its viewports are. A start tag is a virtual time, as in start-time fair queueing (Goyal, Vin and Cheng, 1996).
/// After a start, a flow gets the next tag that no other flow of its owner holds. An owner with a hundred flows thus
/// holds a hundred tags in a row, one of which comes up for each start of another owner.
///
/// Alternatives considered:
/// - A tag per item, as in that paper: here every new viewport reorders the items within their flow or withdraws them
///   before they start, so the tag has to belong to the flow rather than to an item.
/// - A queue of owners over queues of flows: each start would change the rank of all flows of the owner, in all groups.
/// - A ring of flows costs O(1) per start, but an owner that withdraws everything and asks again, as each viewport
///   may, would lose its position in the ring each time. The ring would also have to be searched when groups are full.
/// - Serving the owner with the fewest running items is fair in time and not only in starts. But with a single
///   permit, nobody holds one when it becomes free, so the order of the last starts would be needed anyway.
///
/// Owners that have received less than the others get tags in quicker succession, three to one. A user who
/// occasionally looks at a screen of pictures is thus hardly delayed by an owner with unlimited demand. The limit of
/// three to one keeps a succession of new owners, which have received nothing, from starving anyone. A flow with
/// nothing waiting keeps its tag for its return.
///
/// Every change costs O(log n) comparisons; a start costs as many for each group in which other flows wait beside its
/// own.
struct FairQueue<ID: Hashable & Sendable, Group: Hashable & Sendable>: Sendable {
    /// The order within a flow.
    struct Rank: Comparable, Sendable {
        let priority: Priority
        let arrival: UInt64

        static func < (left: Rank, right: Rank) -> Bool {
            left.priority == right.priority ? left.arrival > right.arrival : left.priority < right.priority
        }
    }

    /// When a flow may start its next item. Earlier times go first; equal ones, in the order in which they were
    /// assigned.
    private struct StartTag: Comparable, Sendable {
        let time: UInt64
        let number: UInt64
        static func < (left: StartTag, right: StartTag) -> Bool {
            (left.time, left.number) > (right.time, right.number)
        }
    }

    /// An owner with items waiting.
    private struct Owner: Sendable {
        /// The distinct times of the tags that its waiting flows hold. Past times count as now.
        var held: Set<UInt64> = []
    }

    /// The items waiting in one group.
    private struct GroupQueue: Sendable {
        var isOpen = false
        var flows = IndexedHeap<Flow, StartTag>()
        var ids: [Flow: IndexedHeap<ID, Rank>] = [:]
        /// The flow whose offers include this queue: the first of `flows` while the queue is open.
        var offeredTo: Flow?
    }

    private struct Share: Sendable {
        var tag: StartTag
        /// The time it holds among its owner's while it waits.
        var held: UInt64 = 0
        /// The number of groups in which it waits.
        var queues = 0
        /// The groups in which other flows wait too. Only there must its tag be kept up to date.
        var contested: Set<Group> = []
        /// Open groups in which it goes first, ranked by its items there. For the flow with the earliest tag overall,
        /// these are all the open groups in which it waits.
        var offers = IndexedHeap<Group, Rank>()
    }

    /// The number of flows without waiting items whose tags are remembered; beyond it, the earliest tag is forgotten.
    private static var remembered: Int { 1_024 }

    private var queues: [Group: GroupQueue] = [:]
    private var shares: [Flow: Share] = [:]
    /// The flows that have offers.
    private var round = IndexedHeap<Flow, StartTag>()
    /// The remembered flows with nothing waiting.
    private var absent = IndexedHeap<Flow, StartTag>()
    private var owners: [Flow.Owner: Owner] = [:]
    private var service = AttainedService<Flow.Owner>()
    /// The virtual time: the time of the latest start.
    private var now: UInt64 = 0
    private var tags: UInt64 = 0

    /// Whether an item may start.
    var isReady: Bool { !round.isEmpty }
    /// Flows that wait or are remembered, for tests.
    var flowCount: Int { shares.count }
    /// Owners with items waiting, for tests.
    var ownerCount: Int { owners.count }
    /// Comparisons made by the existing heaps, for tests.
    var comparisons: Int {
        let ofQueues = queues.values.map { $0.ids.values.reduce($0.flows.comparisons) { $0 + $1.comparisons } }
        let ofShares = shares.values.map(\.offers.comparisons)
        return (ofQueues + ofShares).reduce(round.comparisons + absent.comparisons, +)
    }

    /// Whether any item waits in `group`.
    func waits(in group: Group) -> Bool { queues[group] != nil }

    /// Adds `id` to its group's queue, or moves it to `rank`. An existing item must keep its flow.
    mutating func set(_ id: ID, in group: Group, to rank: Rank) {
        let flow = rank.priority.flow
        if queues[group]?.ids[flow] == nil { enter(group, flow) }
        queues[group]?.ids[flow]?.set(id, to: rank)
        offer(group)
    }

    mutating func remove(_ id: ID, of flow: Flow, from group: Group) {
        guard queues[group]?.ids[flow]?.remove(id) != nil else { return }
        if queues[group]?.ids[flow]?.isEmpty == true { leave(group, flow) }
        offer(group)
        if shares[flow]?.queues == 0 { rest(flow) }
    }

    /// Sets whether items of `group` may start; initially they may not. Forgotten when the group becomes empty.
    mutating func open(_ group: Group, _ isOpen: Bool) {
        guard let before = queues[group]?.isOpen, before != isOpen else { return }
        queues[group]?.isOpen = isOpen
        offer(group)
    }

    /// Removes the first item that may start, which uses up its flow's tag.
    mutating func removeFirst() -> ID? {
        guard let flow = round.first?.id, let group = shares[flow]?.offers.first?.id,
            let id = queues[group]?.ids[flow]?.first?.id
        else { return nil }
        now = max(now, shares[flow]?.tag.time ?? 0)
        service.serve(flow.owner)
        giveUp(flow)
        let tag = nextTag(of: flow.owner)
        hold(flow, tag)
        round.set(flow, to: tag)
        for contested in shares[flow]?.contested ?? [] {
            queues[contested]?.flows.set(flow, to: tag)
            offer(contested)
        }
        remove(id, of: flow, from: group)
        return id
    }

    /// The virtual time between two tags of an owner; 1 if it has received less than the others.
    private static var interval: UInt64 { 3 }

    /// Assigns the next tag that is an interval away from all tags of the owner's waiting flows.
    private mutating func nextTag(of owner: Flow.Owner) -> StartTag {
        tags += 1
        let interval = service.isUnderserved(owner) ? 1 : Self.interval
        var time = now + interval
        if let held = owners[owner]?.held {
            while let near = (time + 1 - interval..<time + interval).last(where: held.contains) {
                time = near + interval
            }
        }
        return StartTag(time: time, number: tags)
    }

    private mutating func hold(_ flow: Flow, _ tag: StartTag) {
        let time = max(tag.time, now)
        shares[flow, default: Share(tag: tag)].tag = tag
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

    /// The tag of a returning flow: the one it had when it left, unless another flow of its owner now holds that
    /// time. Otherwise many flows that came and left in succession could all start at once.
    private mutating func tag(ofArriving flow: Flow) -> StartTag {
        if let tag = shares[flow]?.tag, owners[flow.owner]?.held.contains(max(tag.time, now)) != true { return tag }
        return nextTag(of: flow.owner)
    }

    private mutating func enter(_ group: Group, _ flow: Flow) {
        if shares[flow]?.queues ?? 0 == 0 { hold(flow, tag(ofArriving: flow)) }
        guard let tag = shares[flow]?.tag else { return }
        shares[flow]?.queues += 1
        absent.remove(flow)
        if let first = queues[group]?.flows.first?.id, let itsTag = shares[first]?.tag {
            shares[flow]?.contested.insert(group)
            // Until now, that flow may have been alone in the group.
            shares[first]?.contested.insert(group)
            queues[group]?.flows.set(first, to: itsTag)
        }
        queues[group, default: GroupQueue()].flows.set(flow, to: tag)
        queues[group]?.ids[flow] = IndexedHeap()
    }

    private mutating func leave(_ group: Group, _ flow: Flow) {
        queues[group]?.ids[flow] = nil
        queues[group]?.flows.remove(flow)
        shares[flow]?.contested.remove(group)
        shares[flow]?.queues -= 1
        if queues[group]?.flows.count == 1, let alone = queues[group]?.flows.first?.id {
            shares[alone]?.contested.remove(group)
        }
        if shares[flow]?.queues == 0 { giveUp(flow) }
    }

    /// Remembers the tag of a flow that has nothing waiting any more.
    private mutating func rest(_ flow: Flow) {
        guard let tag = shares[flow]?.tag else { return }
        absent.set(flow, to: tag)
        if absent.count > Self.remembered, let forgotten = absent.removeFirst()?.id { shares[forgotten] = nil }
    }

    /// Updates the offers: if the queue of `group` is open, the flow that goes first there offers it. An empty queue
    /// is removed.
    private mutating func offer(_ group: Group) {
        let first = queues[group]?.isOpen == true ? queues[group]?.flows.first?.id : nil
        if let before = queues[group]?.offeredTo, before != first {
            shares[before]?.offers.remove(group)
            if shares[before]?.offers.isEmpty == true { round.remove(before) }
        }
        queues[group]?.offeredTo = first
        if let first, let rank = queues[group]?.ids[first]?.first?.rank, let tag = shares[first]?.tag {
            shares[first]?.offers.set(group, to: rank)
            round.set(first, to: tag)
        }
        if queues[group]?.flows.isEmpty == true { queues[group] = nil }
    }
}
