import Renditions
import Testing

@testable import Decoding

@Suite struct PixelsTests {
    @Test func `the byte count must match the dimensions`() {
        #expect(Pixels(width: 2, height: 2, bytes: Array(repeating: 0, count: 12)) != nil)
        #expect(Pixels(width: 2, height: 2, bytes: Array(repeating: 0, count: 11)) == nil)
        #expect(Pixels(width: 2, height: 2, hasAlpha: true, bytes: Array(repeating: 0, count: 12)) == nil)
        #expect(Pixels(width: 0, height: 2, bytes: []) == nil)
        #expect(Pixels(width: .max, height: .max, bytes: []) == nil)
    }

    @Test func `shrinking averages colours weighted by their alpha`() throws {
        let row: [UInt8] = [200, 0, 0, 255, 0, 0, 99, 0]
        let picture = try Picture(copying: row + row, width: 2, height: 2, bands: 4)
        let small = try #require(Pixels(shrinking: picture, to: 1))
        #expect(small.bytes == [200, 0, 0, 127])
        let grey = try Picture(copying: [10, 20, 30, 40], width: 4, height: 1, bands: 1)
        #expect(Pixels(shrinking: grey, to: 2)?.bytes == [15, 15, 15, 35, 35, 35])
    }
}
