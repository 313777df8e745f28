import Foundation
import Images
import TestSupport
import Testing

@testable import Catalog

@Suite struct ColumnsTests {
    @Test func `columns are loaded a few blocks at a time, and only changed blocks are loaded again`() throws {
        let (index, size) = (try Index(), UInt32(ColumnBlock.size))
        let keeper = index.columns
        let hasMore = { (limit: Int) in try keeper.refresh(below: 5 * size / 2, of: index, limit: limit) }
        #expect(try hasMore(1) && !keeper.areCurrent(below: size + 1) && keeper.areCurrent(below: size))
        #expect(try hasMore(1))
        #expect(try !hasMore(1) && keeper.areCurrent(below: 5 * size / 2))
        let before = keeper.current
        keeper.touch([7, size + 7, 2 * size + 7])
        #expect(!keeper.areCurrent(below: 1))
        #expect(try hasMore(2))
        #expect(try !hasMore(2) && keeper.areCurrent(below: 5 * size / 2))
        #expect(zip(before.blocks, keeper.current.blocks).allSatisfy { $0 !== $1 })
        let after = keeper.current
        keeper.touch([size])
        #expect(
            try !hasMore(.max) && zip(after.blocks, keeper.current.blocks).map { $0 === $1 } == [true, false, true])
    }

    @Test func `a stored block is restored unchanged, and a truncated one is refused`() {
        let table = FolderTable()
        var rows = [ColumnRow?](repeating: nil, count: ColumnBlock.size)
        for place in stride(from: 0, to: ColumnBlock.size, by: 3) {
            var row = ColumnRow(folder: "f/\(place % 7)", size: Int64(place), taken: Int64(place) * 1_000_000)
            row.name.append(folding: "Word \(place)\n")
            row.name.append(UInt8(ascii: "\n"))
            for field in NoteField.allCases { row.note += Array("\(field) \(place % 11)\n".utf8) }
            row.ratio = UInt8(place % 255)
            row.place = place % 2 == 0 ? (Double(place % 90), 2.5) : nil
            row.isBroken = place % 5 == 0
            row.rating = Int8(place % 7) - 1
            row.sensitivity = UInt32(place) * 100
            rows[place] = row
        }
        let block = ColumnBlock(rows, folders: table)
        let data = block.stored(table)
        // Folder numbers differ in another run.
        let other = FolderTable()
        _ = other.number(of: "something else")
        guard let again = ColumnBlock(stored: data, folders: other) else {
            Issue.record("the stored block cannot be read")
            return
        }
        #expect(again.names == block.names && block.names.has(Array("word 33 ".utf8), in: 33))
        #expect(again.notes == block.notes && again.noteTexts == block.noteTexts && again.taken == block.taken)
        // Equal notes are stored once, and one note belongs to rows that do not exist.
        #expect(block.noteTexts.count == 12)
        #expect(again.sizes == block.sizes && again.ratios == block.ratios && again.broken == block.broken)
        #expect(again.ratings == block.ratings && block.ratings.contains(-1))
        #expect(again.sensitivities == block.sensitivities && block.sensitivities.contains(300))
        #expect(again.folders.map { other.paths[Int($0)] } == block.folders.map { table.paths[Int($0)] })
        #expect(again.places == block.places && block.places.count == 683)
        for cut in stride(from: 0, to: data.count, by: 997) {
            #expect(ColumnBlock(stored: data.prefix(cut), folders: FolderTable()) == nil)
        }
        var random = SeededRandom(seed: 5)
        for _ in 0..<2_000 {
            var hurt = data
            hurt[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            // Whatever it contains, it is read without a trap, and can be searched.
            guard let block = ColumnBlock(stored: hurt, folders: FolderTable()) else { continue }
            #expect(block.names.count == ColumnBlock.size)
        }
    }
}
