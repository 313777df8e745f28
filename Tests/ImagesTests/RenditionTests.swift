import Images
import Testing

struct RenditionTests {
    @Test("Storage numbers and stream numbers never change, because caches and clients know them")
    func numbersAreFixed() {
        let storage = Dictionary(uniqueKeysWithValues: Rendition.allCases.map { ($0.rawValue, $0.storageNumber) })
        let known: [String: UInt8] = [
            "preview": 0, "tile": 1, "screen": 2, "original": 3, "160": 4, "640": 5, "1280": 6, "2560": 7, "full": 8,
            "pyramid": 9,
        ]
        #expect(storage.filter { known[$0.key] != nil } == known)
        #expect(Set(storage.values).count == Rendition.allCases.count)
        #expect(Rendition.preview.streamNumber == 1 && Rendition.tile.streamNumber == 2)
        let streamed = Rendition.allCases.compactMap(\.streamNumber)
        #expect(streamed.sorted() == Array(1...UInt8(streamed.count)))
    }

    @Test("A rendition is found by its storage number")
    func storageNumbers() {
        for rendition in Rendition.allCases { #expect(Rendition(storageNumber: rendition.storageNumber) == rendition) }
        #expect(Rendition(storageNumber: 99) == nil)
    }

    @Test("Steps grow and end with the full size")
    func steps() {
        let sides = Rendition.steps.compactMap(\.longestSide)
        #expect(sides == sides.sorted() && sides.count == Rendition.steps.count - 1 && sides.count > 5)
        #expect(Rendition.steps.last == .full)
    }

    @Test("A rendition is found by its names, and a step by its pixels too")
    func names() {
        for rendition in Rendition.allCases { #expect(Rendition(name: rendition.rawValue) == rendition) }
        for step in Rendition.steps { if let side = step.longestSide { #expect(Rendition(name: "\(side)") == step) } }
        #expect(Set(Rendition.names).isSuperset(of: ["preview", "tile", "320", "screen", "1600", "full"]))
        for name in ["", "64", "Tile", "0320", "321"] { #expect(Rendition(name: name) == nil) }
    }
}
