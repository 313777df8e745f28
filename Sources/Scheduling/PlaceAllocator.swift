/// Decides who works next: a fixed number of places, a queue of those who wait for one, and at most so many places for
/// each group (an origin, say). A pure value: it knows neither threads nor clocks.
///
/// The order is that of ``Priority``; equals go in the order in which they came. Prefetch is given at most half of the
/// places (of the total and of each group), so that something visible finds a place at once. Where there is a single
/// place, prefetch may have it while nothing visible waits. Holders that turn from visible to prefetch can still
/// exceed their half; ``nextToYield(_:)`` names those, for a caller that can stop them and queue them anew.
///
/// Enqueue, remove, reprioritise and start cost O(log n) comparisons.
public struct PlaceAllocator<ID: Hashable & Sendable, Group: Hashable & Sendable>: Sendable {
    /// What an id was doing when it was removed.
    public enum Standing: Hashable, Sendable {
        case waiting
        case holding
    }

    struct Rank: Comparable, Sendable {
        let priority: Priority
        let arrival: UInt64

        static func < (left: Rank, right: Rank) -> Bool {
            left.priority == right.priority ? left.arrival > right.arrival : left.priority < right.priority
        }
    }

    private struct Member: Sendable {
        let group: Group
        var priority: Priority
        let arrival: UInt64
        var holds = false
    }

    private struct Line: Sendable {
        var visible = IndexedHeap<ID, Rank>()
        var prefetch = IndexedHeap<ID, Rank>()
        var holding = 0
        var holdingPrefetch = 0
    }

    /// How many may work at once.
    public let places: Int
    /// How many of one group may work at once.
    public let placesPerGroup: Int

    private var members: [ID: Member] = [:]
    private var lines: [Group: Line] = [:]
    /// The groups that may hold another number of places than the rest.
    private var limits: [Group: Int] = [:]
    /// The groups whose first in line could start, ranked by it.
    private var readyVisible = IndexedHeap<Group, Rank>()
    private var readyPrefetch = IndexedHeap<Group, Rank>()
    private var holders: Set<ID> = []
    private var holdingPrefetch = 0
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
    /// Groups that are remembered, for the tests: one that is empty is forgotten.
    var lineCount: Int { lines.count }
    /// Comparisons made by the queues that exist now, for the tests.
    var comparisons: Int {
        lines.values.reduce(readyVisible.comparisons + readyPrefetch.comparisons) {
            $0 + $1.visible.comparisons + $1.prefetch.comparisons
        }
    }

    public func standing(of id: ID) -> Standing? { members[id].map { $0.holds ? .holding : .waiting } }
    public func priority(of id: ID) -> Priority? { members[id]?.priority }

    /// How many places `group` holds now.
    public func holdingCount(of group: Group) -> Int { lines[group]?.holding ?? 0 }

    /// Gives `group` a limit of its own, at most ``placesPerGroup``; 0 keeps all of it waiting, nil makes it like the
    /// rest. What holds a place already keeps it. A limit is remembered until it is taken back.
    public mutating func limit(_ group: Group, to limit: Int?) {
        let limit = limit.map { max(0, $0) }.flatMap { $0 < placesPerGroup ? $0 : nil }
        guard limits[group] != limit else { return }
        limits[group] = limit
        refresh(group)
    }

    /// Puts `id` in the line of its group. An id that is in already is only given the new priority.
    public mutating func enqueue(_ id: ID, in group: Group, priority: Priority) {
        guard members[id] == nil else { return reprioritise(id, to: priority) }
        arrivals += 1
        let member = Member(group: group, priority: priority, arrival: arrivals)
        members[id] = member
        insert(id, member)
        refresh(group)
    }

    /// Changes the priority of one that waits or holds; does nothing when `id` is unknown.
    public mutating func reprioritise(_ id: ID, to priority: Priority) {
        guard var member = members[id], member.priority != priority else { return }
        let wasPrefetch = member.priority.lane == .prefetch
        let isPrefetch = priority.lane == .prefetch
        if member.holds {
            if wasPrefetch != isPrefetch { countPrefetch(in: member.group, by: isPrefetch ? 1 : -1) }
        } else {
            withdraw(id, member)
        }
        member.priority = priority
        members[id] = member
        if !member.holds { insert(id, member) }
        refresh(member.group)
    }

