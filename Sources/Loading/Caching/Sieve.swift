/// A cache with a byte budget that resists scans: SIEVE (Zhang et al., NSDI 2024). New entries go to the head of a
/// list. A hand walks from the tail, spares each entry used since its last visit, and evicts the first that was not.
/// Entries that one fast scroll brought in are soon evicted again, while entries that are used repeatedly stay. A hit
/// sets one bit.
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

    /// The limit that the sum of costs never exceeds.
    let budget: Int
    private(set) var cost = 0
    private(set) var evictions = 0
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var positions: [Key: Int] = [:]
    private var newest: Int?
    private var oldest: Int?
    private var hand: Int?

    init(budget: Int) { self.budget = max(0, budget) }

    var count: Int { positions.count }
    var keys: Dictionary<Key, Int>.Keys { positions.keys }

    /// Returns the value and marks it as used.
    mutating func use(_ key: Key) -> Value? {
        guard let place = positions[key] else { return nil }
        nodes[place]?.wasUsed = true
        return nodes[place]?.value
    }

    /// Returns the value without marking it as used.
    func peek(_ key: Key) -> Value? { positions[key].flatMap { nodes[$0]?.value } }

    /// Inserts or replaces a value. A value that costs more than the whole budget is not stored.
    ///
    /// - Returns: The evicted keys.
    @discardableResult
    mutating func insert(_ value: Value, for key: Key, cost: Int) -> [Key] {
        // A replacement keeps the use bit of the value it replaces.
        let wasUsed = positions[key].flatMap { nodes[$0]?.wasUsed } ?? false
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
        positions[key] = place
        self.cost += cost
        return evicted
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let place = positions.removeValue(forKey: key), let node = nodes[place] else { return nil }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
        if hand == place { hand = node.newer }
        nodes[place] = nil
        free.append(place)
        cost -= node.cost
        return node.value
    }

    private mutating func evictOne() -> Key? {
        // At most one round of clearing use bits, then one eviction.
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
