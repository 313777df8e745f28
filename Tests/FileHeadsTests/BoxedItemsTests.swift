import Testing

@testable import FileHeads

/// The table of where a HEIC's items are.
@Suite(.timeLimit(.minutes(1))) struct BoxedItemsTests {
    /// Version 0, these widths of offset and length, no base, and items numbered from 0 with these numbers of extents.
    private func table(widths: UInt8, _ extents: [UInt16], _ rest: [UInt8] = []) -> [UInt8] {
        [0, 0, 0, 0, widths, 0] + big(UInt16(extents.count))
            + extents.enumerated().flatMap { big(UInt16($0)) + [0, 0] + big($1) } + rest
    }

    private func big(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

    @Test func `an item has the extents that the table lists`() {
        let places = ItemPlaces(table(widths: 0x11, [2], [5, 3, 9, 0])[...]).places
        #expect(places.count == 1 && places[0]?.extents == [5..<8, 9..<9] && places[0]?.isInData == false)
    }

    @Test func `an item without widths has one extent, which is all there is`() {
        #expect(ItemPlaces(table(widths: 0, [1, 1])[...]).places.mapValues(\.extents) == [0: [0..<0], 1: [0..<0]])
    }

    @Test func `extents that take no bytes are not counted one by one`() {
        // Four billion.
        let box = table(widths: 0, [UInt16](repeating: .max, count: 65_535))
        #expect(ItemPlaces(box[...]).places.isEmpty)
    }
}
