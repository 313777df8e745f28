/// Decides who works next: a fixed number of places, a queue of those who wait for one, and at most so many places for
/// each group (an origin, say). A pure value: it knows neither threads nor clocks.
///
/// All that is visible goes before all prefetch, and that before all that nobody has asked for (the background). Within a lane places go round the owners of ``Flow``s that have something
/// which may start, one start each in turn, whatever group it is in, and within an owner's share round its flows; within a
/// flow the order is that of ``Priority``, and equals go in the order in which they came. Prefetch is given at most half of the places (of the total and of each
/// group), so that something visible finds a place at once; so is the background, with what prefetch holds counted in.
/// Where there is a single place, they may have it while nothing that goes before them waits. Holders that turn from visible to prefetch can still exceed their half; ``nextToYield()``
/// names those, for a caller that can stop them and queue them anew.
///
/// Enqueue, remove and reprioritise cost O(log n) comparisons; so does a start, once for each group in which others wait
/// beside its flow.
public struct PlaceAllocator<ID: Hashable & Sendable, Group: Hashable & Sendable>: Sendable {
    /// What an id was doing when it was removed.
    public enum Standing: Hashable, Sendable {
        case waiting
        case holding
    }

    private typealias Queue = FairQueue<ID, Group>

    private struct Member: Sendable {
        let group: Group
        var priority: Priority
        let arrival: UInt64
        var holds = false
    }

    private struct Holding: Sendable {
        var count = 0
        var prefetch = 0
        var background = 0

        /// Those that do not count as visible.
        var unseen: Int { prefetch + background }
    }

    /// How many may work at once.
    public let places: Int
    /// How many of one group may work at once, unless it was given a size of its own.
    public let placesPerGroup: Int

    private var members: [ID: Member] = [:]
    private var visible = Queue()
    private var prefetch = Queue()
    private var background = Queue()
    /// What each group holds; one that holds nothing is not in it.
    private var holdings: [Group: Holding] = [:]
    /// The groups that may hold another number of places than the rest.
    private var limits: [Group: Int] = [:]
    private var sizes: [Group: Int] = [:]
    private var holders: Set<ID> = []
    private var holdingPrefetch = 0
    private var holdingBackground = 0
    private var arrivals: UInt64 = 0

    /// - Parameters:
    ///   - places: places in all, at least 1.
    ///   - placesPerGroup: places that one group may hold, at least 1.
    public init(places: Int, placesPerGroup: Int = .max) {
        self.places = max(1, places)
        self.placesPerGroup = max(1, placesPerGroup)
    }

    public var waitingCount: Int { members.count - holders.count }
    public var holdingCount: Int { holders.count }
    public var holdingPrefetchCount: Int { holdingPrefetch }
    public var isEmpty: Bool { members.isEmpty }
    /// Groups that hold something, for the tests: one that holds nothing is forgotten.
    var holdingGroupCount: Int { holdings.count }
    /// Comparisons made by the queues that exist now, for the tests.
    var comparisons: Int { visible.comparisons + prefetch.comparisons + background.comparisons }

    public func standing(of id: ID) -> Standing? { members[id].map { $0.holds ? .holding : .waiting } }
    public func priority(of id: ID) -> Priority? { members[id]?.priority }

    /// How many places `group` holds now.
    public func holdingCount(of group: Group) -> Int { holdings[group]?.count ?? 0 }

    /// Gives `group` a limit of its own, at most ``placesPerGroup``; 0 keeps all of it waiting, nil makes it like the
    /// rest. What holds a place already keeps it. A limit is remembered until it is taken back.
    public mutating func limit(_ group: Group, to limit: Int?) {
        let limit = limit.map { max(0, $0) }.flatMap { $0 < placesPerGroup ? $0 : nil }
        guard limits[group] != limit else { return }
        limits[group] = limit
        refresh(group)
    }

    /// Lets `group` hold so many places, at most ``placesPerGroup`` and at least 1; nil makes it like the rest. Unlike a
    /// limit, which says how many may start now, it also says how many prefetch may hold: half. A size is remembered until
    /// it is taken back.
    public mutating func resize(_ group: Group, to size: Int?) {
        let size = size.map { max(1, $0) }.flatMap { $0 < placesPerGroup ? $0 : nil }
        guard sizes[group] != size else { return }
        sizes[group] = size
        refresh(group)
    }

    /// Puts `id` in the line of its group. An id that is in already is only given the new priority.
    public mutating func enqueue(_ id: ID, in group: Group, priority: Priority) {
        guard members[id] == nil else { return reprioritise(id, to: priority) }
        arrivals += 1
        members[id] = Member(group: group, priority: priority, arrival: arrivals)
        insert(id)
        refresh(group)
    }

    /// Changes the priority of one that waits or holds; does nothing when `id` is unknown.
    public mutating func reprioritise(_ id: ID, to priority: Priority) {
        guard let before = members[id], before.priority != priority else { return }
        members[id]?.priority = priority
        let changesLane = before.priority.lane != priority.lane
        if before.holds {
            if changesLane {
                count(before.priority.lane, in: before.group, by: -1)
                count(priority.lane, in: before.group, by: 1)
            }
        } else {
            // Within its flow it is only moved: were it the last of the flow, the flow would leave the line and return.
            if changesLane || before.priority.flow != priority.flow { withdraw(id, before) }
            insert(id)
        }
        refresh(before.group)
    }