    /// Takes `id` out, whether it waits (a cancel) or holds a place (its work has ended). Nil when it is unknown.
    @discardableResult
    public mutating func remove(_ id: ID) -> Standing? {
        guard let member = members.removeValue(forKey: id) else { return nil }
        if member.holds {
            holders.remove(id)
            lines[member.group]?.holding -= 1
            if member.priority.lane == .prefetch { countPrefetch(in: member.group, by: -1) }
        } else {
            withdraw(id, member)
        }
        refresh(member.group)
        return member.holds ? .holding : .waiting
    }

    /// Gives a place to the one that goes first, if any may start. Call it until it answers nil.
    public mutating func startNext() -> ID? {
        guard holders.count < places else { return nil }
        if let group = readyVisible.first?.id {
            guard let id = lines[group]?.visible.removeFirst()?.id else { return nil }
            return start(id, in: group)
        }
        guard holdingPrefetch < max(1, places / 2), let group = readyPrefetch.first?.id,
            let id = lines[group]?.prefetch.removeFirst()?.id
        else { return nil }
        return start(id, in: group)
    }

    /// The least urgent prefetch holder, when prefetch holds more than half of the places while something visible waits
    /// for one of them. The caller stops its work, removes it and may enqueue it again.
    public func nextToYield() -> ID? {
        guard holders.count >= places, holdingPrefetch > places / 2, !readyVisible.isEmpty else { return nil }
        return leastUrgentPrefetch { _ in true }
    }

    /// The same for the places of one group.
    public func nextToYield(in group: Group) -> ID? {
        guard let line = lines[group], line.holding >= placesPerGroup, line.holdingPrefetch > placesPerGroup / 2,
            !line.visible.isEmpty
        else { return nil }
        return leastUrgentPrefetch { $0.group == group }
    }

    private func leastUrgentPrefetch(where matches: (Member) -> Bool) -> ID? {
        var least: (id: ID, rank: Rank)?
        for id in holders {
            guard let member = members[id], member.priority.lane == .prefetch, matches(member) else { continue }
            let rank = Rank(priority: member.priority, arrival: member.arrival)
            if least.map({ rank < $0.rank }) ?? true { least = (id, rank) }
        }
        return least?.id
    }

    private mutating func start(_ id: ID, in group: Group) -> ID? {
        guard let priority = members[id]?.priority else { return nil }
        members[id]?.holds = true
        holders.insert(id)
        lines[group]?.holding += 1
        if priority.lane == .prefetch { countPrefetch(in: group, by: 1) }
        refresh(group)
        return id
    }

    private mutating func insert(_ id: ID, _ member: Member) {
        let rank = Rank(priority: member.priority, arrival: member.arrival)
        switch member.priority.lane {
        case .visible: lines[member.group, default: Line()].visible.set(id, to: rank)
        case .prefetch: lines[member.group, default: Line()].prefetch.set(id, to: rank)
        }
    }

    private mutating func withdraw(_ id: ID, _ member: Member) {
        switch member.priority.lane {
        case .visible: lines[member.group]?.visible.remove(id)
        case .prefetch: lines[member.group]?.prefetch.remove(id)
        }
    }

    private mutating func countPrefetch(in group: Group, by change: Int) {
        holdingPrefetch += change
        lines[group]?.holdingPrefetch += change
    }

    /// Brings the two heaps of ready groups in line with what `group` has now; forgets a group that is empty.
    private mutating func refresh(_ group: Group) {
        guard let line = lines[group] else { return }
        let hasPlace = line.holding < limits[group] ?? placesPerGroup
        if hasPlace, let first = line.visible.first {
            readyVisible.set(group, to: first.rank)
        } else {
            readyVisible.remove(group)
        }
        if hasPlace, line.visible.isEmpty, line.holdingPrefetch < max(1, placesPerGroup / 2),
            let first = line.prefetch.first
        {
            readyPrefetch.set(group, to: first.rank)
        } else {
            readyPrefetch.remove(group)
        }
        if line.holding == 0, line.visible.isEmpty, line.prefetch.isEmpty { lines[group] = nil }
    }
}
