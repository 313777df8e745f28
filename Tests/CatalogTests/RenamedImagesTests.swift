import Images
import Testing

@testable import Catalog

@Suite struct RenamedImagesTests {
    private func id(_ number: UInt64) -> ImageID { ImageID(rawValue: number) }

    @Test func `an image is followed through several renames, and back`() {
        let renamed = RenamedImages()
        renamed.record([(id(1), id(2)), (id(8), id(9))])
        renamed.record([(id(2), id(3))])
        #expect(renamed.successors(of: id(1)) == [id(2), id(3)])
        #expect(renamed.successors(of: id(3)).isEmpty)
        renamed.record([(id(3), id(1))])
        #expect(renamed.successors(of: id(1)) == [id(2), id(3)])
        #expect(renamed.successors(of: id(2)) == [id(3), id(1)])
    }

    @Test func `a chain and the number of images remembered are bounded`() {
        let renamed = RenamedImages()
        renamed.record((0..<1_000).map { (id($0), id($0 + 1)) })
        #expect(renamed.successors(of: id(0)).count == 16)
        for round in 1...200 as ClosedRange<UInt64> {
            renamed.record((0..<1_000).map { (id(round << 20 + $0), id($0)) })
        }
        #expect(renamed.successors(of: id(1 << 20 + 5)).isEmpty)
        #expect(renamed.successors(of: id(200 << 20 + 5)) == [id(5)])
    }
}
