import TestSupport
import Testing

@testable import Catalog

@Suite struct BloomFilterTests {
    @Test(arguments: [0, 1, 7, 8, 9, 1_000, Listing.blockSize]) func `all members pass, and few others`(
        count: Int
    ) {
        var random = SystemRandomNumberGenerator()
        let hashes = (0..<count).map { _ in random.next() as UInt64 }
        let neighbours = (0..<UInt64(count)).map { 0xffff_ffff_ffff_0000 &+ $0 }
        for ids in [hashes, neighbours] {
            let filter = BloomFilter(ids)
            #expect(ids.allSatisfy(filter.passes))
            let others = (0..<10_000).lazy.map { _ in random.next() as UInt64 }.filter(filter.passes).count
            #expect(others < 1_000, "\(others) of 10,000 non-members pass")
        }
        #expect(!BloomFilter([]).passes(7))
    }
}
