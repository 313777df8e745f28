import Images
import Testing

struct ContentDigestTests {
    private func digest(_ bytes: [UInt8], size: Int) -> ContentDigest {
        bytes.withUnsafeBytes { ContentDigest(head: $0, size: Int64(size)) }
    }

    @Test func `the digest depends on the size and every byte of the head, and on nothing else`() {
        let head = (0..<ContentDigest.headLength).map { UInt8(truncatingIfNeeded: $0 * 31) }
        let whole = digest(head, size: 50_000)
        #expect(digest(head + [1, 2, 3], size: 50_000) == whole)
        #expect(digest(head, size: 50_001) != whole)
        for place in [0, 1, 7, 8, 4_095, head.count - 1] {
            var other = head
            other[place] ^= 1
            #expect(digest(other, size: 50_000) != whole, "byte \(place)")
        }
    }

    @Test func `the digest of whole content depends on its length and every byte`() {
        let content = (0..<3 * ContentDigest.headLength).map { UInt8(truncatingIfNeeded: $0 * 31) }
        func digest(_ bytes: [UInt8]) -> ContentDigest { bytes.withUnsafeBytes { ContentDigest(of: $0) } }
        let whole = digest(content)
        #expect(digest(content) == whole)
        #expect(digest(content + [0]) != whole && digest(content.dropLast()) != whole)
        for place in stride(from: 0, to: content.count, by: 1_021) {
            var other = content
            other[place] ^= 1
            #expect(digest(other) != whole, "byte \(place)")
        }
    }

    @Test func `the digest of a short file covers all its bytes`() {
        var seen: Set<ContentDigest> = []
        for count in 0...20 { seen.insert(digest([UInt8](repeating: 0, count: count), size: count)) }
        #expect(seen.count == 21)
        #expect(digest([1, 2, 3], size: 3) != digest([1, 2, 4], size: 3))
    }
}
