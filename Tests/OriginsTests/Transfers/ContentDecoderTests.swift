import Testing

@testable import Origins

@Suite struct ContentDecoderTests {
    /// Decodes in pieces of this size. Where it stops, it passes the same bytes again.
    private func decoded(
        _ bytes: [UInt8], _ coding: ContentDecoder.Coding, piece: Int = .max, stops: Bool = false
    ) throws -> (bytes: [UInt8], decoder: ContentDecoder) {
        let decoder = ContentDecoder(coding)
        var output: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let next = Array(rest.prefix(piece))
            rest = rest.dropFirst(next.count)
            var isDone = false
            while !isDone {
                isDone = try next.withUnsafeBytes { next throws(ContentDecoder.Fault) in
                    try decoder.decode(next) { piece in
                        #expect(1...65_536 ~= piece.count)
                        output += piece
                        return !stops
                    }
                }
            }
        }
        return (output, decoder)
    }

    private static let body = pattern(300_000) + [UInt8](repeating: 7, count: 200_000)

    @Test(arguments: [1, 2, 3, 1000, .max], [false, true])
    func `a body decodes the same in pieces of any size, with pauses and without`(piece: Int, stops: Bool) throws {
        let encoded: [(ContentDecoder.Coding, [UInt8])] = [
            (.gzip, gzipped(Self.body)), (.deflate, zlibbed(Self.body)), (.deflate, deflated(Self.body)),
        ]
        for (coding, bytes) in encoded {
            let (output, decoder) = try decoded(bytes, coding, piece: piece, stops: stops)
            #expect(output == Self.body)
            #expect(decoder.isWhole)
            #expect(decoder.encodedCount == bytes.count)
        }
    }

    @Test func `several members are one body, and padding is ignored`() throws {
        let members = gzipped([1, 2, 3]) + gzipped([]) + gzipped([4])
        for piece in [1, 5, .max] {
            #expect(try decoded(members, .gzip, piece: piece).bytes == [1, 2, 3, 4])
            let (bytes, decoder) = try decoded(members + [0, 0, 0x1f], .gzip, piece: piece)
            #expect(bytes == [1, 2, 3, 4] && decoder.isWhole && decoder.encodedCount == members.count + 3)
        }
    }

    @Test func `a body that is cut anywhere is not whole`() throws {
        let bytes = gzipped(pattern(1000))
        for count in 1..<bytes.count { #expect(try !decoded(Array(bytes.prefix(count)), .gzip).decoder.isWhole) }
        #expect(!ContentDecoder(.gzip).isWhole)
    }

    @Test func `damage is noticed`() {
        var bytes = gzipped(pattern(1000))
        bytes[bytes.count - 6] ^= 1
        for wrong in [bytes, pattern(50), Array("\u{1f}\u{8b}".utf8)] {
            #expect(throws: ContentDecoder.Fault.malformed) { try decoded(wrong, .gzip) }
        }
    }

    @Test func `a bomb is refused before it has grown`() throws {
        let bytes = gzipped([UInt8](repeating: 0, count: 50_000_000))
        let decoder = ContentDecoder(.gzip)
        var count = 0
        #expect(throws: ContentDecoder.Fault.tooDense) {
            _ = try bytes.withUnsafeBytes { bytes throws(ContentDecoder.Fault) in
                try decoder.decode(bytes) { piece in
                    count += piece.count
                    return true
                }
            }
        }
        #expect(count <= ContentDecoder.freeBytes + ContentDecoder.maximumRatio * bytes.count)
        // A picture of one colour may be as dense while it is small.
        #expect(try decoded(gzipped([UInt8](repeating: 0, count: 1 << 20)), .gzip).bytes.count == 1 << 20)
    }
}