    /// Takes `id` out, whether it waits (a cancel) or holds a place (its work has ended). Nil when it is unknown.
    @discardableResult
    public mutating func remove(_ id: ID) -> Standing? {
        guard let member = members.removeValue(forKey: id) else { return nil }
        if member.holds {
            holders.remove(id)
            count(member.priority.lane, in: member.group, by: -1)
            holdings[member.group]?.count -= 1
            if holdings[member.group]?.count == 0 { holdings[member.group] = nil }
        } else {
            withdraw(id, member)
        }
        refresh(member.group)
        return member.holds ? .holding : .waiting
    }

    /// Gives a place to the one that goes first, if any may start. Call it until it answers nil.
    public mutating func startNext() -> ID? {
        guard holders.count < places else { return nil }
        if visible.isReady { return visible.removeFirst().map { start($0) } }
        let half = max(1, places / 2)
        if holdingPrefetch < half, prefetch.isReady { return prefetch.removeFirst().map { start($0) } }
        guard holdingPrefetch + holdingBackground < half else { return nil }
        return background.removeFirst().map { start($0) }
    }

    /// A holder of the background, or one of prefetch when that holds more than half of the places, while something
    /// visible waits for a place: of the owner that holds the most, the least urgent. The caller stops its work, removes it
    /// and may enqueue it again.
    public func nextToYield() -> ID? {
        guard holders.count >= places, visible.isReady else { return nil }
        if holdingBackground > 0 { return leastUrgent(in: .background) { _ in true } }
        return holdingPrefetch > places / 2 ? leastUrgent(in: .prefetch) { _ in true } : nil
    }

    /// The same for the places of one group. What exceeds a group that was made smaller ends by itself: to stop it would
    /// give nobody a place.
    public func nextToYield(in group: Group) -> ID? {
        let size = size(of: group)
        guard let holding = holdings[group], holding.count == size, holding.unseen > size / 2,
            visible.waits(in: group)
        else { return nil }
        return leastUrgent { $0.group == group }
    }

    private func leastUrgent(where matches: (Member) -> Bool) -> ID? {
        leastUrgent(in: .background, where: matches) ?? leastUrgent(in: .prefetch, where: matches)
    }

    private func leastUrgent(in lane: Priority.Lane, where matches: (Member) -> Bool) -> ID? {
        var owners: [Flow.Owner: (count: Int, least: (id: ID, rank: Queue.Rank))] = [:]
        for id in holders {
            guard let member = members[id], member.priority.lane == lane, matches(member) else { continue }
            let rank = Queue.Rank(priority: member.priority, arrival: member.arrival)
            let before = owners[member.priority.flow.owner] ?? (0, (id, rank))
            owners[member.priority.flow.owner] = (
                before.count + 1, rank < before.least.rank ? (id, rank) : before.least
            )
        }
        // Of owners that hold as many, again the one with the least urgent.
        return owners.values.min { left, right in
            left.count == right.count ? left.least.rank < right.least.rank : left.count > right.count
        }?.least.id
    }

    private mutating func start(_ id: ID) -> ID {
        guard let member = members[id] else { return id }
        members[id]?.holds = true
        holders.insert(id)
        holdings[member.group, default: Holding()].count += 1
        count(member.priority.lane, in: member.group, by: 1)
        refresh(member.group)
        return id
    }

    private mutating func insert(_ id: ID) {
        guard let member = members[id] else { return }
        let rank = Queue.Rank(priority: member.priority, arrival: member.arrival)
        switch member.priority.lane {
        case .visible: visible.set(id, in: member.group, to: rank)
        case .prefetch: prefetch.set(id, in: member.group, to: rank)
        case .background: background.set(id, in: member.group, to: rank)
        }
    }

    private mutating func withdraw(_ id: ID, _ member: Member) {
        switch member.priority.lane {
        case .visible: visible.remove(id, of: member.priority.flow, from: member.group)
        case .prefetch: prefetch.remove(id, of: member.priority.flow, from: member.group)
        case .background: background.remove(id, of: member.priority.flow, from: member.group)
        }
    }

    private mutating func count(_ lane: Priority.Lane, in group: Group, by change: Int) {
        switch lane {
        case .visible: break
        case .prefetch:
            holdingPrefetch += change
            holdings[group]?.prefetch += change
        case .background:
            holdingBackground += change
            holdings[group]?.background += change
        }
    }

    private func size(of group: Group) -> Int { sizes[group] ?? placesPerGroup }

    /// Opens or closes the lines of `group`, by what it holds and what waits now.
    private mutating func refresh(_ group: Group) {
        let holding = holdings[group] ?? Holding()
        let size = size(of: group)
        let hasPlace = holding.count < min(limits[group] ?? size, size)
        visible.open(group, hasPlace)
        let prefetchHasPlace = hasPlace && holding.prefetch < max(1, size / 2)
        prefetch.open(group, prefetchHasPlace && !visible.waits(in: group))
        let backgroundHasPlace = hasPlace && holding.unseen < max(1, size / 2)
        background.open(group, backgroundHasPlace && !visible.waits(in: group) && !prefetch.waits(in: group))
    }
}
