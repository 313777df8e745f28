import TestSupport
import Testing

@testable import GalleryServer

@Suite struct SlotTableTests {
    @Test func `the table behaves like a dictionary under random changes`() {
        var random = SeededRandom(seed: 23)
        var table = SlotTable<Int>()
        var known: [Int: Int] = [:]
        var most = 0
        for step in 0..<20_000 {
            // A few runs far from each other, like viewports and landing slots.
            let run = [0, 70, 1 << 20, 1 << 52].randomElement(using: &random) ?? 0
            let slot = run + Int.random(in: 0..<90, using: &random)
            if Int.random(in: 0..<(step % 2_000 < 1_000 ? 4 : 2), using: &random) == 0 {
                table[slot] = nil
                known[slot] = nil
            } else {
                table[slot] = step
                known[slot] = step
            }
            most = max(most, known.count)
            #expect(table.count == known.count && table[slot] == known[slot])
            #expect(table.contains(slot) == (known[slot] != nil))
            if step % 500 == 0 {
                #expect(Dictionary(uniqueKeysWithValues: table.map { ($0.key, $0.value) }) == known)
                #expect(table.keys.sorted() == known.keys.sorted() && table.values.sorted() == known.values.sorted())
            }
        }
        #expect(most > 200)
        let left = table.filter { $0.key < 90 }
        #expect(Set(left.keys) == Set(known.keys.filter { $0 < 90 }) && !left.isEmpty)
        for slot in known.keys { table[slot] = nil }
        #expect(table.isEmpty && table.keys.isEmpty && !table.contains(0) && table[0] == nil)
    }

    @Test func `a value is changed in place, and a copy keeps its own`() {
        var table = SlotTable<[Int]>()
        for slot in 0..<40 { table[slot] = [slot] }
        let copy = table
        table[7]?.append(1)
        table[41]?.append(1)
        #expect(table[7] == [7, 1] && table[41] == nil && table.count == 40)
        #expect(copy[7] == [7])
    }

    @Test func `slots that were never set are absent`() {
        var table = SlotTable<Int>()
        #expect(table[0] == nil && !table.contains(0) && table.keys.isEmpty)
        table[3] = 1
        #expect(table[-1] == nil && !table.contains(-1) && table[Int.max] == nil && table[4] == nil)
        table[-1] = nil
        #expect(table.count == 1)
    }
}
