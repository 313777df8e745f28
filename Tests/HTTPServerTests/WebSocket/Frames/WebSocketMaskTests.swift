import TestSupport
import Testing

@testable import HTTPServer

@Suite struct WebSocketMaskTests {
    @Test func `the example of RFC 6455 §5·7 is unmasked`() {
        var bytes: [UInt8] = [0x7F, 0x9F, 0x4D, 0x51, 0x58]
        var mask = WebSocketMask(key: 0x37FA_213D)
        bytes.withUnsafeMutableBytes { mask.apply(to: $0) }
        #expect(bytes == Array("Hello".utf8))
    }

    @Test func `masking by words gives the same as masking by bytes, at any alignment`() {
        var random = SeededRandom(seed: 1)
        for length in 0..<70 {
            for offset in 0..<9 {
                let key = UInt32(truncatingIfNeeded: random.next())
                let plain = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                let expected = plain.enumerated().map { $1 ^ UInt8(truncatingIfNeeded: key >> (24 - 8 * ($0 % 4))) }
                var bytes = [UInt8](repeating: 0xAA, count: offset) + plain + [0xAA]
                let cut = random.number(below: length + 1)
                var mask = WebSocketMask(key: key)
                bytes.withUnsafeMutableBytes { bytes in
                    for range in [offset..<(offset + cut), (offset + cut)..<(offset + length)] {
                        mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes[range]))
                    }
                }
                #expect(Array(bytes[offset..<(offset + length)]) == expected)
                #expect(bytes[..<offset].allSatisfy { $0 == 0xAA } && bytes.last == 0xAA)
            }
        }
    }

    @Test func `an empty piece changes nothing`() {
        var mask = WebSocketMask(key: 0x0102_0304)
        let before = mask
        mask.apply(to: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        #expect(mask == before)
    }
}
