import Renditions
import Testing

@testable import Decoding

@Suite struct ThumbHashTests {
    private func hash(_ width: Int, _ height: Int, _ colour: [UInt8]) -> [UInt8] {
        let bytes = (0..<width * height).flatMap { _ in colour }
        return ThumbHash(Pixels(width: width, height: height, hasAlpha: colour.count == 4, bytes: bytes)!).bytes
    }

    /// Decodes the header as https://evanw.github.io/thumbhash/ does.
    private func header(_ hash: [UInt8]) -> (l: Double, p: Double, q: Double, hasAlpha: Bool, isLandscape: Bool) {
        let first = UInt32(hash[0]) | UInt32(hash[1]) << 8 | UInt32(hash[2]) << 16
        return (
            Double(first & 63) / 63, Double(first >> 6 & 63) / 31.5 - 1, Double(first >> 12 & 63) / 31.5 - 1,
            first >> 23 == 1, hash[4] >> 7 == 1
        )
    }

    @Test(
        arguments: [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0], [200, 100, 50]] as [[UInt8]])
    func `the average colour can be read back`(colour: [UInt8]) {
        let (l, p, q, hasAlpha, _) = header(hash(30, 20, colour))
        let blue = l - 2 / 3 * p
        let red = (3 * l - blue + q) / 2
        let read = [red, red - q, blue].map { $0 * 255 }
        #expect(zip(read, colour).allSatisfy { abs($0 - Double($1)) <= 8 }, "\(read)")
        #expect(!hasAlpha)
    }

    @Test func `the hash records orientation and alpha`() {
        #expect(header(hash(40, 20, [1, 2, 3])).isLandscape)
        #expect(!header(hash(20, 40, [1, 2, 3])).isLandscape)
        #expect(header(hash(20, 20, [1, 2, 3, 128])).hasAlpha)
        #expect(!header(hash(20, 20, [1, 2, 3, 255])).hasAlpha)
    }

    @Test func `a hash has at most 25 bytes and differs between pictures`() {
        var seen: Set<[UInt8]> = []
        for (width, height) in [(1, 1), (32, 32), (32, 3), (3, 32), (100, 75)] {
            for alpha in [nil, UInt8(90)] {
                let hash = ThumbHash(Sample.quarters(width: width, height: height, alpha: alpha)).bytes
                #expect((5...25).contains(hash.count))
                seen.insert(hash)
            }
        }
        #expect(seen.count == 10)
    }

    /// Brightness only, by the reference's own arithmetic: a bright left half has a positive first frequency.
    @Test func `a bright left half is encoded as bright on the left`() {
        let row = (0..<16).flatMap { x -> [UInt8] in x < 8 ? [250, 250, 250] : [5, 5, 5] }
        let pixels = Pixels(width: 16, height: 16, bytes: (0..<16).flatMap { _ in row })!
        let mirrored = Pixels(width: 16, height: 16, bytes: pixels.bytes.reversed())!
        #expect(ThumbHash(pixels).bytes[5] & 15 == 15)
        #expect(ThumbHash(mirrored).bytes[5] & 15 == 0)
    }
}
