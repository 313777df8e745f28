/// Decides what runs next. There is a fixed number of permits, each of which lets one piece of work run; a queue of
/// work waiting for one; and a limit of permits for each group, such as an origin. A pure value without threads or
/// clocks.
///
/// All visible work goes before all prefetch, and that before background work, which nobody has requested. Within a
/// level, permits rotate among the owners of ``Flow``s that have eligible work, whatever its group, and within an
/// owner's share among its flows. Within a flow, ``Priority`` decides, then the order of arrival. Prefetch may hold
/// at most half of the permits, of the total and of each group, so that visible work finds a permit at once;
/// background work, counted together with prefetch, has the same limit. If there is only one permit, they may hold it
/// while no work of a higher level waits. Work that turns from visible to prefetch while running can exceed the half;
/// ``nextToYield()`` names it, for a caller that can stop work and queue it again.
///
/// Enqueueing, removing and reprioritizing cost O(log n) comparisons; so does a start, for each group in which other
/// flows wait beside its own.
public struct PermitAllocator<ID: Hashable & Sendable, Group: Hashable & Sendable>: Sendable {
    /// The state of an id when it was removed.
    public enum State: Hashable, Sendable {
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

        /// Permits held by anything but visible work.
        var unseen: Int { prefetch + background }
    }

    /// The number of permits.
    public let permits: Int
    /// The number of permits of each group, unless it was given a size of its own.
    public let permitsPerGroup: Int

    private var members: [ID: Member] = [:]
    private var visible = Queue()
    private var prefetch = Queue()
    private var background = Queue()
    /// The permits held by each group; groups that hold none are absent.
    private var holdings: [Group: Holding] = [:]
    /// Groups with a limit of their own.
    private var limits: [Group: Int] = [:]
    private var sizes: [Group: Int] = [:]
    private var holders: Set<ID> = []
    private var holdingPrefetch = 0
    private var holdingBackground = 0
    private var arrivals: UInt64 = 0

    /// - Parameters:
    ///   - places: The number of permits in all, at least 1.
    ///   - permitsPerGroup: The number of permits that one group may hold, at least 1.
    public init(permits: Int, permitsPerGroup: Int = .max) {
        self.permits = max(1, permits)
        self.permitsPerGroup = max(1, permitsPerGroup)
    }

    /// The number of ids that wait.
    public var waitingCount: Int { members.count - holders.count }
    /// The number of ids that hold a permit.
    public var holdingCount: Int { holders.count }
    /// The number of ids that hold a permit for prefetch.
    public var holdingPrefetchCount: Int { holdingPrefetch }
    /// Whether nothing waits and nothing runs.
    public var isEmpty: Bool { members.isEmpty }
    /// Groups that hold permits, for tests: the others must be forgotten.
    var holdingGroupCount: Int { holdings.count }
    /// Comparisons made by the existing queues, for tests.
    var comparisons: Int { visible.comparisons + prefetch.comparisons + background.comparisons }

    /// Whether `id` waits or holds a permit; nil if it is unknown.
    public func state(of id: ID) -> State? { members[id].map { $0.holds ? .holding : .waiting } }
    /// The priority of `id`; nil if it is unknown.
    public func priority(of id: ID) -> Priority? { members[id]?.priority }

    /// The number of permits that `group` holds now.
    public func holdingCount(of group: Group) -> Int { holdings[group]?.count ?? 0 }

    /// Gives `group` a limit of its own, at most ``permitsPerGroup``: 0 keeps all its work waiting, nil restores the
    /// default. Running work keeps its permit. A limit is remembered until it is reset.
    public mutating func limit(_ group: Group, to limit: Int?) {
        let limit = limit.map { max(0, $0) }.flatMap { $0 < permitsPerGroup ? $0 : nil }
        guard limits[group] != limit else { return }
        limits[group] = limit
        refresh(group)
    }

    /// Gives `group` a size of its own, from 1 to ``permitsPerGroup``; nil restores the default. A limit determines
    /// only how many permits may be taken now; a size also determines prefetch's half. A size is remembered until it
    /// is reset.
    public mutating func resize(_ group: Group, to size: Int?) {
        let size = size.map { max(1, $0) }.flatMap { $0 < permitsPerGroup ? $0 : nil }
        guard sizes[group] != size else { return }
        sizes[group] = size
        refresh(group)
    }

    /// Queues `id` in its group. If it is already known, this only changes its priority.
    public mutating func enqueue(_ id: ID, in group: Group, priority: Priority) {
        guard members[id] == nil else { return reprioritise(id, to: priority) }
        arrivals += 1
        members[id] = Member(group: group, priority: priority, arrival: arrivals)
        insert(id)
        refresh(group)
    }

