import TestSupport
import Testing

@testable import Loading

@Suite struct SieveTests {
    @Test func `the cache stays within its budget under random use`() {
        var random = SeededRandom(seed: 5)
        var sieve = Sieve<Int, Int>(budget: 1_000)
        var model: [Int: Int] = [:]
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<300, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let cost = Int.random(in: 0..<40, using: &random)
                model[key] = step
                for evicted in sieve.insert(step, for: key, cost: cost) { model[evicted] = nil }
            case 1:
                #expect(sieve.remove(key) == model.removeValue(forKey: key))
            default:
                #expect(sieve.use(key) == model[key])
            }
            #expect(sieve.cost <= 1_000 && sieve.count == model.count)
        }
    }

    @Test func `an entry larger than the whole budget is not kept and evicts nothing`() {
        var sieve = Sieve<Int, Int>(budget: 10)
        sieve.insert(1, for: 1, cost: 5)
        #expect(sieve.insert(2, for: 2, cost: 11).isEmpty)
        #expect(sieve.peek(1) == 1 && sieve.peek(2) == nil)
    }

    @Test func `a scan evicts its own entries and not those in repeated use, unlike LRU`() {
        var sieve = Sieve<Int, Int>(budget: 100)
        var recent = LeastRecentlyUsed(capacity: 100)
        // Fifty images that are used repeatedly, then a fast scroll over ten thousand.
        for key in 0..<50 {
            sieve.insert(key, for: key, cost: 1)
            recent.use(key)
        }
        for key in 0..<50 {
            _ = sieve.use(key)
            recent.use(key)
        }
        for key in 1_000..<11_000 {
            sieve.insert(key, for: key, cost: 1)
            recent.use(key)
        }
        #expect((0..<50).count { sieve.peek($0) != nil } == 50)
        #expect((0..<50).count { recent.contains($0) } == 0)
    }
}

/// The policy that SIEVE is compared with.
private struct LeastRecentlyUsed {
    let capacity: Int
    private var order: [Int] = []

    init(capacity: Int) { self.capacity = capacity }

    func contains(_ key: Int) -> Bool { order.contains(key) }

    mutating func use(_ key: Int) {
        order.removeAll { $0 == key }
        order.append(key)
        if order.count > capacity { order.removeFirst() }
    }
}
