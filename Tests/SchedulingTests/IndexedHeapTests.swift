import TestSupport
import Testing

@testable import Scheduling

@Suite struct IndexedHeapTests {
    @Test func `the greatest rank comes out first`() {
        var heap = IndexedHeap<String, Int>()
        heap.set("low", to: 1)
        heap.set("high", to: 9)
        heap.set("middle", to: 5)
        #expect(heap.removeFirst()?.id == "high")
        #expect(heap.removeFirst()?.id == "middle")
        #expect(heap.removeFirst()?.id == "low")
        #expect(heap.removeFirst() == nil)
    }

    @Test func `any id can be moved or removed`() {
        var heap = IndexedHeap<String, Int>()
        for (rank, id) in ["a", "b", "c", "d"].enumerated() { heap.set(id, to: rank) }
        heap.set("a", to: 10)
        #expect(heap.remove("d") == 3)
        #expect(heap.remove("d") == nil)
        #expect(heap.removeFirst()?.id == "a")
        #expect(heap.removeFirst()?.id == "c")
        #expect(heap.count == 1)
    }

    @Test func `the heap agrees with a dictionary over ten thousand random steps`() {
        var random = SeededRandom(seed: 7)
        var heap = IndexedHeap<Int, Int>()
        var model: [Int: Int] = [:]
        for _ in 0..<10_000 {
            let id = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let rank = Int.random(in: 0..<1_000_000, using: &random)
                heap.set(id, to: rank)
                model[id] = rank
            case 2:
                #expect(heap.remove(id) == model.removeValue(forKey: id))
            default:
                let first = heap.removeFirst()
                #expect(first?.rank == model.values.max())
                if let first { model[first.id] = nil }
            }
            #expect(heap.count == model.count)
        }
    }
}
