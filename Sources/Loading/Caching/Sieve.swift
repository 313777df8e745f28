/// A cache with a byte budget that resists scans: SIEVE (Zhang and others, NSDI 2024). Newcomers go to the head of a list; a
/// hand walks from the tail, forgives what was used since it last came by, and evicts the first that was not. What a
/// fling brings in once is evicted by the next newcomers, while what is looked at again stays. A hit sets one bit.
struct Sieve<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Node: Sendable {
        let key: Key
        var value: Value
        var cost: Int
        var wasUsed = false
        /// Towards the head.
        var newer: Int?
        /// Towards the tail.
        var older: Int?
    }

    /// The sum of costs that is never exceeded.
    let budget: Int
    private(set) var cost = 0
    private(set) var evictions = 0
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var newest: Int?
    private var oldest: Int?
    private var hand: Int?

    init(budget: Int) { self.budget = max(0, budget) }

    var count: Int { places.count }

    /// The value, and its use is noted.
    mutating func use(_ key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        nodes[place]?.wasUsed = true
        return nodes[place]?.value
    }

    /// The value; nothing is noted.
    func peek(_ key: Key) -> Value? { places[key].flatMap { nodes[$0]?.value } }

    /// Puts a value in or replaces it. One that costs more than the whole budget is not kept.
    ///
    /// - Returns: The keys that had to go for it.
    @discardableResult
    mutating func insert(_ value: Value, for key: Key, cost: Int) -> [Key] {
        // What replaces keeps the standing of what it replaces.
        let wasUsed = places[key].flatMap { nodes[$0]?.wasUsed } ?? false
        remove(key)
        guard cost >= 0, cost <= budget else { return [] }
        var evicted: [Key] = []
        while self.cost > budget - cost, let victim = evictOne() { evicted.append(victim) }
        let node = Node(key: key, value: value, cost: cost, wasUsed: wasUsed, newer: nil, older: newest)
        let place: Int
        if let freed = free.popLast() {
            place = freed
            nodes[place] = node
        } else {
            place = nodes.count
            nodes.append(node)
        }
        if let newest { nodes[newest]?.newer = place }
        newest = place
        if oldest == nil { oldest = place }
        places[key] = place
        self.cost += cost
        return evicted
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key), let node = nodes[place] else { return nil }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
        if hand == place { hand = node.newer }
        nodes[place] = nil
        free.append(place)
        cost -= node.cost
        return node.value
    }

    private mutating func evictOne() -> Key? {
        // At most one round of forgiving, then one eviction.
        while let place = hand ?? oldest, let node = nodes[place] {
            if node.wasUsed {
                nodes[place]?.wasUsed = false
                hand = node.newer
            } else {
                hand = place
                remove(node.key)
                evictions += 1
                return node.key
            }
        }
        return nil
    }
}