    /// Changes the priority of waiting or running work. A no-op if `id` is unknown.
    public mutating func reprioritise(_ id: ID, to priority: Priority) {
        guard let before = members[id], before.priority != priority else { return }
        members[id]?.priority = priority
        let changesLane = before.priority.level != priority.level
        if before.holds {
            if changesLane {
                count(before.priority.level, in: before.group, by: -1)
                count(priority.level, in: before.group, by: 1)
            }
        } else {
            // If the flow stays the same, the item only moves. If it were the flow's last, removing it would make the
            // flow leave the queue.
            if changesLane || before.priority.flow != priority.flow { withdraw(id, before) }
            insert(id)
        }
        refresh(before.group)
    }

    /// Removes `id`, whether it waits (a cancel) or holds a permit (its work has ended). Returns nil if it is unknown.
    @discardableResult
    public mutating func remove(_ id: ID) -> State? {
        guard let member = members.removeValue(forKey: id) else { return nil }
        if member.holds {
            holders.remove(id)
            count(member.priority.level, in: member.group, by: -1)
            holdings[member.group]?.count -= 1
            if holdings[member.group]?.count == 0 { holdings[member.group] = nil }
        } else {
            withdraw(id, member)
        }
        refresh(member.group)
        return member.holds ? .holding : .waiting
    }

    /// Gives a permit to the first item that may start. Call it until it returns nil.
    public mutating func startNext() -> ID? {
        guard holders.count < permits else { return nil }
        if visible.isReady { return visible.removeFirst().map { start($0) } }
        let half = max(1, permits / 2)
        if holdingPrefetch < half, prefetch.isReady { return prefetch.removeFirst().map { start($0) } }
        guard holdingPrefetch + holdingBackground < half else { return nil }
        return background.removeFirst().map { start($0) }
    }

    /// While visible work waits for a permit: running background work, or running prefetch if that holds more than
    /// half of the permits; of the owner with the most permits, the least urgent. The caller stops that work, removes
    /// it and may queue it again.
    public func nextToYield() -> ID? {
        guard holders.count >= permits, visible.isReady else { return nil }
        if holdingBackground > 0 { return leastUrgent(in: .background) { _ in true } }
        return holdingPrefetch > permits / 2 ? leastUrgent(in: .prefetch) { _ in true } : nil
    }

    /// The same for the permits of one group. Work beyond the size of a group that was reduced is left to finish:
    /// stopping it would give nobody a permit.
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

    private func leastUrgent(in level: Priority.Level, where matches: (Member) -> Bool) -> ID? {
        var owners: [Flow.Owner: (count: Int, least: (id: ID, rank: Queue.Rank))] = [:]
        for id in holders {
            guard let member = members[id], member.priority.level == level, matches(member) else { continue }
            let rank = Queue.Rank(priority: member.priority, arrival: member.arrival)
            let before = owners[member.priority.flow.owner] ?? (0, (id, rank))
            owners[member.priority.flow.owner] = (
                before.count + 1, rank < before.least.rank ? (id, rank) : before.least
            )
        }
        // Among owners with equally many permits, choose the one with the least urgent work.
        return owners.values.min { left, right in
            left.count == right.count ? left.least.rank < right.least.rank : left.count > right.count
        }?.least.id
    }

    private mutating func start(_ id: ID) -> ID {
        guard let member = members[id] else { return id }
        members[id]?.holds = true
        holders.insert(id)
        holdings[member.group, default: Holding()].count += 1
        count(member.priority.level, in: member.group, by: 1)
        refresh(member.group)
        return id
    }

    private mutating func insert(_ id: ID) {
        guard let member = members[id] else { return }
        let rank = Queue.Rank(priority: member.priority, arrival: member.arrival)
        switch member.priority.level {
        case .visible: visible.set(id, in: member.group, to: rank)
        case .prefetch: prefetch.set(id, in: member.group, to: rank)
        case .background: background.set(id, in: member.group, to: rank)
        }
    }

    private mutating func withdraw(_ id: ID, _ member: Member) {
        switch member.priority.level {
        case .visible: visible.remove(id, of: member.priority.flow, from: member.group)
        case .prefetch: prefetch.remove(id, of: member.priority.flow, from: member.group)
        case .background: background.remove(id, of: member.priority.flow, from: member.group)
        }
    }

    private mutating func count(_ level: Priority.Level, in group: Group, by change: Int) {
        switch level {
        case .visible: break
        case .prefetch:
            holdingPrefetch += change
            holdings[group]?.prefetch += change
        case .background:
            holdingBackground += change
            holdings[group]?.background += change
        }
    }

    private func size(of group: Group) -> Int { sizes[group] ?? permitsPerGroup }

    /// Opens or closes the queues of `group`, according to the permits it holds and what waits.
    private mutating func refresh(_ group: Group) {
        let holding = holdings[group] ?? Holding()
        let size = size(of: group)
        let hasPermit = holding.count < min(limits[group] ?? size, size)
        visible.open(group, hasPermit)
        let prefetchMayStart = hasPermit && holding.prefetch < max(1, size / 2)
        prefetch.open(group, prefetchMayStart && !visible.waits(in: group))
        let backgroundMayStart = hasPermit && holding.unseen < max(1, size / 2)
        background.open(group, backgroundMayStart && !visible.waits(in: group) && !prefetch.waits(in: group))
    }
}
